/**
 * Admits operations of consumers and providers on pages, with the key of the session: the checks and rate limits are
 * those of the same call over HTTP.
 *
 * @module
 */
import type { Principal } from "../../api/callers/callers.ts";
import { countUnlogged, type HousekeepingOperation } from "../../api/callers/unlogged_calls.ts";
import { assert } from "../../lib/assert.ts";
import type { Services } from "../../services.ts";
import type { Session } from "./sessions.ts";

/** @throws {Problem} 401, 403, 429, 503 */
export type Admit = (operation: HousekeepingOperation) => Promise<Principal>;

export function admitBy(services: Services, { key, role }: Session): Admit {
  return async (operation) => {
    assert(role !== "admin", "an operator's key belongs to no account");
    const principal = await services.keys.identify(key, role);
    countUnlogged(services, principal.caller, operation);
    return principal;
  };
}
