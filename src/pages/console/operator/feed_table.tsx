/** @jsxImportSource preact */
/**
 * Feeds as operators list them.
 *
 * @module
 */
import { Badge, type Figure, Table, Text, Time, type Tone } from "../../layout/parts.tsx";
import { AccountLink, FeedLink } from "../lists.tsx";
import type { Visit } from "../visit.ts";

export interface FeedEntry {
  readonly id: string;
  readonly name: string;
  readonly endpoint_path: string | null;
  readonly feed_type: string | null;
  readonly status: string;
  readonly review: string;
  readonly is_public: boolean;
  readonly last_sync_at: string | null;
  readonly price_type: string;
  readonly price_per_1k: Figure | null;
  readonly one_time_price_cents: Figure | null;
  readonly provider: { readonly id: string; readonly name: string };
}

const REVIEW_TONES: Readonly<Record<string, Tone>> = {
  waiting: "warn",
  listed: "good",
  declined: "bad",
};

interface FeedTableProps {
  readonly visit: Visit;
  readonly feeds: readonly FeedEntry[];
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
          cell: (row) => <FeedLink visit={visit} id={row.id} name={row.name} />,
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
          cell: ({ provider }) => (
            <AccountLink visit={visit} id={provider.id} name={provider.name} />
          ),
        },
        { head: "Type", cell: (row) => row.feed_type ?? "not set" },
        { head: "Status", cell: (row) => <StatusBadge status={row.status} /> },
        {
          head: "Review",
          cell: (row) => <ReviewBadge review={row.review} />,
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
