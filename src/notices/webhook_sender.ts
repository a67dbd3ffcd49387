/**
 * Calls webhooks with the notices that are due, signed according to Standard Webhooks, until none is due.
 *
 * Any number of processes may do so. An address is claimed for longer than an attempt takes, with some of its due
 * deliveries, and the outcomes are recorded before the next claim. If the process dies in between, the calls are
 * repeated with the same `webhook-id`.
 *
 * A slow address delays no other: addresses that have failed, that were slow, and that have never been called each have
 * their own lane, and the number of an account's addresses that are called at the same time is limited.
 *
 * @module
 */
import type { GuardTrial } from "../config.ts";
import { type Posted, postGuarded } from "../http/guarded_post.ts";
import { assert, present } from "../lib/assert.ts";
import type { Log } from "../lib/log.ts";
import { VERSION } from "../lib/program_version.ts";
import { createSemaphore } from "../lib/semaphore.ts";
import {
  intervalOf,
  MS_PER_DAY,
  MS_PER_HOUR,
  MS_PER_MINUTE,
  MS_PER_SECOND,
} from "../lib/time_units.ts";
import { OPERATOR_CONNECTIONS_MAX } from "../limits.ts";
import type { Database, Row } from "../postgres/client/database.ts";
import { NOTICE_TYPE_NAMES } from "./notice_types.ts";
import { openWebhookSecret, signedHeaders } from "./webhook_secret.ts";

interface WebhookSenderOptions {
  readonly database: Database;
  readonly log: Log;
  /** Opens the addresses' secrets. */
  readonly secret: string;
  readonly allowsPrivate: boolean;
  readonly trial?: GuardTrial | undefined;
  /** @default ANSWER_MS_MAX */
  readonly answerMsMax?: number;
}

const ANSWER_MS_MAX = 15_000;
const ANSWER_BYTES_MAX = 1_024;
const LEASE_MS = 2 * ANSWER_MS_MAX;
/** The pauses after failed attempts. After the last of them, a delivery has failed for good. */
export const RETRY_PAUSES_MS = [
  5 * MS_PER_SECOND,
  5 * MS_PER_MINUTE,
  30 * MS_PER_MINUTE,
  2 * MS_PER_HOUR,
  5 * MS_PER_HOUR,
  10 * MS_PER_HOUR,
  24 * MS_PER_HOUR,
] as const;
const GIVE_UP_MS = 3 * MS_PER_DAY;

/** An answer that takes longer makes its address a troubled one. */
const SLOW_MS = 2 * MS_PER_SECOND;
/** Statements of this process at the same time, so that one of the operators' connections stays free for them. */
const STATEMENTS_MAX = OPERATOR_CONNECTIONS_MAX - 1;
const STATEMENT_WAIT_MS_MAX = MS_PER_MINUTE;

/**
 * The lanes, by the health of addresses: calls at the same time, addresses of one account at the same time, and
 * deliveries that are sent to an address at once.
 *
 * Bun makes at most 256 concurrent requests per process, and further ones wait. Payments and sign-ins also make some.
 */
const LANES = {
  sound: { callsMax: 96, accountAddressesMax: 6, claimMax: 8 },
  new: { callsMax: 48, accountAddressesMax: 4, claimMax: 1 },
  troubled: { callsMax: 32, accountAddressesMax: 2, claimMax: 1 },
} as const;
type LaneName = keyof typeof LANES;
const LANE_NAMES = Object.keys(LANES) as readonly LaneName[];
const CALLS_MAX = LANE_NAMES.reduce((sum, name) => sum + LANES[name].callsMax, 0);
assert(CALLS_MAX < 256 - 64, "webhooks leave requests to payments and sign-ins");

class Lane {
  /** Loops that claim deliveries and make the calls. */
  readonly loops = new Set<Promise<void>>();
  /** The number of addresses that are being called, by account. */
  readonly byAccount = new Map<string, number>();
  /** Calls under way. */
  calls = 0;
}

/** A delivery that this process is to make. */
type Claimed = Row<"claim_deliveries">;

export class WebhookSender {
  readonly #options: WebhookSenderOptions;
  readonly #lanes = { sound: new Lane(), new: new Lane(), troubled: new Lane() };
  readonly #statements = createSemaphore({
    runningMax: STATEMENTS_MAX,
    waitingMax: 2 * CALLS_MAX,
    waitingFree: 2 * CALLS_MAX,
    waitMsMax: STATEMENT_WAIT_MS_MAX,
  });
  readonly #sent = new Map<string, number>(NOTICE_TYPE_NAMES.map((type) => [type, 0]));
  readonly #failed = new Map<string, number>(NOTICE_TYPE_NAMES.map((type) => [type, 0]));
  /** Grows with each report of new deliveries. */
  #wakes = 0;
  #isStopped = false;

  constructor(options: WebhookSenderOptions) {
    this.#options = options;
  }

  /** Notices that were accepted since the start, by type. */
  get sent(): ReadonlyMap<string, number> {
    return this.#sent;
  }

  /** Attempts that have failed since the start, by type. */
  get failed(): ReadonlyMap<string, number> {
    return this.#failed;
  }

  /**
   * Reports that there may be due deliveries, and returns immediately. They are made in the background.
   *
   * @param now RFC 3339. @default the database's clock
   */
  wake(now?: string): void {
    this.#wakes += 1;
    for (const name of LANE_NAMES) this.#callMore(name, now);
  }

  /** Resolves when nothing is being sent. */
  async idle(): Promise<void> {
    const lanes = Object.values(this.#lanes);
    while (lanes.some(({ loops }) => loops.size > 0)) {
      await Promise.all(lanes.flatMap(({ loops }) => [...loops]));
    }
  }

  /** Claims nothing more. Resolves when the calls under way have ended. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.idle();
  }

  /** Starts another loop, unless there are enough. */
  #callMore(name: LaneName, now: string | undefined): void {
    const { loops, calls } = this.#lanes[name];
    const { callsMax } = LANES[name];
    if (this.#isStopped || Math.max(loops.size, calls) >= callsMax) return;
    const loop = this.#callDue(name, now)
      .catch((error) =>
        this.#options.log.warn("the queue of notices could not be read or updated", { error }),
      )
      .finally(() => loops.delete(loop));
    loops.add(loop);
  }

  async #callDue(name: LaneName, now: string | undefined): Promise<void> {
    const lane = this.#lanes[name];
    const { callsMax, claimMax } = LANES[name];
    while (!this.#isStopped) {
      const seen = this.#wakes;
      const amount = Math.min(claimMax, callsMax - lane.calls);
      // The loops with calls in progress continue when those have ended.
      if (amount <= 0) return;
      lane.calls += amount;
      const claimed = await this.#claim(name, amount, now).catch((error) => {
        lane.calls -= amount;
        throw error;
      });
      lane.calls += claimed.length - amount;
      const [first] = claimed;
      if (first !== undefined) {
        const { account_id: account } = first;
        lane.byAccount.set(account, (lane.byAccount.get(account) ?? 0) + 1);
        this.#callMore(name, now);
        try {
          await this.#callAll(claimed, now);
        } finally {
          lane.calls -= claimed.length;
          const left = present(lane.byAccount.get(account)) - 1;
          if (left === 0) lane.byAccount.delete(account);
          else lane.byAccount.set(account, left);
        }
      } else if (seen === this.#wakes) return;
      // Else a delivery may have been made after the statement.
    }
  }

  /** Deliveries of one address, the oldest first. None if none is due. */
  #claim(name: LaneName, amount: number, now: string | undefined): Promise<readonly Claimed[]> {
    const busy = [...this.#lanes[name].byAccount].filter(
      ([, addresses]) => addresses >= LANES[name].accountAddressesMax,
    );
    return this.#inTurn(() =>
      this.#options.database.rows("claim_deliveries", {
        moment: now ?? null,
        lease: intervalOf(LEASE_MS),
        lane: name,
        busy_accounts: busy.map(([account]) => account),
        amount,
      }),
    );
  }

  /** Makes the calls at the same time, and records their outcomes one after another. The last one frees the address. */
  async #callAll(claimed: readonly Claimed[], now: string | undefined): Promise<void> {
    const calls = claimed.map(async (each) => {
      const startedMs = performance.now();
      const posted = await this.#post(each);
      return { each, posted, ms: Math.round(performance.now() - startedMs) };
    });
    for (const [place, call] of calls.entries()) {
      await this.#finish(await call, { isLast: place === calls.length - 1, now });
    }
  }

  async #finish(
    { each, posted, ms }: { readonly each: Claimed; readonly posted: Posted; readonly ms: number },
    { isLast, now }: { readonly isLast: boolean; readonly now: string | undefined },
  ): Promise<void> {
    const { database, log } = this.#options;
    const { delivery_id, webhook_id, notice_id, type, attempts } = each;
    const isSuccess = posted.kind === "answered" && posted.code >= 200 && posted.code < 300;
    const pauseMs = RETRY_PAUSES_MS[attempts - 1];
    const error = isSuccess ? null : faultOf(posted);
    const finished = await this.#inTurn(() =>
      database.row("finish_delivery", {
        moment: now ?? null,
        delivery_id,
        attempts,
        is_success: isSuccess,
        code: posted.kind === "answered" ? posted.code : null,
        ms,
        answer: posted.kind === "answered" ? storable(posted.text) : null,
        error,
        retry_in: pauseMs === undefined ? null : intervalOf(pauseMs),
        give_up_after: intervalOf(GIVE_UP_MS),
        slow: intervalOf(SLOW_MS),
        is_last: isLast,
      }),
    );
    const { outcome, is_switched_off: isSwitchedOff } = present(finished);
    const counts = isSuccess ? this.#sent : this.#failed;
    counts.set(type, (counts.get(type) ?? 0) + 1);
    const fields = { webhook_id, notice_id, type, attempts };
    if (isSuccess) log.debug("notice sent", fields);
    else log.info("a notice could not be sent", { ...fields, outcome, reason: error });
    if (isSwitchedOff) log.warn("a webhook was switched off", { webhook_id, reason: error });
  }

  /** A statement, of which only some run at the same time. */
  async #inTurn<Result>(statement: () => Promise<Result>): Promise<Result> {
    using permit = await this.#statements.acquire();
    if (permit === undefined) throw new Error("the database is too slow for the queue of notices");
    return await statement();
  }

  async #post(claimed: Claimed): Promise<Posted> {
    const { secret, trial, allowsPrivate, answerMsMax = ANSWER_MS_MAX } = this.#options;
    const { webhook_id: webhookId, notice_id: id, type, happened_at: timestamp } = claimed;
    const secrets = [claimed.sealed_secret, claimed.previous_sealed_secret]
      .filter((sealed) => sealed !== null)
      .map((sealed) => openWebhookSecret(sealed, { secret, webhookId }))
      .filter((opened) => opened !== undefined);
    const url = URL.parse(claimed.url);
    if (secrets.length === 0 || url === null) {
      const reason = "The gateway's secret has changed. Rotate the secret of this webhook.";
      return { kind: "unanswered", reason };
    }
    const body = `{"type":${JSON.stringify(type)},"timestamp":${JSON.stringify(timestamp)},"data":${claimed.data}}`;
    return postGuarded(url, {
      body,
      headers: {
        "Content-Type": "application/json",
        "User-Agent": `Feedgate/${VERSION}`,
        "Accept-Encoding": "identity",
        ...signedHeaders(secrets, { id, sentAt: new Date(), body }),
      },
      msMax: answerMsMax,
      answerBytesMax: ANSWER_BYTES_MAX,
      trial,
      allowsPrivate,
    });
  }
}

function faultOf(posted: Posted): string {
  if (posted.kind === "unanswered") return posted.reason;
  const { code } = posted;
  if (code >= 300 && code < 400) return `It returned ${code}. Redirects are not followed.`;
  return `It returned ${code}.`;
}

/** PostgreSQL stores no NUL. */
function storable(text: string): string {
  return text.replaceAll("\0", "\uFFFD");
}
