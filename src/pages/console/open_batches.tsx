/** @jsxImportSource preact */
/**
 * Batches that are not complete.
 *
 * @module
 */
import type { OpenBatch } from "../../feeds/feed_contents.ts";
import { digits, Table, Text, Time } from "../layout/parts.tsx";

/** Nothing if there is none. */
export function OpenBatches({ of }: { readonly of: readonly OpenBatch[] }) {
  if (of.length === 0) return null;
  return (
    <>
      <h2>Open batches</h2>
      <Table
        label="Open batches"
        rows={of}
        columns={[
          {
            head: "Batch",
            kind: "slug",
            cell: (row) => (
              <code>
                <Text of={row.batch_id} />
              </code>
            ),
          },
          { head: "Rows so far", kind: "num", cell: (row) => digits(row.rows) },
          { head: "Started", kind: "when", cell: (row) => <Time of={row.begun_at} /> },
          {
            head: "Closes automatically",
            kind: "when",
            cell: (row) => <Time of={row.closes_at} />,
          },
        ]}
        empty=""
      />
    </>
  );
}
