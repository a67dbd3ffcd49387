/**
 * Reads the current state of a call from the database, before the call is refused or answered without being logged.
 * Pending calls share one statement, which begins after all of them have arrived.
 *
 * @module
 */

import { Batcher } from "../lib/batcher.ts";
import { ADMISSION_BATCHES, IDEMPOTENCY_TTL_US, WINDOW_US } from "../limits.ts";
import type { Database, Row } from "../postgres/client/database.ts";
import type { Receipt } from "./claims.ts";
import { type AccessGrant, type AccountNews, type Caller, newsOf } from "./known_accounts.ts";

/** A call to prove. */
export interface Question {
  readonly caller: Caller;
  readonly feedId?: string | undefined;
  readonly idempotencyKey?: string | undefined;
}

/** The read that an Idempotency-Key paid for. */
export interface Remembered {
  readonly queryHash: string;
  readonly receipt: Receipt;
  readonly isReplayed: boolean;
  /** Version of the data that was answered. Null if a gateway of version 0.1.0 answered, which did not record it. */
  readonly answeredVersion: bigint | null;
  /** The position after which a follower's page begins. Null if the read is no follower's page. */
  readonly beginsAfter: bigint | null;
}

/** The database's current state for a call. */
export interface Proof {
  readonly kind: "proof";
  /** The database's clock, in microseconds of the Unix epoch. */
  readonly nowUs: number;
  readonly isKeyUsable: boolean;
  /** Why the account is suspended. Null if it is not. */
  readonly suspensionReason: string | null;
  readonly news: AccountNews;
  /** Undefined if the feed does not exist, or if none was requested. */
  readonly feed:
    | {
        readonly isReadable: boolean;
        readonly definitionVersion: bigint;
        readonly dataVersion: bigint;
      }
    | undefined;
  readonly isPurchased: boolean;
  /** The account's grant for the feed. Undefined if there is none, or if it has ended. */
  readonly grant: AccessGrant | undefined;
  readonly remembered: Remembered | undefined;
}

export type Proofs = Batcher<Question, Proof>;

export function createProofs(database: Database): Proofs {
  return new Batcher<Question, Proof>({
    ...ADMISSION_BATCHES,
    run: async (questions) => {
      const rows = await database.rows("prove_calls", {
        account_ids: questions.map(({ caller }) => caller.account.id),
        known_generations: questions.map(({ caller }) => caller.account.generation),
        known_us: questions.map(({ caller }) => BigInt(caller.account.loggedUs)),
        key_ids: questions.map(({ caller }) => caller.keyId),
        feed_ids: questions.map(({ feedId }) => feedId ?? null),
        idempotency_keys: questions.map(({ idempotencyKey }) => idempotencyKey ?? null),
        window_us: WINDOW_US,
        idempotency_us: IDEMPOTENCY_TTL_US,
      });
      return rows.map(proofOf);
    },
  });
}

function proofOf(row: Row<"prove_calls">): Proof {
  return {
    kind: "proof",
    nowUs: Number(row.now_us),
    isKeyUsable: row.is_key_usable,
    suspensionReason: row.suspension_reason,
    news: newsOf(JSON.parse(row.news)),
    feed:
      row.is_feed_readable === null
        ? undefined
        : {
            isReadable: row.is_feed_readable,
            definitionVersion: row.definition_version as bigint,
            dataVersion: row.data_version as bigint,
          },
    isPurchased: row.is_purchased,
    grant: row.is_granted
      ? {
          isFree: row.is_granted_free,
          endUs: row.grant_end_us === null ? null : Number(row.grant_end_us),
        }
      : undefined,
    remembered:
      row.usage_id === null
        ? undefined
        : {
            queryHash: row.query_hash as string,
            receipt: {
              usageId: row.usage_id,
              timestamp: row.happened_at as string,
              chargeNanos: row.charge_nanos as bigint,
            },
            isReplayed: row.is_replayed === true,
            answeredVersion: row.answered_version,
            beginsAfter: row.begins_after,
          },
  };
}
