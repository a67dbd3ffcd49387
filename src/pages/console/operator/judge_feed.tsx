/** @jsxImportSource preact */
/**
 * One feed as an agent sees it, and what an operator can do about it.
 *
 * @module
 */
import type { TObject } from "@sinclair/typebox";
import type { OpenBatch } from "../../../feeds/feed_contents.ts";
import { DeclineFeedInput, SuspendFeedInput } from "../../../operator/feeds.ts";
import { Badge, digits, Facts, Table, Text, Time } from "../../layout/parts.tsx";
import { ActForm } from "../act_form.tsx";
import { callThenGo, operatorAct } from "../acting.ts";
import { FeedAsSeen, type ShownFeed } from "../feed_as_seen.tsx";
import { AccountLink } from "../lists.tsx";
import { OpenBatches } from "../open_batches.tsx";
import { bodyOf } from "../own_api.ts";
import { type Form, idOf, type PageRoute, type Visit } from "../visit.ts";
import { type FeedEntry, ReviewBadge, StatusBadge } from "./feed_table.tsx";

interface Push {
  readonly pushed_at: string;
  readonly stored: boolean;
  readonly code: string | null;
  readonly detail: string | null;
  readonly rows_received: number;
}

interface Review extends FeedEntry, ShownFeed {
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
    const review = bodyOf(await visit.ask<Review>(`/v1/operator/feeds/${idOf(visit)}?rows=3`));
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
    publish: {
      confirm: () => "The feed shows in catalog and search, to everybody, as soon as it is active.",
      run: (visit) => onFeed(visit, "publish", "published"),
    },
    unpublish: {
      confirm: () => "The feed leaves catalog and search. Who has its id or slug still reads it.",
      run: (visit) => onFeed(visit, "unpublish", "unpublished"),
    },
    decline: operatorAct({
      confirm: (form) =>
        `The feed stays unlisted, and its provider sees that it was declined. The reason is: ${form.text("reason")}`,
      call: (visit, form) => reasonCall(visit, form, { verb: "decline", input: DeclineFeedInput }),
      next: (visit) => ({ to: `feeds/${idOf(visit)}`, done: "declined" }),
    }),
    suspend: operatorAct({
      confirm: (form) =>
        `Nobody reads the feed or pushes to it from the next request on. The reason is: ${form.text("reason")}`,
      call: (visit, form) => reasonCall(visit, form, { verb: "suspend", input: SuspendFeedInput }),
      next: (visit) => ({ to: `feeds/${idOf(visit)}`, done: "suspended" }),
    }),
    resume: {
      confirm: () => "The feed is read and pushed to again from the next request on.",
      run: (visit) => onFeed(visit, "resume", "resumed"),
    },
    delete: {
      confirm: () => "The feed is deleted for good, with all its rows. This can't be undone.",
      run: (visit) =>
        callThenGo(
          visit,
          { method: "DELETE", path: `/v1/operator/feeds/${idOf(visit)}` },
          { to: "feeds", done: "deleted" },
        ),
    },
  },
};

function reasonCall(
  visit: Visit,
  form: Form,
  { verb, input }: { readonly verb: "decline" | "suspend"; readonly input: TObject },
) {
  const id = idOf(visit);
  return {
    input,
    path: `/v1/operator/feeds/${id}/${verb}`,
    inPath: { feed_id: id },
    body: { reason: form.text("reason") },
  };
}

function onFeed(visit: Visit, verb: string, done: "published" | "unpublished" | "resumed") {
  const id = idOf(visit);
  return callThenGo(
    visit,
    { path: `/v1/operator/feeds/${id}/${verb}` },
    { to: `feeds/${id}`, done },
  );
}
