/**
 * `audit`: lists who changed what, with the values before and after, newest first.
 *
 * @module
 */
import { ADMIN_KEY_ACTOR } from "../../accounts/actor.ts";
import { auditEventText, listAuditEvents } from "../../operator/audit.ts";
import { databaseCommand } from "../database_command.ts";
import { afterNumber, LIMIT_OPTION, listAnswer } from "../list_page.ts";
import { ACCOUNT_OPTION, FEED_OPTION, time } from "../options.ts";

/** The command `audit`. */
export const audit = databaseCommand({
  words: "audit",
  about: "list who changed what, newest first: operator commands and changes to feeds",
  options: {
    account: ACCOUNT_OPTION,
    feed: FEED_OPTION,
    since: time("earliest time, inclusive"),
    limit: LIMIT_OPTION,
    after: afterNumber("this event id"),
  },
  run: async ({ operator, values: { account, feed, since, limit, after } }) => {
    const input = { account_id: account, feed_id: feed, since, limit, cursor: after };
    return listAnswer(
      await listAuditEvents(operator, input),
      {
        TIME: (row) => row.happened_at,
        // An admin key is shown by its name. Its id has its own column, which is omitted if the table is too wide.
        ACTOR: { whole: ({ actor }) => ADMIN_KEY_ACTOR.exec(actor)?.[1] ?? actor },
        VIA: (row) => row.face,
        ACTION: { whole: (row) => row.action },
        AFTER: (row) => row.after,
        FEED: (row) => row.feed_id,
        ACCOUNT: (row) => row.account_id,
        KEY: ({ actor }) => ADMIN_KEY_ACTOR.exec(actor)?.[2] ?? null,
        BEFORE: (row) => row.before,
      },
      auditEventText,
    );
  },
});
