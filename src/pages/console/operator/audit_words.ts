/**
 * An event of the audit trail in plain words: the operation, and the changes.
 *
 * @module
 */

import { intervalText } from "../../../lib/interval_text.ts";
import { isObject } from "../../../lib/records.ts";
import { nanosOfCredits, usdOfCents } from "../../../money/money.ts";
import { dollars } from "../../layout/parts.tsx";
import { moneyWords, usdWords } from "../amounts.ts";

/** Kinds of events, by the first word of their actions. */
export const AUDIT_KINDS = [
  ["feed", "feeds"],
  ["rows", "deleted rows"],
  ["account", "accounts"],
  ["key", "keys"],
  ["credits", "credits"],
  ["usage", "refunds"],
  ["purchase", "purchases"],
  ["payout", "payouts"],
  ["promo", "promotion codes"],
  ["member", "members"],
  ["topup", "top-ups"],
  ["access", "access to feeds"],
  ["webhook", "webhooks"],
] as const;

const ACTIONS: Readonly<Record<string, string>> = {
  "feed create": "Feed created",
  "feed edit": "Feed edited",
  "feed delete": "Feed deleted",
  "feed suspend": "Feed suspended",
  "feed resume": "Feed resumed",
  "feed decline": "Feed declined",
  "feed publish": "Feed published",
  "feed unpublish": "Feed unpublished",
  "rows delete": "Rows deleted",
  "account create": "Account created",
  "account edit": "Account edited",
  "account suspend": "Account suspended",
  "account resume": "Account resumed",
  "key create": "Key created",
  "key edit": "Key edited",
  "key revoke": "Key revoked",
  "credits grant": "Credits added",
  "credits revoke": "Credits revoked",
  "promo create": "Promotion code created",
  "promo redeem": "Promotion code redeemed",
  "purchase record": "Feed bought",
  "purchase undo": "Purchase undone",
  "usage refund": "Call refunded",
  "payout record": "Payout recorded",
  "payout undo": "Payout reversed",
  "member invite": "Member invited",
  "member uninvite": "Invitation withdrawn",
  "member join": "Member joined",
  "member edit": "Member role changed",
  "member remove": "Member removed",
  "topup settle": "Top-up alert settled",
  "access grant": "Access granted",
  "access edit": "Access changed",
  "access end": "Access ended",
  "access invite": "Reader invited",
  "access decline": "Access request declined",
  "webhook create": "Webhook added",
  "webhook edit": "Webhook changed",
  "webhook rotate": "Webhook secret rotated",
  "webhook delete": "Webhook deleted",
};

/** What was done. */
export function auditAction(action: string): string {
  return ACTIONS[action] ?? `${action.slice(0, 1).toUpperCase()}${action.slice(1)}`;
}

type Values = Readonly<Record<string, unknown>>;

interface Changed {
  /** The changed fields as they were; empty if there was nothing. */
  readonly before: Values;
  readonly after: Values;
}

/** What the words of the action say already, or what tells people nothing. */
const UNTOLD = new Set([
  "is_public",
  "key_id",
  "entry_id",
  "draft_step",
  "deleted_at",
  "person_id",
  "invitation_id",
  "webhook_id",
  "created_at",
]);
/** What a new feed has besides, which its page shows. */
const UNTOLD_OF_NEW = new Set([
  "description",
  "readme_md",
  "schema_definition",
  "schema_version",
  "schema_locked",
  "sample_response",
  "sync_interval_mins",
  "update_frequency_text",
  "status",
]);

/** What changed, a sentence or less for each field. */
export function auditChanges({ before, after }: Changed): readonly string[] {
  const isNew = Object.keys(before).length === 0;
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return (
    names
      .filter((name) => !UNTOLD.has(name) && !(isNew && UNTOLD_OF_NEW.has(name)))
      // An amount before the balance that it makes.
      .toSorted((one, other) => Number(isAmount(other)) - Number(isAmount(one)))
      .map((name) => changeOf(name, before[name], after[name]))
      .filter((words) => words !== "")
  );
}

function isAmount(name: string): boolean {
  return name === "amount_credits";
}

function changeOf(name: string, was: unknown, is: unknown): string {
  if (isNothing(was) && isNothing(is)) return "";
  // Of a feed that is free, or that nobody wants to have listed.
  if (isNothing(was) && ((name === "price_per_1k" && numberText(is) === "0") || is === "none"))
    return "";
  if (name === "schema_locked")
    return is === true ? "schema locked" : was === true ? "schema unlocked" : "";
  if (name === "revoked_at") return "";
  // The trail has no more of a webhook's address.
  if (name === "host" && was === is) return `different address at ${wordsFor(name, is)}`;
  const label = LABELS[name] ?? name.replaceAll("_", " ");
  if (isLong(was) || isLong(is)) {
    return isNothing(was)
      ? `${label} added`
      : isNothing(is)
        ? `${label} removed`
        : `${label} changed`;
  }
  if (isNothing(was)) return `${label}: ${wordsFor(name, is)}`;
  if (isNothing(is)) return `${label} removed, was ${wordsFor(name, was)}`;
  return `${label}: ${wordsFor(name, was)} → ${wordsFor(name, is)}`;
}

const LABELS: Readonly<Record<string, string>> = {
  endpoint_path: "slug",
  readme_md: "README",
  feed_type: "type",
  schema_definition: "schema",
  sample_response: "sample",
  sync_interval_mins: "push interval",
  update_frequency_text: "update frequency",
  price_type: "pricing",
  price_per_1k: "price",
  one_time_price_cents: "price",
  retention_days: "retention (days)",
  suspension_reason: "reason",
  review_reason: "reason",
  max_feeds_allowed: "feed limit",
  daily_credits: "daily budget",
  feed_ids: "limited to feeds",
  expires_at: "expires",
  is_active: "active",
  types: "notices",
  amount_credits: "amount",
  balance_credits: "balance",
  max_redemptions: "redemption limit",
  payout_id: "payout",
  undoes_payout_id: "reverses payout",
};

function isNothing(value: unknown): boolean {
  return value === null || value === undefined;
}

/** Whether a value is too long to show: a schema or sample, or a text of which the trail has the beginning alone. */
function isLong(value: unknown): boolean {
  return isObject(value) && !("rawJSON" in value);
}

const VALUE_CHARACTERS = 80;

function wordsFor(name: string, value: unknown): string {
  const text = numberText(value);
  if (name.endsWith("_credits") && text !== undefined) {
    const nanos = nanosOfCredits(text) ?? 0n;
    return name === "amount_credits" ? moneyWords(nanos) : usdWords(nanos);
  }
  if (name === "price_per_1k" && text !== undefined) return `${dollars(text)} USD per 1,000 calls`;
  if (name === "one_time_price_cents" && text !== undefined) {
    return `${dollars(usdOfCents(BigInt(text)))} USD once`;
  }
  if (name === "sync_interval_mins" && text !== undefined) return intervalText(Number(text));
  if (name === "price_type") return PRICINGS[String(value)] ?? String(value);
  if (name.endsWith("_at") && typeof value === "string") {
    const time = new Date(value);
    if (!Number.isNaN(time.getTime())) {
      return `${time.toISOString().slice(0, MINUTE_LENGTH).replace("T", " ")} UTC`;
    }
  }
  return shortened(typeof value === "string" ? value : (text ?? JSON.stringify(value)));
}

const PRICINGS: Readonly<Record<string, string>> = {
  free: "free",
  metered: "per call",
  one_time: "one-time",
};
const MINUTE_LENGTH = "2026-11-21T10:00".length;

/** The digits of a number, as it stands in the trail. */
function numberText(value: unknown): string | undefined {
  if (typeof value === "number") return String(value);
  return typeof value === "object" && value !== null && "rawJSON" in value
    ? String(value.rawJSON)
    : undefined;
}

function shortened(text: string): string {
  return text.length > VALUE_CHARACTERS
    ? `${text.slice(0, VALUE_CHARACTERS).toWellFormed()}…`
    : text;
}
