/** @jsxImportSource preact */
/**
 * Who changed what and when, in plain words.
 *
 * @module
 */
import { ADMIN_KEY_ACTOR, KEY_ACTOR, PERSON_ACTOR } from "../../../accounts/actor.ts";
import { isObject } from "../../../lib/records.ts";
import { parseUuid } from "../../../lib/uuid.ts";
import { searchAccounts } from "../../../operator/accounts.ts";
import { type AuditEvent, listAuditEvents } from "../../../operator/audit.ts";
import { searchFeeds } from "../../../operator/feeds.ts";
import { Text, Time } from "../../layout/parts.tsx";
import { FilterForm } from "../act_form.tsx";
import { parseExact } from "../exact_values.ts";
import { addressWith, LinkChoice } from "../link_choice.tsx";
import { fileOf, type ListedTable, listedTable } from "../listed_table.tsx";
import { AccountLink, FeedLink } from "../lists.tsx";
import { findNames, type NameOf } from "../names.ts";
import { RangeLinks, rangeOf } from "../shown_range.tsx";
import type { PageRoute, Visit } from "../visit.ts";
import { AUDIT_KINDS, auditAction, auditChanges } from "./audit_words.ts";
import { partOf } from "./picks.ts";

const LISTED = 50;
/** Accounts, and feeds, to choose from. */
const OBJECTS_LISTED = 5;
const ACTOR_LENGTH_MAX = 400;

export const AUDIT_TRAIL: PageRoute = {
  path: "audit",
  download: (visit) => fileOf(visit, [trailTable(visit)]),
  async show(visit) {
    const { query } = visit;
    return {
      title: "Audit trail",
      content: (
        <>
          <h1>Audit trail</h1>
          <p class="lead">Who changed what, newest first.</p>
          <FilterForm
            query={query}
            button="Find"
            fields={[{ name: "q", label: "Account or feed, part of the name", kind: "search" }]}
            keeps={["range", "from", "to", "what", "who"]}
          />
          <FoundObjects visit={visit} found={await findObjects(visit)} />
          <RangeLinks visit={visit} range={rangeOf(visit)} />
          <div class="filters">
            <LinkChoice
              query={query}
              label="What"
              name="what"
              choices={[["", "anything"], ...AUDIT_KINDS]}
              chosen={query.get("what") ?? ""}
            />
            <Filtered visit={visit} nameOf={await namesOfFilters(visit)} />
          </div>
          {await trailTable(visit).show()}
        </>
      ),
    };
  },
};

interface NamedEvent extends Pick<AuditEvent, "actor" | "face" | "happened_at" | "action"> {
  readonly who: string;
  readonly accountId: string | null;
  readonly accountName: string | undefined;
  readonly feedId: string | null;
  readonly feedName: string | undefined;
  readonly changes: readonly string[];
}

function trailTable(visit: Visit): ListedTable {
  const { query } = visit;
  const { since, until } = rangeOf(visit);
  return listedTable<NamedEvent>(visit, {
    name: "audit",
    label: "Audit trail",
    rows: LISTED,
    next: "Older changes",
    empty: "No changes match these filters.",
    async read(part) {
      const { entries, nextCursor } = await listAuditEvents(visit.operator, {
        ...part,
        account_id: parseUuid(query.get("account_id")?.trim() ?? ""),
        feed_id: parseUuid(query.get("feed_id")?.trim() ?? ""),
        since,
        until,
        actor: query.get("who")?.slice(0, ACTOR_LENGTH_MAX) || undefined,
        actionKind: AUDIT_KINDS.find(([kind]) => kind === query.get("what"))?.[0],
      });
      const ids = entries.flatMap((row) => [row.account_id, row.feed_id, idOfActor(row.actor)]);
      const { nameOf } = await findNames(visit, ids);
      return { entries: entries.map((row) => namedEvent(row, nameOf)), nextCursor };
    },
    columns: [
      {
        head: "When",
        kind: "when",
        text: (row) => row.happened_at,
        cell: (row) => <Time of={row.happened_at} isExact />,
      },
      {
        head: "Who",
        text: (row) => row.who,
        cell: (row) => (
          <>
            <a href={addressWith(query, { name: "who", value: row.actor })}>
              <Text of={row.who} />
            </a>
            <div class="soft small">{faceWords(row.face)}</div>
          </>
        ),
      },
      { head: "What", text: (row) => auditAction(row.action) },
      {
        head: "On",
        text: (row) => [row.feedName, row.accountName].filter(Boolean).join(" of "),
        cell: ({ feedId, feedName, accountId, accountName }) => (
          <>
            {feedId !== null && <FeedLink visit={visit} id={feedId} name={feedName} />}
            {feedId !== null && accountId !== null && " of "}
            {accountId !== null && <AccountLink visit={visit} id={accountId} name={accountName} />}
          </>
        ),
      },
      {
        head: "Details",
        text: (row) => row.changes.join("; "),
        cell: (row) => <Changes of={row.changes} />,
      },
    ],
  });
}

function namedEvent(row: AuditEvent, nameOf: NameOf): NamedEvent {
  return {
    actor: row.actor,
    face: row.face,
    happened_at: row.happened_at,
    action: row.action,
    who: actorWords(row.actor, nameOf),
    accountId: row.account_id,
    accountName: nameOf(row.account_id),
    feedId: row.feed_id,
    feedName: nameOf(row.feed_id),
    changes: auditChanges({ before: fieldsOf(row.before), after: fieldsOf(row.after) }),
  };
}

/** The id of the key or person that acted. */
function idOfActor(actor: string): string | null {
  return KEY_ACTOR.exec(actor)?.[1] ?? PERSON_ACTOR.exec(actor)?.[1] ?? null;
}

function actorWords(actor: string, nameOf: NameOf): string {
  const name = nameOf(idOfActor(actor));
  if (KEY_ACTOR.test(actor)) return name === undefined ? "a key" : `key ${name}`;
  if (PERSON_ACTOR.test(actor)) return name ?? "a deleted user";
  return ADMIN_KEY_ACTOR.exec(actor)?.[1]?.replace("admin key ", "operator ") ?? actor;
}

function faceWords(face: AuditEvent["face"]): string {
  switch (face) {
    case "shell":
      return "on the command line";
    case "api":
      return "through the API";
    case "console":
      return "in the console";
    default:
      return "in the database";
  }
}

const CHANGES_SHOWN = 8;

function Changes({ of }: { readonly of: readonly string[] }) {
  if (of.length === 0) return null;
  return (
    <ul class="changes">
      {of.slice(0, CHANGES_SHOWN).map((words) => (
        <li>
          <Text of={words} />
        </li>
      ))}
      {of.length > CHANGES_SHOWN && <li class="soft">and {of.length - CHANGES_SHOWN} more</li>}
    </ul>
  );
}

/** @param json null if there was nothing */
function fieldsOf(json: string | null): Readonly<Record<string, unknown>> {
  const value = json === null ? null : parseExact<unknown>(json);
  return isObject(value) ? value : {};
}

interface FoundObject {
  readonly parameter: "account_id" | "feed_id";
  readonly id: string;
  readonly name: string;
}

/** Accounts and feeds that the text of the search box may mean. */
async function findObjects(visit: Visit): Promise<readonly FoundObject[] | undefined> {
  const part = partOf(visit);
  if (part === "") return undefined;
  const limit = OBJECTS_LISTED;
  const [accounts, feeds] = await Promise.all([
    searchAccounts(visit.operator, { part, order: "newest", limit }),
    searchFeeds(visit.operator, { part, limit }),
  ]);
  return [
    ...accounts.entries.map(({ id, name }) => ({ parameter: "account_id" as const, id, name })),
    ...feeds.entries.map(({ feed_id: id, name }) => ({ parameter: "feed_id" as const, id, name })),
  ];
}

interface FoundObjectsProps {
  readonly visit: Visit;
  readonly found: readonly FoundObject[] | undefined;
}

function FoundObjects({ visit, found }: FoundObjectsProps) {
  if (found === undefined) return null;
  if (found.length === 0) return <div class="empty">No accounts or feeds match.</div>;
  return (
    <div class="note-box">
      <p>Show changes to</p>
      <ul>
        {found.map(({ parameter, id, name }) => (
          <li>
            <a
              href={addressWith(visit.query, {
                name: parameter,
                value: id,
                without: ["q", "account_id", "feed_id"],
              })}
            >
              {parameter === "feed_id" ? "feed " : "account "}
              <Text of={name} />
            </a>
          </li>
        ))}
      </ul>
    </div>
  );
}

const FILTERS = [
  ["account_id", "Account"],
  ["feed_id", "Feed"],
] as const;

async function namesOfFilters(visit: Visit): Promise<NameOf> {
  const { query } = visit;
  const ids = [...FILTERS.map(([name]) => query.get(name)), idOfActor(query.get("who") ?? "")];
  const { nameOf } = await findNames(
    visit,
    ids.map((id) => parseUuid(id ?? "")),
  );
  return nameOf;
}

interface FilteredProps {
  readonly visit: Visit;
  readonly nameOf: NameOf;
}

/** What the list is filtered by that no choice shows, each with a link that takes it away. */
function Filtered({ visit: { query }, nameOf }: FilteredProps) {
  const who = query.get("who");
  const shown = [
    ...(who ? [["who", "Who", actorWords(who, nameOf)] as const] : []),
    ...FILTERS.flatMap(([name, label]) => {
      const id = query.get(name);
      return id ? [[name, label, nameOf(id) ?? id] as const] : [];
    }),
  ];
  return (
    <>
      {shown.map(([name, label, value]) => (
        <p class="choice">
          <span class="soft">{label}</span>
          <span>
            <Text of={value} />
          </span>
          <a href={addressWith(query, { name, value: "" })}>
            any<span class="sr"> instead of {label.toLowerCase()}</span>
          </a>
        </p>
      ))}
    </>
  );
}
