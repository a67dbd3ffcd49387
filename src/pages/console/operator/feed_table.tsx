/** @jsxImportSource preact */
/**
 * Feeds as operators list them.
 *
 * @module
 */
import type { ComponentChildren } from "preact";
import { type FeedRow, reviewOf } from "../../../feeds/feed_text.ts";
import { Badge, Text, type Tone } from "../../layout/parts.tsx";
import { type ListedTable, type ListPart, listedTable } from "../listed_table.tsx";
import { AccountLink, FeedLink } from "../lists.tsx";
import type { Visit } from "../visit.ts";

const REVIEW_TONES: Readonly<Record<string, Tone>> = {
  waiting: "warn",
  listed: "good",
  declined: "bad",
};

type ListedFeed = Pick<
  FeedRow,
  | "feed_id"
  | "name"
  | "endpoint_path"
  | "account_id"
  | "account_name"
  | "feed_type"
  | "status"
  | "is_public"
  | "review"
  | "last_sync_at"
>;

interface FeedsOfPage {
  /** In the address of its file. @default "feeds" */
  readonly name?: string;
  readonly label?: string;
  readonly rows?: number;
  readonly empty: ComponentChildren;
  read(part: ListPart): Promise<{
    readonly entries: readonly ListedFeed[];
    readonly nextCursor: string | null;
  }>;
}

const LISTED = 50;

export function feedsTable(visit: Visit, feeds: FeedsOfPage): ListedTable {
  const { name = "feeds", label = "Feeds", rows = LISTED, empty, read } = feeds;
  return listedTable<ListedFeed>(visit, {
    name,
    label,
    rows,
    empty,
    read,
    columns: [
      {
        head: "Feed",
        text: (row) => row.name,
        cell: (row) => <FeedLink visit={visit} id={row.feed_id} name={row.name} />,
      },
      {
        head: "Slug",
        kind: "slug",
        text: (row) => row.endpoint_path,
        cell: (row) => (
          <code>
            <Text of={row.endpoint_path} />
          </code>
        ),
      },
      {
        head: "Provider",
        text: (row) => row.account_name,
        cell: (row) => <AccountLink visit={visit} id={row.account_id} name={row.account_name} />,
      },
      { head: "Type", text: (row) => row.feed_type ?? "not set" },
      {
        head: "Status",
        text: (row) => row.status,
        cell: (row) => <StatusBadge status={row.status} />,
      },
      { head: "Review", text: reviewOf, cell: (row) => <ReviewBadge review={reviewOf(row)} /> },
      { head: "Last push", kind: "when", text: (row) => row.last_sync_at },
    ],
  });
}

export function StatusBadge({ status }: { readonly status: string }) {
  return <Badge tone={status === "active" ? "good" : "plain"}>{status}</Badge>;
}

export function ReviewBadge({ review }: { readonly review: string }) {
  return <Badge tone={REVIEW_TONES[review] ?? "plain"}>{review}</Badge>;
}
