/**
 * The common part of every admitted call, reads and purchases alike: it acts on what memory knows of the key and the
 * feed, and acts again on the database's state if memory was stale.
 *
 * See `src/spec/decisions.md`, section 7.
 *
 * @module
 */
import type { Admission, Changed } from "../../admission/admission.ts";
import type { Claim, Refusal } from "../../admission/claims.ts";
import type { Caller } from "../../admission/known_accounts.ts";
import type { Proof } from "../../admission/proofs.ts";
import type { Keys, Principal } from "../../api/callers/callers.ts";
import { keepsChanging, refusalOf } from "../../api/problems/call_refusals.ts";
import type { Call } from "../../http/call.ts";
import { Problem } from "../../http/problem_details.ts";
import { KeyedMutex } from "../../lib/mutex.ts";
import { PLANS_MAX } from "../../limits.ts";

/** Memory was stale: look up key and feed in the database, and act again. */
export const STALE = "stale";
export type Stale = typeof STALE;

/** A call with a known key. */
export interface ReadCall {
  readonly call: Call;
  readonly principal: Principal;
  /** Whether this call continues a wait that was already counted. */
  readonly isWakeUp?: boolean | undefined;
}

/** What a call is about, and its claim to admission. */
interface Claimed {
  readonly claim: Claim;
}

/** A call with what was found for it. */
export interface Attempt<Found extends Claimed> extends ReadCall {
  readonly resource: Found;
}

/**
 * Finds what a call is about. `isFresh`: by the database's current state. The principal is the one of this attempt.
 * @throws {Problem} every 400 and 404
 */
export type Find<Found> = (isFresh: boolean, principal: Principal) => Promise<Found>;

/**
 * Whether a proof is the newest information about its account. If other news arrived at the same time, another process
 * may have used an Idempotency-Key since. `newsCount`: the account's count before the proof.
 */
export function isNewest({ account }: Caller, newsCount: number, { news }: Proof): boolean {
  return account.newsCount === newsCount || account.version === news.version;
}

interface AttemptServices {
  readonly admission: Admission;
  readonly keys: Keys;
  readonly billingUrl: () => string;
  readonly canTopUp: boolean;
}

export class Attempts {
  readonly #services: AttemptServices;
  readonly #turns = new KeyedMutex();

  constructor(services: AttemptServices) {
    this.#services = services;
  }

  /** Acts on what memory knows of key and feed. If memory was stale, acts on the database's state. */
  async run<Found extends Claimed, Result extends object>(
    { call, principal: known, isWakeUp }: ReadCall,
    find: Find<Found>,
    act: (attempt: Attempt<Found>) => Promise<Result | Problem | Stale>,
  ): Promise<Result | Problem> {
    for (let tries = 1; tries <= PLANS_MAX; tries++) {
      const isFresh = tries > 1;
      const principal = isFresh ? await this.#services.keys.authenticate(call, "read") : known;
      let resource: Found;
      try {
        resource = await (isFresh ? this.#findProven(principal, find) : find(false, principal));
      } catch (error) {
        // A refusal based on memory is decided again.
        if (isFresh || !(error instanceof Problem)) throw error;
        continue;
      }
      const outcome = await act({ call, principal, isWakeUp, resource });
      if (outcome !== STALE) return outcome;
    }
    return keepsChanging("The account, or what it reads,");
  }

  /** Calls with the same Idempotency-Key take turns, so the second one finds the result of the first. */
  inTurn<Result>(
    { principal, resource }: Attempt<Claimed>,
    act: () => Promise<Result>,
  ): Promise<Result> {
    const { idempotency } = resource.claim;
    if (idempotency === undefined) return act();
    return this.#turns.run(`${principal.accountId} ${idempotency.key}`, act);
  }

  /** Proves the claim. Returns `changed` if feed or account have changed since they were looked up. */
  async prove({ principal, resource }: Attempt<Claimed>): Promise<Proof | Refusal | Changed> {
    const { caller } = principal;
    const { claim } = resource;
    const proof = await this.#services.admission.prove(caller, claim);
    if (proof.kind !== "proof") return proof;
    const { feed } = claim;
    const isAsPlanned =
      feed === undefined ||
      (proof.feed?.isReadable === true && proof.feed.definitionVersion === feed.definitionVersion);
    return isAsPlanned && caller.account.isCurrent ? proof : { kind: "changed" };
  }

  refuse({ principal, resource }: Attempt<Claimed>, refusal: Refusal | Changed): Problem | Stale {
    if (refusal.kind === "changed" || refusal.kind === "grant_unknown") return STALE;
    // The account no longer finds the feed. Looking it up again answers as for a feed that there is not.
    if (refusal.kind === "not_granted" && refusal.access === "invited") return STALE;
    const { claim } = resource;
    const { admission, billingUrl, canTopUp } = this.#services;
    admission.noteRefused(claim.operation, refusal);
    return refusalOf(refusal, {
      principal,
      operation: claim.operation,
      feedId: claim.feed?.feedId,
      billingUrl: billingUrl(),
      canTopUp,
      nowMs: Date.now(),
    });
  }

  /** Finds by the database's current state. If the key is not valid, that is the answer, whatever else is wrong. */
  async #findProven<Found>(principal: Principal, find: Find<Found>): Promise<Found> {
    const { keys } = this.#services;
    const [found, proven] = await Promise.allSettled([
      find(true, principal),
      keys.prove(principal),
    ]);
    if (proven.status === "rejected") throw proven.reason;
    if (found.status === "rejected") throw found.reason;
    return found.value;
  }
}
