/** @jsxImportSource preact */
/**
 * Who changed what.
 *
 * @module
 */
import { KEY_ACTOR } from "../../../accounts/actor.ts";
import { isObject } from "../../../lib/records.ts";
import { type AuditEvent, ListAuditEventsInput, listAuditEvents } from "../../../operator/audit.ts";
import { Table, Text, Time } from "../../layout/parts.tsx";
import { parseExact } from "../exact_values.ts";
import { AccountLink, FeedLink, Next } from "../lists.tsx";
import { findNames, type NameOf } from "../names.ts";
import type { PageRoute } from "../visit.ts";
import { listInput } from "./operator_act.ts";

const LISTED = 50;

export const AUDIT_TRAIL: PageRoute = {
  path: "audit",
  async show(visit) {
    const names = ["account_id", "feed_id"];
    const input = listInput(visit, ListAuditEventsInput, { limit: LISTED, names });
    const { entries: events, nextCursor } = await listAuditEvents(visit.operator, input);
    const { nameOf } = await findNames(
      visit,
      events.flatMap(({ actor, account_id, feed_id }) => [account_id, feed_id, keyOf(actor)]),
    );
    return {
      title: "Audit trail",
      content: (
        <>
          <h1>Audit trail</h1>
          <p class="lead">Who changed what, the newest first.</p>
          <Table
            label="Audit trail"
            rows={events}
            columns={[
              { head: "When", kind: "when", cell: (row) => <Time of={row.happened_at} /> },
              { head: "Who", cell: ({ actor }) => <Text of={namedActor(actor, nameOf)} /> },
              { head: "By", cell: (row) => row.face ?? "" },
              { head: "What", cell: (row) => row.action },
              {
                head: "On",
                cell: ({ feed_id: feedId, account_id: accountId }) => (
                  <>
                    {feedId !== null && (
                      <FeedLink visit={visit} id={feedId} name={nameOf(feedId)} />
                    )}
                    {feedId !== null && accountId !== null && " of "}
                    {accountId !== null && (
                      <AccountLink visit={visit} id={accountId} name={nameOf(accountId)} />
                    )}
                  </>
                ),
              },
              { head: "Change", cell: (row) => <Changes {...row} /> },
            ]}
            empty="Nothing was changed yet."
          />
          <Next visit={visit} cursor={nextCursor} />
        </>
      ),
    };
  },
};

/** The id of the account's key that acted. */
function keyOf(actor: string): string | null {
  return KEY_ACTOR.exec(actor)?.[1] ?? null;
}

function namedActor(actor: string, nameOf: NameOf): string {
  const name = nameOf(keyOf(actor));
  return name === undefined ? actor : `key ${name}`;
}

const CHANGES_SHOWN = 8;
const VALUE_CHARACTERS = 80;

/** Each field that was changed, with what it was and is. */
function Changes({ before, after }: Pick<AuditEvent, "before" | "after">) {
  const [was, is] = [fieldsOf(before), fieldsOf(after)];
  const names = [...new Set([...Object.keys(was), ...Object.keys(is)])];
  return (
    <ul class="changes">
      {names.slice(0, CHANGES_SHOWN).map((name) => (
        <li>
          <span class="soft">
            <Text of={name.replaceAll("_", " ")} />
          </span>{" "}
          {name in was && (
            <>
              <Text of={shortened(was[name])} />
              {" → "}
            </>
          )}
          <Text of={shortened(is[name])} />
        </li>
      ))}
      {names.length > CHANGES_SHOWN && (
        <li class="soft">and {names.length - CHANGES_SHOWN} more</li>
      )}
    </ul>
  );
}

/** @param json null if there was nothing */
function fieldsOf(json: string | null): Readonly<Record<string, unknown>> {
  const value = json === null ? null : parseExact<unknown>(json);
  return isObject(value) ? value : {};
}

function shortened(value: unknown): string {
  if (value === null || value === undefined) return "none";
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > VALUE_CHARACTERS
    ? `${text.slice(0, VALUE_CHARACTERS).toWellFormed()}…`
    : text;
}
