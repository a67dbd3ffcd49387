/**
 * `notice list` and `notice resend`: the webhook deliveries of all accounts.
 *
 * @module
 */
import { allDeliveries, DELIVERIES_CURSOR } from "../../notices/all_deliveries.ts";
import { DELIVERY_STATUSES } from "../../notices/webhook_shapes.ts";
import { operatorsOwner, resendDelivery } from "../../notices/webhooks.ts";
import { databaseCommand } from "../database_command.ts";
import { afterCursor, LIMIT_OPTION, listAnswer } from "../list_page.ts";
import { ACCOUNT_OPTION, oneOf } from "../options.ts";
import { fields } from "../output.ts";

const noticeList = databaseCommand({
  words: "notice list",
  about: "list webhook deliveries of the last 30 days and their results, newest first",
  options: {
    account: ACCOUNT_OPTION,
    status: oneOf(DELIVERY_STATUSES, "only deliveries with this status"),
    limit: LIMIT_OPTION,
    after: afterCursor(DELIVERIES_CURSOR),
  },
  run: async ({ operator, values: { account, status, limit, after } }) => {
    const asked = { account_id: account, status, limit, cursor: after };
    return listAnswer(await allDeliveries(operator, asked), {
      CREATED: (row) => row.created_at,
      DELIVERY: (row) => row.id,
      TYPE: (row) => row.type,
      STATUS: (row) => row.status,
      ATTEMPTS: (row) => row.attempts,
      CODE: (row) => row.code,
      ACCOUNT: (row) => row.account_id,
      URL: (row) => row.url,
      ERROR: (row) => row.error,
    });
  },
});

const noticeResend = databaseCommand({
  words: "notice resend",
  argument: "DELIVERY",
  about: "have a running gateway send a notice to its webhook again",
  options: {},
  run: async ({ operator, actor, argument: delivery }) => {
    const owner = operatorsOwner(operator.database, actor);
    const resent = await resendDelivery(operator, owner, delivery);
    return {
      json: JSON.stringify(resent),
      text: fields({ delivery: resent.delivery_id, webhook: resent.webhook_id, status: "waiting" }),
    };
  },
});

export const NOTICE_COMMANDS = [noticeList, noticeResend];
