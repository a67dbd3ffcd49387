/**
 * `feed readers` and `access list`: lists who may read feeds that are not open, and the requests for access to them.
 *
 * @module
 */
import { ACCESS_REQUEST_STATES } from "../../feeds/access_request.ts";
import {
  ACCESS_REQUESTS_CURSOR,
  type AccessGrantOutcome,
  GRANTS_CURSOR,
  listGrants,
  listRequestsForAccess,
} from "../../operator/feed_access.ts";
import { UsageError } from "../command.ts";
import { databaseCommand } from "../database_command.ts";
import { afterCursor, LIMIT_OPTION, listAnswer } from "../list_page.ts";
import { ACCOUNT_OPTION, FEED_OPTION, flag, oneOf } from "../options.ts";
import type { Columns } from "../output.ts";

const feedReaders = databaseCommand({
  words: "feed readers",
  argument: "ID",
  about: "list the accounts with access to a feed, newest first",
  options: { limit: LIMIT_OPTION, after: afterCursor(GRANTS_CURSOR) },
  run: async ({ operator, argument: feed, values: { limit, after } }) =>
    listAnswer(await listGrants(operator, { feed_id: feed, limit, cursor: after }), READER_COLUMNS),
});

const accessList = databaseCommand({
  words: "access list",
  about: "list access requests or, with --grants, access grants, newest first",
  options: {
    account: ACCOUNT_OPTION,
    feed: FEED_OPTION,
    status: oneOf(ACCESS_REQUEST_STATES, "only requests with this status"),
    grants: flag("list current grants instead of requests"),
    limit: LIMIT_OPTION,
    after: afterCursor({
      isCursor: (text) => GRANTS_CURSOR.isCursor(text) || ACCESS_REQUESTS_CURSOR.isCursor(text),
    }),
  },
  run: async ({ operator, values: { account, feed, status, grants, limit, after } }) => {
    const asked = { account_id: account, feed_id: feed, limit, cursor: after };
    if (grants !== true) {
      const page = await listRequestsForAccess(operator, { ...asked, status });
      return listAnswer(page, {
        REQUESTED: (row) => row.asked_at,
        ACCOUNT: (row) => row.account_name,
        SLUG: { whole: (row) => row.endpoint_path },
        STATUS: { whole: (row) => row.status },
        MESSAGE: (row) => row.message,
        REASON: (row) => row.reason,
        ANSWERED: (row) => row.answered_at,
        FEED: (row) => row.feed_id,
        "ACCOUNT ID": (row) => row.account_id,
      });
    }
    if (status !== undefined)
      throw new UsageError("--status applies to requests; it can't be used with --grants");
    return listAnswer(await listGrants(operator, asked), {
      ...READER_COLUMNS,
      SLUG: { whole: (row) => row.endpoint_path },
      FEED: (row) => row.feed_id,
    });
  },
});

const READER_COLUMNS: Columns<AccessGrantOutcome> = {
  GRANTED: (row) => row.granted_at,
  ACCOUNT: (row) => row.account_name,
  PRICE: (row) => (row.is_free ? "free" : "as listed"),
  UNTIL: (row) => row.expires_at,
  "ACCOUNT ID": (row) => row.account_id,
};

export const ACCESS_COMMANDS = [feedReaders, accessList];
