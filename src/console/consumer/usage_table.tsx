/** @jsxImportSource preact */
/**
 * Calls of the usage log.
 *
 * @module
 */
import { digits, Table, Time } from "../../ui/parts.tsx";
import { FeedLink } from "../lists.tsx";
import type { Visit } from "../visit.ts";
import type { UsageEvent } from "./answers.ts";

interface UsageTableProps {
  readonly visit: Visit;
  readonly usage: readonly UsageEvent[];
}

export function UsageTable({ visit, usage }: UsageTableProps) {
  return (
    <Table
      label="Usage log"
      rows={usage}
      columns={[
        { head: "When", kind: "when", cell: (row) => <Time of={row.timestamp} /> },
        { head: "Call", cell: (row) => row.operation },
        {
          head: "Feed",
          kind: "id",
          cell: ({ feed_id: id }) => (id === null ? "" : <FeedLink visit={visit} id={id} />),
        },
        { head: "Credits", kind: "num", cell: (row) => digits(row.credits_charged) },
        {
          head: "Key",
          kind: "id",
          cell: (row) => <code class="small">{row.key_id?.slice(0, 8)}…</code>,
        },
        { head: "Usage id", kind: "id", cell: (row) => <code class="small">{row.usage_id}</code> },
      ]}
      empty={
        <>
          Nothing was read yet. Look into the <a href={`${visit.root}/console/catalog`}>catalog</a>.
        </>
      }
    />
  );
}
