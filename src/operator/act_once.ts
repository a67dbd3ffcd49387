/**
 * Runs a repeated call of an operator only once, across all processes: a call with an `Idempotency-Key` in the API, or
 * a form of the console. See `src/spec/beyond.md`, section 5.
 *
 * The key is stored before the operation and its answer after it, each in a separate commit. If the process dies in
 * between, the outcome is unknown. A repeat then runs the operation again if that is safe, which it is for most:
 * suspending twice has no further effect, and a ledger entry gets a reference derived from the key. A repeat of any
 * other operation is refused (`IDEMPOTENCY_KEY_UNFINISHED`), so it runs at most once.
 *
 * An operation that was refused, or whose statement was not sent, has changed nothing, so it releases the key. An
 * operation that is not safe to repeat writes with a single statement.
 *
 * A key belongs to an admin key and its successors: a repeat with the admin key that replaced the original in a
 * rotation is the same call.
 *
 * Stored answers are sealed with the gateways' secret. An answer with something that is stored nowhere else, such as a
 * new key, is sealed with the caller's own admin key, of which the database stores only the hash. Then the successor of
 * that admin key can't read the answer, and a repeat is refused (`IDEMPOTENCY_KEY_ANSWERED`) unless the operation is
 * safe to repeat.
 *
 * @module
 */
import { Problem } from "../http/problem_details.ts";
import { present } from "../lib/assert.ts";
import { openToken, sealToken, type TokenOptions } from "../lib/sealed_token.ts";
import { intervalOf } from "../lib/time_units.ts";
import { sha256 } from "../lib/token.ts";
import { IDEMPOTENCY_TTL_MS } from "../limits.ts";
import { type Database, DatabaseOverloadedError } from "../postgres/client/database.ts";
import { Refused } from "./refused.ts";

/** How often a repeat looks whether the call that it repeats has ended. */
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
  readonly caller: {
    readonly keyId: string;
    /** The admin key itself. */
    readonly key: string;
  };
  /** The `Idempotency-Key`. */
  readonly key: string;
  /** Route and body. */
  readonly request: string;
  /** Whether the act may run again if its end was lost. */
  readonly isSafeToRepeat: boolean;
  /** Whether the answer has what is stored nowhere. */
  readonly isSecret: boolean;
}

export interface Keeping {
  readonly database: Database;
  /** That all gateways have. */
  readonly secret: string;
  /** How long a repeat waits for the call that it repeats, in ms. */
  readonly waitMsMax: number;
}

/**
 * Runs `act`, or returns the stored answer. `act` receives a reference for the call's ledger entry, which ensures that
 * the entry is written only once. @throws {Problem} 409; all that `act` throws
 */
export async function actOnce(
  keeping: Keeping,
  call: RepeatableCall,
  act: (reference: string) => Promise<Reply>,
): Promise<Reply> {
  const { database, secret } = keeping;
  const { caller, key, isSafeToRepeat, isSecret } = call;
  const sealing = {
    secret: isSecret ? caller.key : secret,
    purpose: "operator call",
    binding: key,
  };
  const { ownerId, earlier } = await findEarlier(keeping, call, sealing);
  if (typeof earlier === "object") return earlier;
  if (earlier !== "none" && !isSafeToRepeat) throw refusalOf(earlier);
  const place = { owner_id: ownerId, idempotency_hash: sha256(key) };
  try {
    const reply = await act(referenceOf(ownerId, key));
    const sealed = sealToken(Buffer.from(reply.body, "utf8"), sealing);
    await database.row("finish_operator_call", {
      ...place,
      status: reply.status,
      sealed_body: sealed,
    });
    return reply;
  } catch (error) {
    const isUndone = [Refused, Problem, DatabaseOverloadedError].some(
      (each) => error instanceof each,
    );
    if (isUndone && earlier === "none") await database.row("cancel_operator_call", place);
    throw error;
  }
}

/** `unreadable`: it was answered, to a key that this one has replaced. */
type Earlier = Reply | "none" | "unfinished" | "unreadable";

interface Found {
  /** The first key of the caller's line. */
  readonly ownerId: string;
  readonly earlier: Earlier;
}

/** Takes the Idempotency-Key, or waits for the end of the call that has it. @throws {Problem} 409 */
async function findEarlier(
  { database, waitMsMax }: Keeping,
  { caller, key, request }: RepeatableCall,
  sealing: TokenOptions,
): Promise<Found> {
  const endMs = performance.now() + waitMsMax;
  while (true) {
    const found = present(
      await database.row("begin_operator_call", {
        admin_key_id: caller.keyId,
        idempotency_hash: sha256(key),
        request_hash: sha256(request),
        forgotten_after: intervalOf(IDEMPOTENCY_TTL_MS),
        forgotten_max: FORGOTTEN_MAX,
      }),
    );
    const ownerId = found.owner_id;
    if (found.outcome === "begun") return { ownerId, earlier: "none" };
    if (found.outcome === "reused") {
      throw new Problem("IDEMPOTENCY_KEY_REUSED", {
        detail: ({ idempotencyKey }) =>
          `This ${idempotencyKey} was used for a different call in the last 24 hours. Send a new one.`,
      });
    }
    if (found.sealed_body !== null) {
      const body = openToken(found.sealed_body, sealing)?.toString("utf8");
      const status = found.status === 201 ? 201 : 200;
      return { ownerId, earlier: body === undefined ? "unreadable" : { status, body } };
    }
    if (performance.now() > endMs) return { ownerId, earlier: "unfinished" };
    await Bun.sleep(LOOK_MS);
  }
}

function refusalOf(earlier: "unfinished" | "unreadable"): Problem {
  return earlier === "unreadable"
    ? new Problem("IDEMPOTENCY_KEY_ANSWERED", {
        detail: ({ idempotencyKey }) =>
          `This ${idempotencyKey} was used with the admin key that this key replaced, so the response can't be returned to this key, and nothing was done again. Revoke what the first call created, and send a new ${idempotencyKey}.`,
      })
    : new Problem("IDEMPOTENCY_KEY_UNFINISHED", {
        detail: ({ idempotencyKey }) =>
          `A call with this ${idempotencyKey} is still running, or its result was lost. Try again, or check whether the operation took place, and send a new ${idempotencyKey} if it did not.`,
      });
}

/**
 * Names the ledger entry of a call.
 *
 * @param ownerId the first key of the caller's line
 */
export function referenceOf(ownerId: string, key: string): string {
  return `idempotency_key:${Buffer.from(sha256(`${ownerId} ${key}`))
    .toString("hex")
    .slice(0, 32)}`;
}
