/** @jsxImportSource preact */
/**
 * Calls of the usage log.
 *
 * @module
 */
import type { UsageRow } from "../../../accounts/usage_event.ts";
import { Table, Text, Time } from "../../layout/parts.tsx";
import { usdWords } from "../amounts.ts";
import { FeedLink } from "../lists.tsx";
import { findNames, type Names } from "../names.ts";
import type { Visit } from "../visit.ts";

/** Ids of a day begin alike. */
const ID_END_LENGTH = 12;

interface UsageTableProps {
  readonly visit: Visit;
  readonly usage: readonly UsageRow[];
  readonly names: Names;
}

export function UsageTable({ visit, usage, names }: UsageTableProps) {
  return (
    <Table
      label="Usage log"
      rows={usage}
      columns={[
        { head: "When", kind: "when", cell: (row) => <Time of={row.timestamp} isExact /> },
        { head: "Call", cell: (row) => row.operation },
        {
          head: "Feed",
          cell: ({ feed_id: id }) =>
            id === null ? (
              ""
            ) : (
              <FeedLink visit={visit} id={id} name={names.nameOf(id)} hasPage={names.hasPage(id)} />
            ),
        },
        {
          head: "Charged",
          kind: "num",
          cell: (row) => usdWords(row.charge_nanos),
        },
        {
          head: "Key",
          cell: (row) => <Text of={names.nameOf(row.key_id)} />,
        },
        {
          head: "Usage id",
          kind: "id",
          cell: ({ usage_id: id }) => (
            <code class="small" title={id}>
              …{id.slice(-ID_END_LENGTH)}
            </code>
          ),
        },
      ]}
      empty={
        <>
          No feed was read. Look into the <a href={`${visit.root}/console/catalog`}>catalog</a>.
        </>
      }
    />
  );
}

/** The names in a page of the usage log, and those of other feeds. */
export function namesIn(
  visit: Visit,
  usage: readonly UsageRow[],
  feedIds: readonly (string | undefined)[] = [],
): Promise<Names> {
  const ids = usage.flatMap(({ feed_id: feedId, key_id: keyId }) => [feedId, keyId]);
  return findNames(visit, [...ids, ...feedIds]);
}
