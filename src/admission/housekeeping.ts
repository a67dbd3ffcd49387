/**
 * Calls that are counted and neither charged nor logged: account, usage, own feeds, create and edit.
 * Decisions 10.
 *
 * @module
 */
import type { Call } from "../http/call.ts";
import type { Principal } from "../key/keys.ts";
import { assert } from "../lib/assert.ts";
import { HOUSEKEEPING_LIMIT, REVALIDATION_LIMIT } from "../limits.ts";
import type { Admission, Operation } from "./admission.ts";
import { refusalOf } from "./refusal.ts";

export interface HousekeepingCall {
  readonly call: Call;
  readonly principal: Principal;
  readonly operation: Extract<Operation, "account" | "usage" | "feeds" | "save">;
}

/** Proves the key and counts the call; HEAD has a window of its own. @throws {Problem} 401, 403, 429, 503 */
export async function admitHousekeeping(
  services: { readonly admission: Admission; readonly billingUrl: () => string },
  { call, principal, operation }: HousekeepingCall,
): Promise<void> {
  const { keyId, accountId, permission } = principal;
  const decision = await services.admission.admit({
    keyId,
    accountId,
    operation: call.isHead ? "revalidate" : operation,
    limit: call.isHead ? REVALIDATION_LIMIT : HOUSEKEEPING_LIMIT,
    isGone: () => call.request.signal.aborted,
  });
  if (decision.kind === "granted") return;
  assert(decision.kind !== "stale", "a claim that names no definition is never stale");
  throw refusalOf(decision, {
    permission,
    billingUrl: services.billingUrl(),
    nowMs: Date.now(),
  });
}
