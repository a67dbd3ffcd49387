/**
 * Who calls: a plugin for routes that need a key. Interface 5, decisions 2 and 3.
 *
 * It runs before the parameters are checked, so a missing key is reported before a wrong parameter. A key that is
 * remembered may have been revoked. Before a refusal `problems.ts` checks that, and before a read `admission`.
 *
 * @module
 */
import { Elysia } from "elysia";
import { type Call, callPlugin } from "./call.ts";
import { exactQuery } from "./parameters.ts";

/** Knows keys. */
export interface Authenticator<Principal> {
  /** Finds the owner of the request's key, and notes it in `call.subject`. Throws 401 or 403. */
  authenticate(call: Call, permission: "read" | "write"): Principal | Promise<Principal>;
  /** Throws 401 or 403 if the key is no longer usable. */
  prove(principal: Principal): Promise<void>;
}

/** Gives `principal`, the owner of a key with this permission, to the routes behind it. */
export function authenticated<Principal>(
  keys: Authenticator<Principal>,
  permission: "read" | "write",
) {
  return new Elysia({ name: "authenticated", seed: permission })
    .use(callPlugin())
    .derive(async ({ call }) => {
      call.isKeyed = true;
      const principal = await keys.authenticate(call, permission);
      call.proveKey = () => keys.prove(principal);
      return { principal };
    })
    .use(exactQuery())
    .as("scoped");
}
