/** @jsxImportSource preact */
/**
 * One feed as an agent sees it, and what an operator can do about it.
 *
 * @module
 */
import type { Actor } from "../../../accounts/actor.ts";
import type { OpenBatch } from "../../../feeds/feed_contents.ts";
import { usdNumber } from "../../../money/money.ts";
import {
  DeclineFeedInput,
  declineFeed,
  deleteFeed,
  FeedInput,
  type FeedReader,
  feedReviewText,
  listReaders,
  publishFeeds,
  resumeFeed,
  reviewFeed,
  SuspendFeedInput,
  suspendFeed,
  unpublishFeeds,
} from "../../../operator/feeds.ts";
import type { Operator } from "../../../operator/operator.ts";
import { findFeed } from "../../../operator/references.ts";
import { Badge, counted, Facts, Text, Time } from "../../layout/parts.tsx";
import { ActForm } from "../act_form.tsx";
import { parseExact } from "../exact_values.ts";
import { FeedAsSeen, type ShownFeed } from "../feed_as_seen.tsx";
import { fileOf, type ListedTable, listedTable } from "../listed_table.tsx";
import { AccountLink } from "../lists.tsx";
import { OpenBatches } from "../open_batches.tsx";
import { RangeLinks, rangeOf } from "../shown_range.tsx";
import {
  type Acted,
  type Change,
  type Done,
  type Form,
  idOf,
  type PageRoute,
  type Visit,
} from "../visit.ts";
import { ReviewBadge, StatusBadge } from "./feed_table.tsx";
import { operatorAct } from "./operator_act.ts";

/** Newest rows. */
const ROWS_SHOWN = 3;

interface Push {
  readonly pushed_at: string;
  readonly stored: boolean;
  readonly code: string | null;
  readonly detail: string | null;
  readonly rows_received: number;
}

/** What `feedReviewText` writes. */
interface Review extends ShownFeed {
  readonly id: string;
  readonly status: string;
  readonly review: string;
  readonly is_public: boolean;
  readonly review_reason?: string | null;
  readonly last_sync_at: string | null;
  readonly provider: { readonly id: string; readonly name: string };
  readonly row_count: number;
  readonly bytes: number;
  readonly suspension_reason?: string;
  readonly deleted_at?: string;
  readonly open_batches: readonly OpenBatch[];
  readonly pushes: readonly Push[];
  readonly newest_rows: readonly unknown[];
}

export const JUDGE_FEED: PageRoute = {
  path: "feeds/:id",
  download: (visit) =>
    fileOf(visit, [readersTable(visit), pushesTable(visit, () => readPushes(visit))]),
  async show(visit, form) {
    const { operator } = visit;
    const found = await reviewFeed(operator, { feed_id: idOf(visit), rows: ROWS_SHOWN });
    // As JSON, since schema, sample and rows are the provider's own JSON.
    const review = parseExact<Review>(feedReviewText(found, operator));
    const isDeleted = review.deleted_at !== undefined;
    const isSuspended = review.suspension_reason !== undefined;
    const [readers, pushes] = await Promise.all([
      readersTable(visit).show(),
      pushesTable(visit, async () => review.pushes).show(),
    ]);
    return {
      title: review.name,
      content: (
        <>
          <p class="crumbs">
            <a href={`${visit.root}/console/feeds`}>Feeds</a>
          </p>
          <h1>
            <Text of={review.name} />
          </h1>
          <Facts
            of={{
              State: (
                <>
                  <StatusBadge status={review.status} /> <ReviewBadge review={review.review} />{" "}
                  {isSuspended && <Badge tone="bad">suspended</Badge>}
                  {isDeleted && <Badge tone="bad">deleted</Badge>}
                </>
              ),
              "Suspension reason": review.suspension_reason && (
                <Text of={review.suspension_reason} />
              ),
              "Decline reason": review.review === "declined" && review.review_reason && (
                <Text of={review.review_reason} />
              ),
              Provider: (
                <AccountLink visit={visit} id={review.provider.id} name={review.provider.name} />
              ),
              Content: `${counted(review.row_count, "row")}, ${counted(review.bytes, "byte")}`,
              "Last push": <Time of={review.last_sync_at} />,
              Changes: (
                <a href={`${visit.root}/console/audit?feed_id=${review.id}`}>
                  Audit trail of the feed
                </a>
              ),
              ID: <code>{review.id}</code>,
            }}
          />
          {!isDeleted && <StateForms review={review} form={form} />}
          <h2>Readers</h2>
          <RangeLinks visit={visit} range={rangeOf(visit)} />
          {readers}
          <h2>As an agent sees it</h2>
          <FeedAsSeen feed={review} />
          <h2>Newest rows</h2>
          {review.newest_rows.length === 0 ? (
            <div class="empty">The feed has no rows that are visible to readers.</div>
          ) : (
            review.newest_rows.map((row) => (
              <pre>
                <Text of={JSON.stringify(row, null, 2)} />
              </pre>
            ))
          )}
          <OpenBatches of={review.open_batches} />
          <h2>Newest pushes</h2>
          {pushes}
          {!isDeleted && (
            <section class="apart">
              <h2>Delete the feed</h2>
              <ActForm
                buttons={[{ act: "delete", text: "Delete", tone: "danger" }]}
                effect="Deletes the feed and all its rows. Accounts that bought it can no longer read it. This can't be undone."
              />
            </section>
          )}
        </>
      ),
    };
  },
  acts: {
    publish: listingAct({
      setListed: publishFeeds,
      done: "published",
      confirm: async (_, visit) =>
        `${await nameOfFeed(visit)} will be listed in catalog and search, for everyone, as soon as it is active.`,
    }),
    unpublish: listingAct({
      setListed: unpublishFeeds,
      done: "unpublished",
      confirm: async (_, visit) =>
        `${await nameOfFeed(visit)} will be removed from catalog and search. Anyone who knows its ID or slug can still read it.`,
    }),
    decline: operatorAct({
      input: DeclineFeedInput,
      given: (visit, form) => ({
        known: { feed_id: idOf(visit) },
        typed: { reason: form.text("reason") },
      }),
      confirm: async (form, visit) =>
        `${await nameOfFeed(visit)} will stay unlisted, and its provider sees that it was declined. Reason: ${form.text("reason")}`,
      run: declineFeed,
      done: (visit) => backTo(visit, "declined"),
    }),
    suspend: operatorAct({
      input: SuspendFeedInput,
      given: (visit, form) => ({
        known: { feed_id: idOf(visit) },
        typed: { reason: form.text("reason") },
      }),
      confirm: async (form, visit) =>
        `${await nameOfFeed(visit)} will be suspended: reads and pushes are refused from the next request. Reason: ${form.text("reason")}`,
      run: suspendFeed,
      done: (visit) => backTo(visit, "suspended"),
    }),
    resume: operatorAct({
      input: FeedInput,
      given: (visit) => ({ known: { feed_id: idOf(visit) } }),
      run: resumeFeed,
      done: (visit) => backTo(visit, "resumed"),
    }),
    delete: operatorAct({
      input: FeedInput,
      given: (visit) => ({ known: { feed_id: idOf(visit) } }),
      async confirm(_, visit) {
        const { name, row_count: rows } = await findFeed(visit.operator.database, idOf(visit));
        return `${name} will be deleted permanently, with its ${counted(rows, "row")}. Accounts that bought it can no longer read it. This can't be undone.`;
      },
      run: deleteFeed,
      done: () => ({ kind: "go", to: "feeds", done: "deleted" }),
    }),
  },
};

interface StateFormsProps {
  readonly review: Review;
  /** What was typed, if that was refused. */
  readonly form: Form | undefined;
}

/** Listing and suspension. */
function StateForms({ review, form }: StateFormsProps) {
  const isSuspended = review.suspension_reason !== undefined;
  return (
    <>
      <div class="actions">
        <ActForm
          buttons={[
            review.is_public
              ? { act: "unpublish", text: "Remove from the catalog", tone: "quiet" }
              : { act: "publish", text: "Publish" },
          ]}
        />
        {isSuspended && (
          <ActForm isDirect buttons={[{ act: "resume", text: "Resume", tone: "quiet" }]} />
        )}
      </div>
      {!(review.is_public && isSuspended) && (
        <ActForm
          form={form}
          fields={[{ name: "reason", label: "Reason (shown to the provider)", isRequired: true }]}
          buttons={[
            ...(review.is_public
              ? []
              : [{ act: "decline", text: "Decline", tone: "quiet" } as const]),
            ...(isSuspended ? [] : [{ act: "suspend", text: "Suspend", tone: "danger" } as const]),
          ]}
          effect={[
            ...(review.is_public ? [] : ["A declined feed stays unlisted."]),
            ...(isSuspended
              ? []
              : ["A suspended feed can't be read or pushed to until you resume it."]),
          ].join(" ")}
        />
      )}
    </>
  );
}

/** The accounts that read the feed in the page's range. */
function readersTable(visit: Visit): ListedTable {
  const { from, to } = rangeOf(visit);
  return listedTable<FeedReader>(visit, {
    name: "readers",
    label: "Readers",
    rows: 1,
    by: "readers_cursor",
    empty: "No reads in this period. Reads are counted within a minute.",
    read: async () => ({
      entries: await listReaders(visit.operator, { feedId: idOf(visit), from, to }),
      nextCursor: null,
    }),
    columns: [
      {
        head: "Account",
        text: (row) => row.account_name,
        cell: (row) => <AccountLink visit={visit} id={row.account_id} name={row.account_name} />,
      },
      { head: "Reads", kind: "num", text: (row) => row.reads },
      { head: "Purchases", kind: "num", text: (row) => row.purchases },
      { head: "Spent", kind: "usd", text: (row) => usdNumber(row.spent_nanos) },
      { head: "Last read (UTC)", text: (row) => row.last_day },
    ],
  });
}

function pushesTable(visit: Visit, read: () => Promise<readonly Push[]>): ListedTable {
  return listedTable<Push>(visit, {
    name: "pushes",
    label: "Pushes",
    rows: 1,
    by: "pushes_cursor",
    empty: "No pushes yet.",
    read: async () => ({ entries: await read(), nextCursor: null }),
    columns: [
      {
        head: "When",
        kind: "when",
        text: (push) => push.pushed_at,
        cell: (push) => <Time of={push.pushed_at} isExact />,
      },
      {
        head: "Outcome",
        text: (push) => (push.stored ? "stored" : push.code),
        cell: (push) =>
          push.stored ? <Badge tone="good">stored</Badge> : <Badge tone="bad">{push.code}</Badge>,
      },
      { head: "Rows", kind: "num", text: (push) => push.rows_received },
      { head: "Reason", text: (push) => push.detail },
    ],
  });
}

async function readPushes({ operator, params }: Visit): Promise<readonly Push[]> {
  const { pushes } = await reviewFeed(operator, { feed_id: params.id ?? "", rows: 0 });
  return pushes;
}

/** What a confirmation calls the feed of the page. */
async function nameOfFeed({ operator, params }: Visit): Promise<string> {
  return (await findFeed(operator.database, params.id ?? "")).name;
}

interface ListingAct {
  readonly setListed: typeof publishFeeds;
  readonly done: Done;
  confirm(form: Form, visit: Visit): Promise<string>;
}

function listingAct({ setListed, done, confirm }: ListingAct): Change {
  return operatorAct({
    input: FeedInput,
    given: (visit) => ({ known: { feed_id: idOf(visit) } }),
    confirm,
    run: (operator: Operator, { feed_id: feed }, actor: Actor) =>
      setListed(operator, { feed_ids: [feed] }, actor),
    done: (visit) => backTo(visit, done),
  });
}

function backTo(visit: Visit, done: Done): Acted {
  return { kind: "go", to: `feeds/${idOf(visit)}`, done };
}
