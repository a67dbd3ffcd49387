/**
 * Admits calls that are counted, but neither charged nor logged: account, usage, own feeds, create and edit.
 * Decisions 10.
 *
 * @module
 */

import type { Admission } from "../admission/admission.ts";
import type { UnloggedOperation } from "../admission/claims.ts";
import type { Call } from "../http/call.ts";
import type { Keys, Principal } from "./callers.ts";
import { refusalOf } from "./refusals.ts";

interface HousekeepingCall {
  readonly call: Call;
  readonly principal: Principal;
  readonly operation: Exclude<UnloggedOperation, "revalidate">;
}

/** Checks the key and counts the call. HEAD has a window of its own. @throws {Problem} 401, 403, 429, 503 */
export async function admitHousekeeping(
  services: {
    readonly admission: Admission;
    readonly keys: Keys;
    readonly billingUrl: () => string;
  },
  { call, principal, operation }: HousekeepingCall,
): Promise<void> {
  const { admission, keys, billingUrl } = services;
  await keys.prove(principal);
  const counted = call.isHead ? "revalidate" : operation;
  const refusal = admission.countUnlogged(principal.caller, counted);
  if (refusal === undefined) return;
  throw refusalOf(refusal, { principal, billingUrl: billingUrl(), nowMs: Date.now() });
}
