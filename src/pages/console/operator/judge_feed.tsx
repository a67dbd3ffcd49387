/** @jsxImportSource preact */
/**
 * One feed as an agent sees it, and what an operator can do about it.
 *
 * @module
 */
import type { Actor } from "../../../accounts/actor.ts";
import type { OpenBatch } from "../../../feeds/feed_contents.ts";
import {
  DeclineFeedInput,
  declineFeed,
  deleteFeed,
  FeedInput,
  feedReviewText,
  publishFeeds,
  resumeFeed,
  reviewFeed,
  SuspendFeedInput,
  suspendFeed,
  unpublishFeeds,
} from "../../../operator/feeds.ts";
import type { Operator } from "../../../operator/operator.ts";
import { Badge, digits, Facts, Table, Text, Time } from "../../layout/parts.tsx";
import { ActForm } from "../act_form.tsx";
import { parseExact } from "../exact_values.ts";
import { FeedAsSeen, type ShownFeed } from "../feed_as_seen.tsx";
import { AccountLink } from "../lists.tsx";
import { OpenBatches } from "../open_batches.tsx";
import { type Acted, type Change, type Done, idOf, type PageRoute, type Visit } from "../visit.ts";
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
  async show(visit, form) {
    const { operator } = visit;
    const found = await reviewFeed(operator, { feed_id: idOf(visit), rows: ROWS_SHOWN });
    // As JSON, since schema, sample and rows are the provider's own JSON.
    const review = parseExact<Review>(feedReviewText(found, operator));
    const isDeleted = review.deleted_at !== undefined;
    const isSuspended = review.suspension_reason !== undefined;
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
              "Suspended because": review.suspension_reason && (
                <Text of={review.suspension_reason} />
              ),
              Provider: (
                <AccountLink visit={visit} id={review.provider.id} name={review.provider.name} />
              ),
              Holds: `${digits(review.row_count)} rows, ${digits(review.bytes)} bytes`,
              "Last push": <Time of={review.last_sync_at} />,
              Id: <code>{review.id}</code>,
            }}
          />
          {!isDeleted && (
            <>
              <ActForm
                buttons={[
                  review.is_public
                    ? { act: "unpublish", text: "Take off the catalog", tone: "quiet" }
                    : { act: "publish", text: "Publish" },
                  ...(isSuspended
                    ? [{ act: "resume", text: "End the suspension", tone: "quiet" } as const]
                    : []),
                  { act: "delete", text: "Delete", tone: "danger" },
                ]}
              />
              <ActForm
                form={form}
                fields={[
                  { name: "reason", label: "Reason, which the provider sees", isRequired: true },
                ]}
                buttons={[
                  ...(review.is_public
                    ? []
                    : [{ act: "decline", text: "Decline", tone: "quiet" } as const]),
                  ...(isSuspended
                    ? []
                    : [{ act: "suspend", text: "Suspend", tone: "danger" } as const]),
                ]}
              />
            </>
          )}
          <h2>As an agent sees it</h2>
          <FeedAsSeen feed={review} />
          <h2>Newest rows</h2>
          {review.newest_rows.length === 0 ? (
            <div class="empty">It has no rows that readers see.</div>
          ) : (
            review.newest_rows.map((row) => (
              <pre>
                <Text of={JSON.stringify(row, null, 2)} />
              </pre>
            ))
          )}
          <OpenBatches of={review.open_batches} />
          <h2>Newest pushes</h2>
          <Table
            label="Pushes"
            rows={review.pushes}
            columns={[
              { head: "When", kind: "when", cell: (push) => <Time of={push.pushed_at} /> },
              {
                head: "Outcome",
                cell: (push) =>
                  push.stored ? (
                    <Badge tone="good">stored</Badge>
                  ) : (
                    <Badge tone="bad">{push.code}</Badge>
                  ),
              },
              { head: "Rows", kind: "num", cell: (push) => digits(push.rows_received) },
              { head: "Why not", cell: (push) => <Text of={push.detail} /> },
            ]}
            empty="Nobody has pushed to it yet."
          />
        </>
      ),
    };
  },
  acts: {
    publish: listingAct(
      publishFeeds,
      "The feed shows in catalog and search, to everybody, as soon as it is active.",
      "published",
    ),
    unpublish: listingAct(
      unpublishFeeds,
      "The feed leaves catalog and search. Who has its id or slug still reads it.",
      "unpublished",
    ),
    decline: operatorAct({
      input: DeclineFeedInput,
      given: (visit, form) => ({
        known: { feed_id: idOf(visit) },
        typed: { reason: form.text("reason") },
      }),
      confirm: (form) =>
        `The feed stays unlisted, and its provider sees that it was declined. The reason is: ${form.text("reason")}`,
      run: declineFeed,
      done: (visit) => backTo(visit, "declined"),
    }),
    suspend: operatorAct({
      input: SuspendFeedInput,
      given: (visit, form) => ({
        known: { feed_id: idOf(visit) },
        typed: { reason: form.text("reason") },
      }),
      confirm: (form) =>
        `Nobody reads the feed or pushes to it from the next request on. The reason is: ${form.text("reason")}`,
      run: suspendFeed,
      done: (visit) => backTo(visit, "suspended"),
    }),
    resume: operatorAct({
      input: FeedInput,
      given: (visit) => ({ known: { feed_id: idOf(visit) } }),
      confirm: () => "The feed is read and pushed to again from the next request on.",
      run: resumeFeed,
      done: (visit) => backTo(visit, "resumed"),
    }),
    delete: operatorAct({
      input: FeedInput,
      given: (visit) => ({ known: { feed_id: idOf(visit) } }),
      confirm: () => "The feed is deleted for good, with all its rows. This can't be undone.",
      run: deleteFeed,
      done: () => ({ kind: "go", to: "feeds", done: "deleted" }),
    }),
  },
};

type SetListed = typeof publishFeeds;

function listingAct(setListed: SetListed, sentence: string, done: Done): Change {
  return operatorAct({
    input: FeedInput,
    given: (visit) => ({ known: { feed_id: idOf(visit) } }),
    confirm: () => sentence,
    run: (operator: Operator, { feed_id: feed }, actor: Actor) =>
      setListed(operator, { feed_ids: [feed] }, actor),
    done: (visit) => backTo(visit, done),
  });
}

function backTo(visit: Visit, done: Done): Acted {
  return { kind: "go", to: `feeds/${idOf(visit)}`, done };
}
