/**
 * `topup list`, `topup settle` and `report topups`: accounts' own payments for credits.
 *
 * @module
 */
import { listTopups, reportTopups, settleTopup, TOPUPS_CURSOR } from "../../operator/topups.ts";
import { TOPUP_STATUSES, TOPUP_WAYS } from "../../shapes.ts";
import { databaseCommand } from "../database_command.ts";
import { afterCursor, LIMIT_OPTION, listAnswer } from "../list_page.ts";
import { ACCOUNT_OPTION, day, flag, oneOf } from "../options.ts";
import { fields, table } from "../output.ts";
import { REASON_OPTION } from "./ledger_answer.ts";

const topupList = databaseCommand({
  words: "topup list",
  about: "list top-ups, paid or awaiting payment, newest first",
  options: {
    account: ACCOUNT_OPTION,
    way: oneOf(TOPUP_WAYS, "only top-ups by this payment method"),
    status: oneOf(TOPUP_STATUSES, "only top-ups with this status"),
    alerts: flag("only top-ups that need attention"),
    limit: LIMIT_OPTION,
    after: afterCursor(TOPUPS_CURSOR),
  },
  run: async ({ operator, values: { account, way, status, alerts, limit, after } }) => {
    const asked = { account_id: account, way, status, alerts, limit, cursor: after };
    return listAnswer(await listTopups(operator, asked), {
      CREATED: (row) => row.created_at,
      ID: (row) => row.topup_id,
      ACCOUNT: (row) => row.account_id,
      METHOD: (row) => row.way,
      STATUS: (row) => row.status,
      USD: (row) => row.usd.rawJSON,
      ALERT: (row) => row.alert?.replaceAll("\n", "; ") ?? row.last_error,
      REVERSED: (row) => row.taken_back_usd.rawJSON,
      REFERENCE: (row) => row.reference,
    });
  },
});

const topupReport = databaseCommand({
  words: "report topups",
  about: "show money received, by payment method",
  options: {
    since: day("first day, in UTC; default 30 days including the last"),
    until: day("last day, in UTC; default today"),
  },
  run: async ({ operator, values: { since, until } }) => {
    const report = await reportTopups(operator, { from: since, to: until });
    return {
      json: JSON.stringify(report),
      text: table(report.ways, {
        METHOD: (row) => row.way,
        GRANTED: (row) => row.granted,
        "PAID USD": (row) => row.paid_usd.rawJSON,
        "REVERSED USD": (row) => row.taken_back_usd.rawJSON,
        "UNRECOVERED USD": (row) => row.unrecovered_usd.rawJSON,
        EXPIRED: (row) => row.expired,
        ALERTS: (row) => row.alerts,
      }),
    };
  },
});

const topupSettle = databaseCommand({
  words: "topup settle",
  argument: "TOPUP_ID",
  about: "clear the alert of a top-up, after you have settled the issue",
  options: { reason: REASON_OPTION },
  run: async ({ operator, actor, values: { reason }, argument: topupId, output }) => {
    const settled = await settleTopup(operator, { topup_id: topupId, reason }, actor);
    if (!settled.is_settled) output.note("this top-up has no alert; nothing was changed\n");
    return {
      json: JSON.stringify(settled),
      text: fields({
        "top-up": settled.topup_id,
        settled: settled.is_settled ? "yes" : "no alert",
      }),
    };
  },
});

export const TOPUP_COMMANDS = [topupList, topupSettle, topupReport];
