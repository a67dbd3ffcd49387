/**
 * The form of the consent page: how much the agent may spend, which feeds it may read, and until when.
 *
 * @module
 */

import { type Feeds, seekerOf } from "../feeds/find.ts";
import { MS_PER_DAY } from "../lib/time_units.ts";
import { AGENT_DAYS_DEFAULT, AGENT_DAYS_MAX, AGENT_FEEDS_MAX } from "../limits.ts";
import { nanosOfCredits, nanosOfUsd, usdText, withoutGroups } from "../money/money.ts";
import { AMOUNT_NANOS_MAX } from "../operator/common_shapes.ts";

/** The fields as the page shows them, with the user's input. */
export interface ConsentFields {
  /** USD a day. */
  readonly usd: string;
  readonly isAllFeeds: boolean;
  /** Ids of selected feeds. */
  readonly feedIds: readonly string[];
  /** Ids or slugs. */
  readonly otherFeeds: string;
  readonly days: string;
}

export type ConsentInput =
  | {
      readonly kind: "input";
      readonly dailyNanos: bigint;
      /** Null means all. */
      readonly feedIds: readonly string[] | null;
      readonly keyEndsAt: Date;
    }
  /** One sentence per mistake. */
  | { readonly kind: "mistakes"; readonly mistakes: readonly string[] };

const TYPED_LENGTH_MAX = 10_000;

export function proposedFields(dailyCredits: number): ConsentFields {
  return {
    usd: withCents(usdText(nanosOfCredits(String(dailyCredits)) ?? 0n)),
    isAllFeeds: true,
    feedIds: [],
    otherFeeds: "",
    days: String(AGENT_DAYS_DEFAULT),
  };
}

/** `2` as `2.00`. */
function withCents(usd: string): string {
  const [whole = "", fraction = ""] = usd.split(".");
  return `${whole}.${fraction.padEnd(2, "0")}`;
}

export function fieldsOf(form: URLSearchParams): ConsentFields {
  return {
    usd: (form.get("daily_usd") ?? "").trim(),
    isAllFeeds: form.get("feeds") === "all",
    feedIds: form.getAll("feed_id"),
    otherFeeds: (form.get("other_feeds") ?? "").slice(0, TYPED_LENGTH_MAX),
    days: (form.get("days") ?? "").trim(),
  };
}

interface Around {
  readonly feeds: Feeds;
  readonly accountId: string;
  readonly nowMs: number;
  /** When the key with which the user has signed in ends. Undefined if it never does. */
  readonly endsBeforeMs: number | undefined;
}

export async function readConsent(
  fields: ConsentFields,
  { feeds, accountId, nowMs, endsBeforeMs }: Around,
): Promise<ConsentInput> {
  const mistakes: string[] = [];
  const dailyNanos = nanosOfUsd(withoutGroups(fields.usd)) ?? 0n;
  if (dailyNanos <= 0n || dailyNanos > AMOUNT_NANOS_MAX) {
    mistakes.push(
      `The budget must be a USD amount above 0 and up to ${usdText(AMOUNT_NANOS_MAX)}, with at most 9 decimal places.`,
    );
  }
  const days = /^\d{1,3}$/.test(fields.days) ? Number(fields.days) : 0;
  if (days < 1 || days > AGENT_DAYS_MAX) {
    mistakes.push(`Days must be a whole number from 1 to ${AGENT_DAYS_MAX}.`);
  }
  const typed = fields.otherFeeds.split(/[\s,]+/).filter(Boolean);
  const references = [...fields.feedIds, ...typed];
  const feedIds = fields.isAllFeeds ? null : new Set<string>();
  if (feedIds === null) {
    // A user who has named feeds does not want a key for all feeds.
    if (references.length > 0) {
      mistakes.push(
        "You chose “All feeds” but also selected some. Choose “Only these”, or clear the selection.",
      );
    }
  } else {
    if (references.length === 0) mistakes.push("Choose at least one feed, or all feeds.");
    if (references.length > AGENT_FEEDS_MAX) {
      mistakes.push(`Choose at most ${AGENT_FEEDS_MAX} feeds, or all feeds.`);
    } else {
      for (const reference of references) {
        const feed = await feeds.find(seekerOf(accountId), reference.toLowerCase());
        if (feed === undefined) mistakes.push(`No active feed has the id or slug "${reference}".`);
        else feedIds.add(feed.feedId);
      }
    }
  }
  if (mistakes.length > 0) return { kind: "mistakes", mistakes };
  const endsMs = Math.min(nowMs + days * MS_PER_DAY, endsBeforeMs ?? Number.POSITIVE_INFINITY);
  return {
    kind: "input",
    dailyNanos,
    feedIds: feedIds && [...feedIds],
    keyEndsAt: new Date(endsMs),
  };
}
