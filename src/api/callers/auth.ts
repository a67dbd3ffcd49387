/**
 * Who calls: a plugin for routes that need a key. Interface 5, decisions 2 and 3.
 *
 * It runs before the parameters are checked, so a missing key is reported before a wrong parameter. A key that is
 * remembered may have been revoked. Before a refusal `problems.ts` checks that, and before a read `admission`.
 *
 * @module
 */
import { Elysia } from "elysia";
import type { Permission } from "../../accounts/key_format.ts";
import { callPlugin } from "../../http/call.ts";
import { exactQuery } from "../input/parameters.ts";
import type { Keys, Principal } from "./callers.ts";
import type { Arrival } from "./operators_listener.ts";

/**
 * Gives `principal`, the owner of a key with this permission, to the routes behind it.
 *
 * @param besides is called with the route's `id` if the key has to be looked up, and begins what is asked for next. So
 * both need one round trip.
 */
export function authenticated(keys: Keys, permission: Permission, besides?: (id: string) => void) {
  return new Elysia({
    name: "authenticated",
    seed: { permission, hasBesides: besides !== undefined },
  })
    .use(callPlugin())
    .derive(async ({ call, params }) => {
      call.isKeyed = true;
      const principal = await keys.authenticate(call, permission, () => {
        if (besides !== undefined && "id" in params) besides(String(params.id));
      });
      call.proveKey = () => keys.prove(principal);
      return { principal };
    })
    .use(exactQuery())
    .as("scoped");
}

/**
 * Gives `principal` where a call has a key; a call without one is let through, and counted by `countKeyless`.
 *
 * @param countKeyless undefined: a key is needed
 */
export function authenticatedIfKeyed(
  keys: Keys,
  countKeyless: ((from: Arrival) => void) | undefined,
) {
  return new Elysia({
    name: "authenticated if keyed",
    seed: { isOptional: countKeyless !== undefined },
  })
    .use(callPlugin())
    .derive(
      async ({ call, request, server }): Promise<{ readonly principal: Principal | undefined }> => {
        call.isKeyed = true;
        const { headers } = call.request;
        if (
          countKeyless !== undefined &&
          !headers.has("x-api-key") &&
          !headers.has("authorization")
        ) {
          countKeyless({ request, server });
          return { principal: undefined };
        }
        const principal = await keys.authenticate(call, "read");
        call.proveKey = () => keys.prove(principal);
        return { principal };
      },
    )
    .use(exactQuery())
    .as("scoped");
}
