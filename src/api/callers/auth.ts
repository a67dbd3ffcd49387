/**
 * Authenticates callers: a plugin for routes that need a key.
 *
 * It runs before the parameters are checked, so a missing key is reported before a wrong parameter. A cached key may
 * have been revoked. `problems.ts` checks that before a refusal, and `admission` before a read. See
 * `src/spec/decisions.md`, section 3.
 *
 * @module
 */
import { Elysia } from "elysia";
import { type Permission, permissionOf } from "../../accounts/key_format.ts";
import { callPlugin } from "../../http/call.ts";
import { exactQuery } from "../input/parameters.ts";
import { bearerOf, type Keys, type Principal } from "./callers.ts";
import type { Arrival } from "./operators_listener.ts";

/**
 * Adds `principal`, the owner of a key with this permission, to the context of the routes registered after it.
 *
 * @param besides called with the route's `id` if the key has to be looked up, to start the next look-up, so that both
 * take one round trip
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

/** Adds `principal`, the owner of a read or write key. A write key is a bearer token. */
export function authenticatedByAny(keys: Keys) {
  return new Elysia({ name: "authenticated by any" })
    .use(callPlugin())
    .derive(async ({ call }) => {
      call.isKeyed = true;
      const { headers } = call.request;
      const bearer = headers.has("x-api-key") ? undefined : bearerOf(headers);
      const isWrite = bearer !== undefined && permissionOf(bearer) === "write";
      const principal = await keys.authenticate(call, isWrite ? "write" : "read");
      call.proveKey = () => keys.prove(principal);
      return { principal };
    })
    .use(exactQuery())
    .as("scoped");
}

/**
 * Adds `principal` if a call has a key. A call without one is allowed, and counted by `countKeyless`.
 *
 * @param countKeyless if undefined, a key is required
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
