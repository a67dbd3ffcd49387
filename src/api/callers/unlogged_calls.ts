/**
 * Admits calls that are counted but neither charged nor logged: account, usage, own feeds, create, and edit.
 *
 * @module
 */

import type { Admission } from "../../admission/admission.ts";
import type { UnloggedOperation } from "../../admission/claims.ts";
import type { Caller } from "../../admission/known_accounts.ts";
import type { Call } from "../../http/call.ts";
import type { Problem } from "../../http/problem_details.ts";
import { refusalOf } from "../problems/call_refusals.ts";
import type { Keys, Principal } from "./callers.ts";

/** A call that `admitHousekeeping` counts. */
export type HousekeepingOperation = Exclude<UnloggedOperation, "revalidate" | "mcp">;

interface HousekeepingCall {
  readonly call: Call;
  readonly principal: Principal;
  readonly operation: HousekeepingOperation;
}

interface Counting {
  readonly admission: Admission;
  readonly billingUrl: () => string;
}

/** Checks the key and counts the call. HEAD is counted in its own window. @throws {Problem} 401, 403, 429, 503 */
export async function admitHousekeeping(
  services: Counting & { readonly keys: Keys },
  { call, principal, operation }: HousekeepingCall,
): Promise<void> {
  await services.keys.prove(principal);
  countUnlogged(services, principal.caller, call.isHead ? "revalidate" : operation);
}

/** Counts a call whose key was proven. @throws {Problem} 429 */
export function countUnlogged(
  services: Counting,
  caller: Caller,
  operation: UnloggedOperation,
): void {
  const refused = triedUnlogged(services, caller, operation);
  if (refused !== undefined) throw refused;
}

/** Counts the call, unless the limit is reached: then returns why it is refused, a 429. */
export function triedUnlogged(
  { admission, billingUrl }: Counting,
  caller: Caller,
  operation: UnloggedOperation,
): Problem | undefined {
  const refusal = admission.countUnlogged(caller, operation);
  if (refusal === undefined) return undefined;
  const principal = { permission: caller.permission, accountId: caller.account.id };
  return refusalOf(refusal, { principal, billingUrl: billingUrl(), nowMs: Date.now() });
}
