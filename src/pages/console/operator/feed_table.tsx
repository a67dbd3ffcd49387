/** @jsxImportSource preact */
/**
 * Feeds as operators list them.
 *
 * @module
 */
import { type FeedRow, reviewOf } from "../../../feeds/feed_text.ts";
import { Badge, Table, Text, Time, type Tone } from "../../layout/parts.tsx";
import { AccountLink, FeedLink } from "../lists.tsx";
import type { Visit } from "../visit.ts";

const REVIEW_TONES: Readonly<Record<string, Tone>> = {
  waiting: "warn",
  listed: "good",
  declined: "bad",
};

interface FeedTableProps {
  readonly visit: Visit;
  readonly feeds: readonly FeedRow[];
  readonly empty: string;
}

export function FeedTable({ visit, feeds, empty }: FeedTableProps) {
  return (
    <Table
      label="Feeds"
      rows={feeds}
      columns={[
        {
          head: "Feed",
          cell: (row) => <FeedLink visit={visit} id={row.feed_id} name={row.name} />,
        },
        {
          head: "Slug",
          kind: "slug",
          cell: (row) => (
            <code>
              <Text of={row.endpoint_path} />
            </code>
          ),
        },
        {
          head: "Provider",
          cell: (row) => <AccountLink visit={visit} id={row.account_id} name={row.account_name} />,
        },
        { head: "Type", cell: (row) => row.feed_type ?? "not set" },
        { head: "Status", cell: (row) => <StatusBadge status={row.status} /> },
        {
          head: "Review",
          cell: (row) => <ReviewBadge review={reviewOf(row)} />,
        },
        { head: "Last push", kind: "when", cell: (row) => <Time of={row.last_sync_at} /> },
      ]}
      empty={empty}
    />
  );
}

export function StatusBadge({ status }: { readonly status: string }) {
  return <Badge tone={status === "active" ? "good" : "plain"}>{status}</Badge>;
}

export function ReviewBadge({ review }: { readonly review: string }) {
  return <Badge tone={REVIEW_TONES[review] ?? "plain"}>{review}</Badge>;
}
