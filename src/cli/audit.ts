/**
 * `audit`: who changed what, before and after, newest first.
 *
 * Triggers of the database write the trail with each change; this command reads it.
 *
 * @module
 */
import type { Row } from "../postgres/client/query.ts";
import { databaseCommand } from "./database.ts";
import { afterNumber, LIMIT_OPTION, listAnswer } from "./list_page.ts";
import { ACCOUNT_OPTION, FEED_OPTION, time } from "./options.ts";
import { accountIdOf, feedIdOf } from "./references.ts";

/** The command `audit`. */
export const audit = databaseCommand({
  words: "audit",
  about: "list who changed what, newest first: operator commands, create and edit",
  options: {
    account: ACCOUNT_OPTION,
    feed: FEED_OPTION,
    since: time("inclusive lower bound"),
    limit: LIMIT_OPTION,
    after: afterNumber("the event of this id"),
  },
  run: async ({ database, values }) => {
    const { since = null, after = null } = values;
    const accountId = await accountIdOf(database, values.account);
    const feedId = await feedIdOf(database, values.feed);
    return listAnswer(values.limit, {
      read: (limit) => database.rows("list_audit_events", [accountId, feedId, since, after, limit]),
      cursorOf: (row) => row.event_id,
      json: eventText,
      columns: {
        WHEN: (row) => row.happened_at,
        WHO: (row) => row.actor,
        WHAT: (row) => row.action,
        AFTER: (row) => row.after,
        FEED: (row) => row.feed_id,
        ACCOUNT: (row) => row.account_id,
        BEFORE: (row) => row.before,
      },
    });
  },
});

/** `before` and `after` are JSON texts already. */
function eventText(row: Row<"list_audit_events">): string {
  const { before, after, event_id: id, ...rest } = row;
  const plain = JSON.stringify(rest).slice(1, -1);
  return `{"id":${id},${plain},"before":${before ?? "null"},"after":${after ?? "null"}}`;
}
