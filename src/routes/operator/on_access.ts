/**
 * Operator API: grants of access to feeds, and requests for access.
 *
 * @module
 */
import { ACCESS_REQUEST, FEED_READER } from "../../api/reference/examples.ts";
import { AccessRequestShape } from "../../feeds/access_request.ts";
import {
  AccessGrantShape,
  FeedReadersInput,
  ListAccessRequestsInput,
  ListGrantsInput,
  listGrants,
  listRequestsForAccess,
} from "../../operator/feed_access.ts";
import { ACCOUNT_PROBLEMS, defineList } from "./define_route.ts";

const { note: _, ...READER } = FEED_READER;
const { feed_id, endpoint_path, feed_name } = ACCESS_REQUEST;
const GRANT = {
  shape: AccessGrantShape,
  example: { ...READER, feed_id, endpoint_path, feed_name },
};
const GRANTS_ORDER = "Newest first. Ended grants and grants for deleted feeds are omitted.";

export const ACCESS_ROUTES = [
  defineList({
    path: "/feeds/:id/readers",
    operationId: "listFeedReaders",
    summary: "List the accounts with access to a feed",
    description: GRANTS_ORDER,
    input: FeedReadersInput,
    names: { id: "feed_id" },
    name: "readers",
    $id: "FeedReaderList",
    entry: GRANT,
    problems: ["FEED_NOT_FOUND"],
    list: (operator, input) => listGrants(operator, input),
  }),
  defineList({
    path: "/access-grants",
    operationId: "listAccessGrants",
    summary: "List grants of access to feeds",
    description: GRANTS_ORDER,
    input: ListGrantsInput,
    name: "grants",
    $id: "AccessGrantList",
    entry: GRANT,
    problems: [...ACCOUNT_PROBLEMS, "FEED_NOT_FOUND"],
    list: listGrants,
  }),
  defineList({
    path: "/access-requests",
    operationId: "listAllAccessRequests",
    summary: "List access requests",
    description: "Newest first. The provider of the feed answers them.",
    input: ListAccessRequestsInput,
    name: "requests",
    $id: "AccessRequestList",
    entry: { shape: AccessRequestShape, example: ACCESS_REQUEST },
    problems: [...ACCOUNT_PROBLEMS, "FEED_NOT_FOUND"],
    list: listRequestsForAccess,
  }),
];
