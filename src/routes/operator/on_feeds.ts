/**
 * Operator API: feeds and the audit trail.
 *
 * @module
 */
import { FeedRowShape } from "../../feeds/feed_shapes.ts";
import { type FeedRow, feedRowText } from "../../feeds/feed_text.ts";
import { present } from "../../lib/assert.ts";
import type { Reply } from "../../operator/act_once.ts";
import {
  AuditEventShape,
  auditEventText,
  ListAuditEventsInput,
  listAuditEvents,
} from "../../operator/audit.ts";
import {
  DeclineFeedInput,
  declineFeed,
  deleteFeed,
  FeedInput,
  type FeedReview,
  FeedReviewShape,
  feedReviewText,
  ListFeedsInput,
  listFeeds,
  publishFeeds,
  ReviewFeedInput,
  resumeFeed,
  reviewFeed,
  SuspendFeedInput,
  suspendFeed,
  unpublishFeeds,
} from "../../operator/feeds.ts";
import type { Operator } from "../../operator/operator.ts";
import { ACCOUNT_PROBLEMS, defineList, defineRoute } from "./define_route.ts";
import { AUDIT_EVENT, FEED, FEED_REVIEW } from "./operator_examples.ts";

const BY_FEED = { id: "feed_id" };
const FEED_PROBLEMS = ["FEED_NOT_FOUND", "FEED_DELETED"] as const;
const FEED_ANSWER = { shape: FeedRowShape, example: FEED };
const REVIEW_ANSWER = { shape: FeedReviewShape, example: FEED_REVIEW };

export const FEED_ROUTES = [
  defineList({
    path: "/feeds",
    operationId: "listAllFeeds",
    summary: "List feeds",
    description: "In any state except deleted, newest first.",
    input: ListFeedsInput,
    name: "feeds",
    $id: "FeedList",
    entry: { shape: FeedRowShape, example: FEED },
    problems: ACCOUNT_PROBLEMS,
    list: listFeeds,
    textOf: (row, { limits }) => feedRowText(row, limits),
  }),
  defineRoute({
    method: "GET",
    path: "/feeds/:id",
    operationId: "reviewFeed",
    summary: "Show a feed for review",
    description: "In any state: its description, its size, its newest rows and pushes.",
    input: ReviewFeedInput,
    names: BY_FEED,
    answers: { 200: REVIEW_ANSWER },
    problems: ["FEED_NOT_FOUND", "REPORT_TOO_LONG"],
    act: async ({ operator }, input) => reviewReply(operator, await reviewFeed(operator, input)),
  }),
  defineRoute({
    method: "DELETE",
    path: "/feeds/:id",
    operationId: "deleteAnyFeed",
    summary: "Delete a feed permanently",
    description: "A background job removes its rows. Deleting it again has no effect.",
    input: FeedInput,
    names: BY_FEED,
    answers: { 200: REVIEW_ANSWER },
    problems: ["FEED_NOT_FOUND"],
    act: async ({ operator, actor }, input) =>
      reviewReply(operator, await deleteFeed(operator, input, actor)),
  }),
  defineRoute({
    method: "POST",
    path: "/feeds/:id/publish",
    operationId: "publishFeed",
    summary: "List a feed in catalog and search",
    description: "A draft is shown once it is active.",
    input: FeedInput,
    names: BY_FEED,
    isSafeToRepeat: true,
    answers: { 200: FEED_ANSWER },
    problems: FEED_PROBLEMS,
    act: async ({ operator, actor }, { feed_id: feed }) =>
      feedReply(operator, await publishFeeds(operator, { feed_ids: [feed] }, actor)),
  }),
  defineRoute({
    method: "POST",
    path: "/feeds/:id/unpublish",
    operationId: "unpublishFeed",
    summary: "Remove a feed from catalog and search",
    description: "It can still be read by its id.",
    input: FeedInput,
    names: BY_FEED,
    isSafeToRepeat: true,
    answers: { 200: FEED_ANSWER },
    problems: FEED_PROBLEMS,
    act: async ({ operator, actor }, { feed_id: feed }) =>
      feedReply(operator, await unpublishFeeds(operator, { feed_ids: [feed] }, actor)),
  }),
  defineRoute({
    method: "POST",
    path: "/feeds/:id/decline",
    operationId: "declineFeed",
    summary: "Decline to list a feed",
    description: "The provider sees the reason and may ask again.",
    input: DeclineFeedInput,
    names: BY_FEED,
    example: { reason: "the sample has no id" },
    isSafeToRepeat: true,
    answers: { 200: REVIEW_ANSWER },
    problems: [...FEED_PROBLEMS, "FEED_LISTED"],
    act: async ({ operator, actor }, input) =>
      reviewReply(operator, await declineFeed(operator, input, actor)),
  }),
  defineRoute({
    method: "POST",
    path: "/feeds/:id/suspend",
    operationId: "suspendFeed",
    summary: "Suspend a feed",
    description: "Reads and pushes are refused from the next request. No data is deleted.",
    input: SuspendFeedInput,
    names: BY_FEED,
    example: { reason: "a complaint about its license" },
    isSafeToRepeat: true,
    answers: {
      200: {
        shape: FeedReviewShape,
        example: { ...FEED_REVIEW, suspension_reason: "a complaint about its license" },
      },
    },
    problems: FEED_PROBLEMS,
    act: async ({ operator, actor }, input) =>
      reviewReply(operator, await suspendFeed(operator, input, actor)),
  }),
  defineRoute({
    method: "POST",
    path: "/feeds/:id/resume",
    operationId: "resumeFeed",
    summary: "Resume a feed",
    input: FeedInput,
    names: BY_FEED,
    isSafeToRepeat: true,
    answers: { 200: REVIEW_ANSWER },
    problems: FEED_PROBLEMS,
    act: async ({ operator, actor }, input) =>
      reviewReply(operator, await resumeFeed(operator, input, actor)),
  }),
];

export const AUDIT_ROUTES = [
  defineList({
    path: "/audit",
    operationId: "listAuditEvents",
    summary: "List the audit trail",
    description: "Who changed what, newest first, with the changed fields before and after.",
    input: ListAuditEventsInput,
    name: "events",
    $id: "AuditTrail",
    entry: { shape: AuditEventShape, example: AUDIT_EVENT },
    problems: [...ACCOUNT_PROBLEMS, "FEED_NOT_FOUND", "RANGE_INVALID"],
    list: listAuditEvents,
    textOf: auditEventText,
  }),
];

/** The response of a route that changes one feed. */
function feedReply({ limits }: Operator, [row]: readonly FeedRow[]): Reply {
  return { status: 200, body: feedRowText(present(row), limits) };
}

function reviewReply(operator: Operator, review: FeedReview): Reply {
  return { status: 200, body: feedReviewText(review, operator) };
}
