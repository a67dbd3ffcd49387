/**
 * Calls webhooks with the notices that are due, signed by Standard Webhooks, until none is due.
 *
 * Any number of processes may do so. An address is claimed for longer than an attempt takes, so at most one call to it is
 * under way, and the outcome is recorded before the next. If the process dies in between, the call is repeated with the
 * same `webhook-id`.
 *
 * A slow address delays no other. Addresses whose last attempt failed have turns of their own, and an account has a
 * bounded number of calls at the same time.
 *
 * @module
 */
import type { GuardTrial } from "../config.ts";
import { type Posted, postGuarded } from "../http/guarded_post.ts";
import { present } from "../lib/assert.ts";
import type { Log } from "../lib/log.ts";
import { VERSION } from "../lib/program_version.ts";
import { MS_PER_DAY } from "../lib/time_units.ts";
import type { Database, Row } from "../postgres/client/database.ts";
import { NOTICE_TYPE_NAMES } from "./notice_types.ts";
import { openWebhookSecret, signedHeaders } from "./webhook_secret.ts";

interface NoticeSenderOptions {
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
const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
/** The pauses after failed attempts. After the last of them, a delivery has failed for good. */
export const RETRY_PAUSES_MS = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  24 * HOUR_MS,
] as const;
const GIVE_UP_MS = 3 * MS_PER_DAY;

/** The turns of addresses whose last attempt succeeded, or failed: calls at the same time, in all and of one account. */
const LANES = {
  sound: { isFailing: false, callsMax: 256, accountCallsMax: 4 },
  failing: { isFailing: true, callsMax: 64, accountCallsMax: 2 },
} as const;
type LaneName = keyof typeof LANES;

interface LaneState {
  readonly calling: Set<Promise<void>>;
  /** The number of calls under way, by account. */
  readonly byAccount: Map<string, number>;
}

/** A delivery that this process is to make. */
type Claimed = {
  readonly [Name in keyof Row<"claim_delivery">]: NonNullable<Row<"claim_delivery">[Name]>;
} & {
  readonly previous_sealed_secret: string | null;
};

export class NoticeSender {
  readonly #options: NoticeSenderOptions;
  readonly #lanes: Readonly<Record<LaneName, LaneState>> = {
    sound: { calling: new Set(), byAccount: new Map() },
    failing: { calling: new Set(), byAccount: new Map() },
  };
  readonly #sent = new Map<string, number>(NOTICE_TYPE_NAMES.map((type) => [type, 0]));
  readonly #failed = new Map<string, number>(NOTICE_TYPE_NAMES.map((type) => [type, 0]));
  /** Grows with each report of new deliveries. */
  #wakes = 0;
  #isStopped = false;

  constructor(options: NoticeSenderOptions) {
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
    this.#callMore("sound", now);
    this.#callMore("failing", now);
  }

  /** Resolves when nothing is being sent. */
  async idle(): Promise<void> {
    const { sound, failing } = this.#lanes;
    while (sound.calling.size + failing.calling.size > 0) {
      await Promise.all([...sound.calling, ...failing.calling]);
    }
  }

  /** Claims nothing more. Resolves when the calls under way have ended. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.idle();
  }

  /** Starts another loop, unless there are enough. */
  #callMore(name: LaneName, now: string | undefined): void {
    const { calling } = this.#lanes[name];
    if (this.#isStopped || calling.size >= LANES[name].callsMax) return;
    const loop = this.#callDue(name, now)
      .catch((error) =>
        this.#options.log.warn("the queue of notices could not be read or updated", { error }),
      )
      .finally(() => calling.delete(loop));
    calling.add(loop);
  }

  async #callDue(name: LaneName, now: string | undefined): Promise<void> {
    const { isFailing, accountCallsMax } = LANES[name];
    const { byAccount } = this.#lanes[name];
    while (!this.#isStopped) {
      const seen = this.#wakes;
      const busy = [...byAccount].filter(([, calls]) => calls >= accountCallsMax);
      const row = await this.#options.database.row("claim_delivery", {
        moment: now ?? null,
        lease: interval(LEASE_MS),
        is_failing: isFailing,
        busy_accounts: busy.map(([account]) => account),
      });
      if (row !== undefined && isClaimed(row)) {
        const { account_id: account } = row;
        byAccount.set(account, (byAccount.get(account) ?? 0) + 1);
        this.#callMore(name, now);
        try {
          await this.#call(row, now);
        } finally {
          const calls = present(byAccount.get(account)) - 1;
          if (calls === 0) byAccount.delete(account);
          else byAccount.set(account, calls);
        }
      } else if (seen === this.#wakes) return;
      // Else a delivery may have been made after the statement.
    }
  }

  async #call(claimed: Claimed, now: string | undefined): Promise<void> {
    const { database, log } = this.#options;
    const { delivery_id, webhook_id, notice_id, type, attempts } = claimed;
    const startedMs = performance.now();
    const posted = await this.#post(claimed);
    const isSuccess = posted.kind === "answered" && posted.code >= 200 && posted.code < 300;
    const pauseMs = RETRY_PAUSES_MS[attempts - 1];
    const error = isSuccess ? null : faultOf(posted);
    const finished = await database.row("finish_delivery", {
      moment: now ?? null,
      delivery_id,
      attempts,
      is_success: isSuccess,
      code: posted.kind === "answered" ? posted.code : null,
      ms: Math.round(performance.now() - startedMs),
      answer: posted.kind === "answered" ? storable(posted.text) : null,
      error,
      retry_in: pauseMs === undefined ? null : interval(pauseMs),
      give_up_after: interval(GIVE_UP_MS),
    });
    const { outcome, is_switched_off: isSwitchedOff } = present(finished);
    const counts = isSuccess ? this.#sent : this.#failed;
    counts.set(type, (counts.get(type) ?? 0) + 1);
    const fields = { webhook_id, notice_id, type, attempts };
    if (isSuccess) log.debug("notice sent", fields);
    else log.info("a notice could not be sent", { ...fields, outcome, reason: error });
    if (isSwitchedOff) log.warn("a webhook was switched off", { webhook_id, reason: error });
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
      const reason = "The gateway's secret has changed. Rotate the secret of this address.";
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

function isClaimed(row: Row<"claim_delivery">): row is Claimed {
  return row.delivery_id !== null;
}

function faultOf(posted: Posted): string {
  if (posted.kind === "unanswered") return posted.reason;
  const { code } = posted;
  if (code >= 300 && code < 400) return `It answered with ${code}. Redirects are not followed.`;
  return `It answered with ${code}.`;
}

/** PostgreSQL stores no NUL. */
function storable(text: string): string {
  return text.replaceAll("\0", "\uFFFD");
}

function interval(ms: number): string {
  return `${ms} milliseconds`;
}
