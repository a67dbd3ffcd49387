/**
 * Top-ups: stored before a payment is requested, and granted once when the money has arrived.
 *
 * Each change is one statement, so any number of processes may receive messages about the same payment, repeatedly and
 * in any order. A grant is a ledger entry like an operator's, with the payment's own reference. Money that arrived but
 * can't be granted is an alert, which stays with the top-up until an operator has settled it. See `src/spec/beyond.md`,
 * section 15.
 *
 * @module
 */
import type { Actor } from "../accounts/actor.ts";
import { nameIn, present, unreachable } from "../lib/assert.ts";
import type { Log } from "../lib/log.ts";
import { intervalOf } from "../lib/time_units.ts";
import { sha256 } from "../lib/token.ts";
import {
  AGENT_TOPUPS_WAITING_MAX,
  IDEMPOTENCY_TTL_MS,
  TOPUP_FIRST_ASKED_MS,
  TOPUPS_WAITING_MAX,
} from "../limits.ts";
import type { Database, Row } from "../postgres/client/database.ts";
import type { Payment, PayPage, Topup, WayName } from "./way.ts";

/** Limits of payments in a UTC day. Undefined means any amount. */
export interface DayLimits {
  readonly accountDayNanos: bigint | undefined;
  readonly dayNanos: bigint | undefined;
  /** The parts of `dayNanos` that may be pending. */
  readonly waiting?: WaitingLimits | undefined;
}

/** Nano-dollars. */
interface WaitingLimits {
  readonly accountNanos: bigint;
  readonly networkNanos: bigint;
  /** Shared by all callers without a key. */
  readonly keylessNanos: bigint;
  readonly allNanos: bigint;
}

/** The amount to be paid, and the account that pays. */
export interface TopupOrder {
  /** Null if it is not known yet. */
  readonly accountId: string | null;
  readonly keyId: string | null;
  readonly way: WayName;
  readonly amountNanos: bigint;
  /** How long it can be paid from now, in milliseconds. */
  readonly lifetimeMs: number;
  /** The payment method's own id of the payment, if there is one already: the same payment gets the same top-up. */
  readonly paymentId?: string;
  readonly details?: object;
  /** With the same account and key, a call gets the same top-up for 24 hours. */
  readonly idempotencyKey?: string | undefined;
  /** The caller's network. Undefined if it is not known. */
  readonly network?: string | undefined;
}

const BEGIN_REFUSALS = [
  "key_reused",
  "payment_taken",
  "too_many_waiting",
  "too_many_of_agent",
  "account_day_full",
  "day_full",
  "waiting_full",
] as const;
const BEGIN_OUTCOMES = ["begun", "repeated", ...BEGIN_REFUSALS] as const;

export type BegunTopup =
  | { readonly kind: "begun" | "repeated"; readonly topup: Topup }
  | { readonly kind: (typeof BEGIN_REFUSALS)[number] };

/** Stores an order for a top-up. */
export async function beginTopup(
  database: Database,
  order: TopupOrder,
  { accountDayNanos, dayNanos, waiting }: DayLimits,
): Promise<BegunTopup> {
  const { idempotencyKey } = order;
  const row = await database.row("begin_topup", {
    account_id: order.accountId,
    key_id: order.keyId,
    way: order.way,
    amount_nanos: order.amountNanos,
    payment_id: order.paymentId ?? null,
    details: JSON.stringify(order.details ?? {}),
    idempotency_hash: idempotencyKey === undefined ? null : sha256(idempotencyKey),
    idempotency_age: intervalOf(IDEMPOTENCY_TTL_MS),
    lifetime: intervalOf(order.lifetimeMs),
    first_asked: intervalOf(TOPUP_FIRST_ASKED_MS),
    waiting_max: TOPUPS_WAITING_MAX,
    agent_waiting_max: AGENT_TOPUPS_WAITING_MAX,
    account_day_nanos: accountDayNanos ?? null,
    day_nanos: dayNanos ?? null,
    network: order.network ?? null,
    waiting_account_nanos: waiting?.accountNanos ?? null,
    waiting_network_nanos: waiting?.networkNanos ?? null,
    waiting_keyless_nanos: waiting?.keylessNanos ?? null,
    waiting_all_nanos: waiting?.allNanos ?? null,
  });
  const { outcome, topup_id: topupId } = present(row);
  const kind = nameIn(BEGIN_OUTCOMES, outcome);
  if (kind !== "begun" && kind !== "repeated") return { kind };
  return { kind, topup: await requireTopup(database, present(topupId)) };
}

/** The top-up that an account has ordered under an Idempotency-Key in the last 24 hours. */
export async function findTopupOfOrder(
  database: Database,
  accountId: string,
  idempotencyKey: string,
): Promise<Topup | undefined> {
  const row = await database.row("find_topup_of_order", {
    account_id: accountId,
    idempotency_hash: sha256(idempotencyKey),
    idempotency_age: intervalOf(IDEMPOTENCY_TTL_MS),
  });
  return row && findTopup(database, row.topup_id);
}

/** The current state of a top-up. Undefined if there is none. */
export function findTopup(database: Database, topupId: string): Promise<Topup | undefined> {
  return database.row("find_topup", { topup_id: topupId });
}

/** Stores the address at which a top-up can be paid. */
export async function notePayPage(
  database: Database,
  { topup_id: topupId }: Topup,
  { paymentId, payUrl, expiresAt }: PayPage,
): Promise<Topup> {
  await database.row("note_topup_payment", {
    topup_id: topupId,
    payment_id: paymentId,
    pay_url: payUrl,
    expires_at: expiresAt,
  });
  return requireTopup(database, topupId);
}

/** The outcomes of a payment. All but the first two leave an alert if the top-up is known. */
const GRANT_OUTCOMES = [
  "granted",
  "repeated",
  "topup_unknown",
  "account_unknown",
  "amount_differs",
  "paid_twice",
  "reference_taken",
  "balance_full",
] as const;
type GrantOutcome = (typeof GRANT_OUTCOMES)[number];

/** The database for changes, and the log that reports them. */
export interface Book {
  readonly database: Database;
  readonly log: Log;
}

/** Grants the credits of a payment that has arrived, once, even if the top-up had expired. */
export async function grantTopup(
  { database, log }: Book,
  topupId: string,
  { reference, paidNanos, paymentId, details }: Payment,
): Promise<GrantOutcome> {
  const paid = {
    topup_id: topupId,
    reference,
    paid_nanos: paidNanos,
    payment_id: paymentId ?? null,
    details: details === undefined ? null : JSON.stringify(details),
    actor: PAYMENT,
  };
  const outcome = nameIn(GRANT_OUTCOMES, present(await database.row("grant_topup", paid)).outcome);
  switch (outcome) {
    case "granted":
      log.info("top-up granted", { topup_id: topupId, reference });
      return outcome;
    case "repeated":
      return outcome;
    case "topup_unknown":
    case "account_unknown":
    case "amount_differs":
    case "paid_twice":
    case "reference_taken":
    case "balance_full":
      log.error("a payment was received without granting credits", {
        topup_id: topupId,
        reference,
        outcome,
      });
      return outcome;
    default:
      return unreachable(outcome);
  }
}

/** The total refunded to a payer according to one source. See `sql/topups/functions/given_back.sql`. */
export interface TakeBack {
  /** Such as `refund re_…`, or the id of a dispute. */
  readonly source: string;
  /** A message of a higher rank replaces those of lower ones, in whatever order they arrive. */
  readonly rank: number;
  readonly totalNanos: bigint;
  /** The amount of a refund that has failed or was canceled. @default 0 */
  readonly endedNanos?: bigint;
  /** For the operator, if this is new. */
  readonly alert?: string | undefined;
}

const TAKE_BACK_OUTCOMES = ["taken_back", "noted", "repeated", "topup_unknown"] as const;
type TakeBackOutcome = (typeof TAKE_BACK_OUTCOMES)[number];

/** Revokes the credits of refunded money, as far as the balance allows. The rest is an alert. */
export async function takeBackTopup(
  { database, log }: Book,
  topupId: string,
  { source, rank, totalNanos, endedNanos = 0n, alert }: TakeBack,
): Promise<TakeBackOutcome> {
  const told = {
    topup_id: topupId,
    source,
    rank: BigInt(rank),
    total_nanos: totalNanos,
    ended_nanos: endedNanos,
    alert: alert ?? null,
    actor: PAYMENT,
  };
  // If the top-up is assigned to an account at the same time, the statement is rolled back and repeated.
  const row = present(await database.row("take_back_topup", told));
  const outcome = nameIn(TAKE_BACK_OUTCOMES, row.outcome);
  if (outcome !== "taken_back") return outcome;
  const { unrecovered_nanos: missing } = await requireTopup(database, topupId);
  if (missing > 0n) {
    const unrecovered = { topup_id: topupId, unrecovered_nanos: missing };
    log.error("a payer was refunded more than the balance", unrecovered);
  }
  return outcome;
}

/** Ends an unpaid top-up, and adds an alert to its open ones, if there is one. */
export async function expireTopup(
  { database, log }: Book,
  topupId: string,
  alert: string | null = null,
): Promise<void> {
  await database.row("expire_topup", { topup_id: topupId, alert });
  if (alert !== null) logAlert(log, topupId, alert);
}

/** Adds an alert to a top-up's open ones. */
export async function alertTopup(
  { database, log }: Book,
  topupId: string,
  alert: string,
): Promise<void> {
  await database.row("alert_topup", { topup_id: topupId, alert });
  logAlert(log, topupId, alert);
}

function logAlert(log: Log, topupId: string, alert: string): void {
  log.error("a top-up needs attention", { topup_id: topupId, alert });
}

/** The actor that changes a balance when money arrives or is returned. */
export const PAYMENT = "payment" as Actor;

async function requireTopup(database: Database, topupId: string): Promise<Topup> {
  const row: Row<"find_topup"> | undefined = await findTopup(database, topupId);
  if (row === undefined) throw new Error(`top-up ${topupId} no longer exists`);
  return row;
}
