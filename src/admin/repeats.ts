/**
 * `Idempotency-Key` of the operator's API: a repeat of a call acts once, over all processes. Beyond 5.
 *
 * The key is written down before the act and its answer after it, each in a commit of its own. So at most one call acts
 * under a key, always. If the process dies in between, nobody can tell what came of the act. A repeat then acts once
 * more if the act itself is safe to repeat, as most are: to suspend twice is to suspend once, and an entry of the
 * ledger gets a reference that is made of the key. A repeat of any other act is refused (`IDEMPOTENCY_KEY_UNFINISHED`).
 *
 * A refused act has changed nothing, so it gives the key free. What is kept is sealed by the caller's own admin key,
 * of which the database has the hash only.
 *
 * @module
 */
import { Problem } from "../http/errors.ts";
import { openToken, sealToken, type TokenOptions } from "../lib/sealed_token.ts";
import { IDEMPOTENCY_TTL_MS } from "../limits.ts";
import { Refused } from "../operator/refused.ts";
import type { Database } from "../postgres/client/query.ts";
import type { OperatorPrincipal } from "./admin_callers.ts";

/** How long a repeat waits for the call that it repeats, and how often it looks. */
const WAIT_MS_MAX = 5_000;
const LOOK_MS = 50;
/** Old calls that a new one forgets. */
const FORGOTTEN_MAX = 100;

/** What is answered, and kept for a repeat. */
export interface Reply {
  readonly status: 200 | 201;
  /** JSON, if no other type is said. */
  readonly body: string;
  /** Headers of an answer that is not JSON. No POST has one, since a repeat is answered with its body alone. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface RepeatableCall {
  readonly caller: OperatorPrincipal;
  /** The header. */
  readonly key: string;
  /** Route and body. */
  readonly request: string;
  /** Whether the act may run again if its end was lost. */
  readonly isSafeToRepeat: boolean;
}

/** Names the ledger entry of a call, so that the entry is written once whatever happens. */
export function referenceOf({ caller, key }: Pick<RepeatableCall, "caller" | "key">): string {
  return `idempotency_key:${Buffer.from(hashOf(`${caller.keyId} ${key}`))
    .toString("hex")
    .slice(0, 32)}`;
}

/** Acts, or answers what was answered before. @throws {Problem} 409; all that `act` throws */
export async function actOnce(
  database: Database,
  call: RepeatableCall,
  act: () => Promise<Reply>,
): Promise<Reply> {
  const { caller, key, request, isSafeToRepeat } = call;
  const place = { admin_key_id: caller.keyId, idempotency_hash: hashOf(key) };
  const sealing = { secret: caller.key, purpose: "operator call", binding: key };
  const earlier = await findEarlier(database, { ...place, request_hash: hashOf(request) }, sealing);
  if (earlier === "unfinished" && !isSafeToRepeat) {
    throw new Problem("IDEMPOTENCY_KEY_UNFINISHED", {
      detail:
        "A call with this Idempotency-Key still runs, or its end was lost. Try again, or look whether it took place and send a new key if not.",
    });
  }
  if (typeof earlier === "object") return earlier;
  try {
    const reply = await act();
    const sealed = sealToken(Buffer.from(reply.body, "utf8"), sealing);
    await database.row("finish_operator_call", {
      ...place,
      status: reply.status,
      sealed_body: sealed,
    });
    return reply;
  } catch (error) {
    const isUndone = error instanceof Refused || error instanceof Problem;
    if (isUndone && earlier === undefined) await database.row("cancel_operator_call", place);
    throw error;
  }
}

interface Place {
  readonly admin_key_id: string;
  readonly idempotency_hash: Uint8Array;
  readonly request_hash: Uint8Array;
}

/** The answer of the earlier call; undefined if this is the first one, which has the key now. */
async function findEarlier(
  database: Database,
  place: Place,
  sealing: TokenOptions,
): Promise<Reply | "unfinished" | undefined> {
  const endMs = performance.now() + WAIT_MS_MAX;
  while (true) {
    const found = await database.row("begin_operator_call", {
      ...place,
      forgotten_after: `${IDEMPOTENCY_TTL_MS} milliseconds`,
      forgotten_max: FORGOTTEN_MAX,
    });
    if (found === undefined || found.outcome === "begun") return undefined;
    if (found.outcome === "reused") {
      throw new Problem("IDEMPOTENCY_KEY_REUSED", {
        detail:
          "This Idempotency-Key was used for another call in the last 24 hours. Send a new one.",
      });
    }
    const body = found.sealed_body === null ? undefined : openToken(found.sealed_body, sealing);
    if (body !== undefined) {
      return { status: found.status === 201 ? 201 : 200, body: body.toString("utf8") };
    }
    if (performance.now() > endMs) return "unfinished";
    await Bun.sleep(LOOK_MS);
  }
}

function hashOf(text: string): Uint8Array {
  return new Bun.CryptoHasher("sha256").update(text).digest();
}
