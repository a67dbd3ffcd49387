/**
 * Limits of top-ups: the amount that may be paid in a day, and the share of it that may be pending.
 *
 * @module
 */
import { Problem } from "../http/problem_details.ts";
import { unreachable } from "../lib/assert.ts";
import { isPublicAddress, networkOf } from "../lib/public_address.ts";
import { AGENT_TOPUPS_WAITING_MAX, TOPUP_DAY_PARTS, TOPUPS_WAITING_MAX } from "../limits.ts";
import { NANOS_PER_CENT } from "../money/money_units.ts";
import type { Services } from "../services.ts";
import type { BegunTopup, DayLimits } from "./store_topup.ts";

/** The amount that may be paid in a UTC day, and the share of it that may be pending. */
export function dayLimits({ config }: Pick<Services, "config">): DayLimits {
  const dayNanos = nanosOfWholeUsd(config.topups?.dayUsd);
  return {
    accountDayNanos: nanosOfWholeUsd(config.topups?.accountDayUsd),
    dayNanos,
    waiting:
      dayNanos === undefined
        ? undefined
        : {
            accountNanos: dayNanos / TOPUP_DAY_PARTS.account,
            networkNanos: dayNanos / TOPUP_DAY_PARTS.network,
            keylessNanos: dayNanos / TOPUP_DAY_PARTS.keyless,
            allNanos: dayNanos / TOPUP_DAY_PARTS.all,
          },
  };
}

/** The network of a caller. Undefined for a private address, which may belong to an untrusted proxy. */
export function networkOfCaller(address: string): string | undefined {
  return isPublicAddress(address) ? networkOf(address) : undefined;
}

const CENTS_PER_USD = 100n;

function nanosOfWholeUsd(usd: number | undefined): bigint | undefined {
  return usd === undefined ? undefined : BigInt(usd) * CENTS_PER_USD * NANOS_PER_CENT;
}

/** The problem of an order that was refused, so that no top-up was stored. */
export function problemOfBegin(kind: Exclude<BegunTopup["kind"], "begun" | "repeated">): Problem {
  switch (kind) {
    case "key_reused":
      return new Problem("IDEMPOTENCY_KEY_REUSED", {
        detail: ({ idempotencyKey }) =>
          `This ${idempotencyKey} was used for a different top-up in the last 24 hours. Send a new one.`,
      });
    case "payment_taken":
      return new Problem("TOPUP_LIMIT", {
        detail: "This payment was already used for another top-up. Create a new one.",
      });
    case "too_many_waiting":
      return new Problem("TOPUP_LIMIT", {
        detail: `${TOPUPS_WAITING_MAX} top-ups of this account are waiting to be paid. Pay one of them, or wait until one expires.`,
      });
    case "too_many_of_agent":
      return new Problem("TOPUP_LIMIT", {
        detail: `${AGENT_TOPUPS_WAITING_MAX} top-ups of this agent are waiting to be paid. Ask your user to pay one of them, or wait until one expires.`,
      });
    case "account_day_full":
      return new Problem("TOPUP_LIMIT", {
        detail:
          "This account would exceed the operator's daily limit for top-ups. Request less, or try again tomorrow (UTC).",
      });
    case "day_full":
      return new Problem("TOPUP_LIMIT", {
        detail:
          "The gateway accepts no more payments of this amount today. Request less, or try again tomorrow (UTC).",
      });
    case "waiting_full":
      return new Problem("TOPUP_LIMIT", {
        detail:
          "Too many top-ups are waiting to be paid, for this account, this network or this gateway. Pay them, request less, or try again once they have expired.",
      });
    default:
      return unreachable(kind);
  }
}
