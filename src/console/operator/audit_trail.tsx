/** @jsxImportSource preact */
/**
 * Who changed what.
 *
 * @module
 */
import { Table, Text, Time } from "../../ui/parts.tsx";
import { AccountLink, FeedLink, type Listed, listQuery, Next } from "../lists.tsx";
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
                kind: "id",
                cell: (row) => (
                  <>
                    {row.feed_id !== null && (
                      <FeedLink visit={visit} id={row.feed_id} name="feed" />
                    )}{" "}
                    {row.account_id !== null && (
                      <AccountLink visit={visit} id={row.account_id} name="account" />
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
