/**
 * Who was refused a moment ago. What such a caller asks for next is admitted before work is done for it,
 * so that calls which nobody pays for, and which count in no window, cost no page and no search.
 *
 * It only chooses the order: whether a call is refused, admission says each time.
 *
 * @module
 */
import { BoundedPairMap } from "../lib/bounded_pair_map.ts";
import { KNOWN_WINDOWS_MAX } from "../limits.ts";
import type { Claim, Decision, Operation } from "./admission.ts";

/** How long a refusal is remembered, in milliseconds. */
const REMEMBERED_MS = 60_000;
/** What costs a page or a search. The limit of 304s and that of an account's own affairs say nothing of it. */
const OPERATIONS: ReadonlySet<Operation> = new Set(["data", "metadata", "catalog", "search"]);
const REFUSALS: ReadonlySet<Decision["kind"]> = new Set([
  "limited",
  "unpaid",
  "not_purchased",
  "key_refused",
  "key_reused",
]);

/** Who asks, and for which feed, where for one. */
export type ReadCaller = Pick<Claim, "accountId" | "feedId">;

export class LatelyRefused {
  /** By account and feed, when the last refusal is forgotten, on the process's monotonic clock. */
  readonly #until = new BoundedPairMap<number>(KNOWN_WINDOWS_MAX);

  note(claim: Claim, { kind }: Decision): void {
    if (!REFUSALS.has(kind) || !OPERATIONS.has(claim.operation)) return;
    this.#until.set(claim.accountId, claim.feedId ?? "", performance.now() + REMEMBERED_MS);
  }

  has({ accountId, feedId = "" }: ReadCaller): boolean {
    return (this.#until.get(accountId, feedId) ?? 0) > performance.now();
  }
}
