/**
 * A notice as one sentence, for emails.
 *
 * @module
 */
import type { NoticeTypeName } from "./notice_types.ts";

type Data = Readonly<Record<string, unknown>>;

/** `1,234.5`. */
const figure = (value: unknown) =>
  Number(value).toLocaleString("en-US", { maximumFractionDigits: 9 });
/** `2026-01-15 09:30 UTC`, of RFC 3339. */
const clock = (value: unknown) => `${String(value).slice(0, 16).replace("T", " ")} UTC`;

const SENTENCES: Readonly<Partial<Record<NoticeTypeName, (data: Data) => string>>> = {
  "feed.updated": ({ name }) => `The feed ${name} has new data.`,
  "feed.changed": ({ name }) => `The terms or the schema of the feed ${name} have changed.`,
  "feed.gone": ({ name, reason }) => `The feed ${name} can no longer be read (${reason}).`,
  "balance.low": ({ balance_credits: left }) => `The balance is low: ${figure(left)} credits left.`,
  "budget.spent": ({ name, key_id: id }) => `The key ${name ?? id} has spent its budget for today.`,
  "credits.granted": ({ credits }) => `${figure(credits)} credits were granted.`,
  "feed.late": ({ name, last_sync_at: last }) =>
    `The feed ${name} is late. Its newest push was at ${clock(last)}.`,
  "feed.recovered": ({ name }) => `The feed ${name} is up to date again.`,
  "push.refused": ({ name, refused, code }) =>
    refused === 1
      ? `A push to the feed ${name} was refused (${code}).`
      : `${refused} pushes to the feed ${name} were refused (${code}).`,
  "batch.closing": ({ name, batch_id: batch, closes_at: at }) =>
    `The open batch ${batch} of the feed ${name} will be discarded at ${clock(at)}.`,
  "feed.reviewed": ({ name, outcome, reason }) =>
    outcome === "listed"
      ? `The feed ${name} is now listed.`
      : `The operator has declined to list the feed ${name}: ${reason}`,
  "feed.suspended": ({ name, reason }) => `The operator has suspended the feed ${name}: ${reason}`,
  "access.requested": ({ name, account_name: asker }) =>
    `The account ${asker} requests access to the feed ${name}.`,
  "access.answered": ({ name, outcome, reason }) =>
    outcome === "approved"
      ? `You can now read the feed ${name}.`
      : `Your request to read the feed ${name} was declined${reason === null ? "." : `: ${reason}`}`,
  "feed.sold": ({ name, usd }) => `The feed ${name} was bought for ${figure(usd)} USD.`,
  "payout.recorded": ({ usd }) => `A payout of ${figure(usd)} USD was recorded.`,
  "webhook.disabled": ({ url, reason }) =>
    reason === "gone"
      ? `The webhook ${url} was disabled because it returned 410.`
      : `The webhook ${url} was disabled because it failed for 3 days.`,
};

export function sentenceOf(type: string, data: Data): string {
  return SENTENCES[type as NoticeTypeName]?.(data) ?? `You have a notice of type ${type}.`;
}
