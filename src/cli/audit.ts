/**
 * `audit`: who changed what, before and after, newest first.
 *
 * The trail is written by the database with each change; this command reads it.
 *
 * @module
 */
import type { Row } from "../postgres/client/query.ts";
import { command } from "./command.ts";
import { withDatabase } from "./database.ts";
import { LIMIT_OPTION, readPage } from "./list_page.ts";
import { ACCOUNT_OPTION, count, text, time } from "./options.ts";
import { shown, table } from "./output.ts";
import { findAccount, findFeed } from "./references.ts";

const EVENTS_MAX = Number.MAX_SAFE_INTEGER;
const REFERENCE_LENGTH_MAX = 200;

const audit = command({
  words: "audit",
  about: "list who changed what, newest first: operator commands, create and edit",
  options: {
    account: ACCOUNT_OPTION,
    feed: text({
      placeholder: "ID",
      about: "the feed, by id or slug",
      lengthMax: REFERENCE_LENGTH_MAX,
    }),
    since: time("inclusive lower bound"),
    limit: LIMIT_OPTION,
    after: count(
      "go on behind the event of this id; a page that is not the last one tells it",
      EVENTS_MAX,
    ),
  },
  run: ({ config, values }) =>
    withDatabase(config, async (database) => {
      const { account, feed, since = null, after } = values;
      const owner = account === undefined ? undefined : await findAccount(database, account);
      const about = feed === undefined ? undefined : await findFeed(database, feed);
      const before = after === undefined ? null : BigInt(after);
      const { rows, more } = await readPage(values.limit, {
        read: (limit) =>
          database.rows("list_audit_events", [
            owner?.account_id ?? null,
            about?.feed_id ?? null,
            since,
            before,
            limit,
          ]),
        cursorOf: (row) => row.event_id,
      });
      return {
        more,
        json: `[${rows.map(eventText).join(",")}]`,
        text: table(
          ["WHEN", "WHO", "WHAT", "ACCOUNT", "FEED", "BEFORE", "AFTER"],
          rows.map((row) => [
            row.happened_at,
            shown(row.actor),
            row.action,
            shown(row.account_id),
            shown(row.feed_id),
            shown(row.before),
            shown(row.after),
          ]),
        ),
      };
    }),
});

export const AUDIT_COMMANDS = [audit];

function eventText(row: Row<"list_audit_events">): string {
  const { before, after, event_id: id, ...rest } = row;
  const plain = JSON.stringify(rest).slice(1, -1);
  return `{"id":${id},${plain},"before":${before ?? "null"},"after":${after ?? "null"}}`;
}
