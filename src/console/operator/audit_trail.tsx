/** @jsxImportSource preact */
/**
 * Who changed what.
 *
 * @module
 */
import { Table, Text, Time } from "../../ui/parts.tsx";
import { AccountLink, FeedLink, type Listed, listQuery, Next } from "../lists.tsx";
import { findNames } from "../names.ts";
import { bodyOf } from "../own_api.ts";
import type { PageRoute } from "../visit.ts";

const LISTED = 50;

interface AuditEntry {
  readonly happened_at: string;
  readonly actor: string;
  readonly face: string | null;
  readonly action: string;
  readonly account_id: string | null;
  readonly feed_id: string | null;
  readonly before: unknown;
  readonly after: unknown;
}

export const AUDIT_TRAIL: PageRoute = {
  path: "audit",
  async show(visit) {
    const path = `/v1/operator/audit${listQuery(visit, { limit: LISTED, names: ["account_id", "feed_id"] })}`;
    const { events, next_cursor: cursor } = bodyOf(
      await visit.ask<Listed<"events", AuditEntry>>(path),
    );
    const nameOf = await findNames(
      visit,
      events.flatMap((event) => [event.account_id, event.feed_id]),
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
              { head: "Who", cell: (row) => <Text of={row.actor} /> },
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
              { head: "Before", cell: (row) => <Changed of={row.before} /> },
              { head: "After", cell: (row) => <Changed of={row.after} /> },
            ]}
            empty="Nothing was changed yet."
          />
          <Next visit={visit} cursor={cursor} />
        </>
      ),
    };
  },
};

const CHANGE_CHARACTERS = 160;

function Changed({ of }: { readonly of: unknown }) {
  if (of === null || of === undefined) return null;
  const text = JSON.stringify(of);
  const isLong = text.length > CHANGE_CHARACTERS;
  return (
    <code class="small wrapped">
      <Text of={isLong ? `${text.slice(0, CHANGE_CHARACTERS)}…` : text} />
    </code>
  );
}
