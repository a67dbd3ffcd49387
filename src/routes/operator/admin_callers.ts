/**
 * Authenticates callers of the operator API by their admin key. Such a key belongs to no account, so it can't read or
 * push, and is charged nothing.
 *
 * The key is looked up on every call, so a revoked key is refused from the next call on.
 *
 * See `src/spec/beyond.md`, section 5.
 *
 * @module
 */
import { Elysia } from "elysia";
import { type Actor, adminKeyActor } from "../../accounts/actor.ts";
import type { Keys } from "../../api/callers/callers.ts";
import { visitorOf } from "../../api/callers/faces.ts";
import { rateLimitedFor } from "../../api/callers/rate_headers.ts";
import { exactQuery } from "../../api/input/parameters.ts";
import { callPlugin } from "../../http/call.ts";
import { BoundedMap } from "../../lib/bounded_map.ts";
import { TokenBucket } from "../../lib/token_bucket.ts";
import { ADMIN_KEYS_COUNTED_MAX, OPERATOR_LIMIT, WINDOW_MS } from "../../limits.ts";

/** The caller of an operator route. */
export interface OperatorPrincipal {
  readonly keyId: string;
  /** The caller's name in the audit trail. */
  readonly actor: Actor;
  /** The key itself. It encrypts responses that are stored for repeated calls. */
  readonly key: string;
}

/** Adds `operator`, the caller, to the context of the routes registered after it. @throws {Problem} 401, 403, 429 */
export function asOperator(keys: Keys) {
  const buckets = new BoundedMap<string, TokenBucket>(ADMIN_KEYS_COUNTED_MAX);
  const count = (keyId: string) => {
    const bucket =
      buckets.get(keyId) ?? new TokenBucket({ capacity: OPERATOR_LIMIT, fillMs: WINDOW_MS });
    buckets.set(keyId, bucket);
    const retryAfterMs = bucket.take();
    if (retryAfterMs > 0) {
      throw rateLimitedFor(retryAfterMs, { limit: OPERATOR_LIMIT, of: "calls with an admin key" });
    }
  };
  return new Elysia({ name: "operator's key" })
    .use(callPlugin())
    .derive(async ({ call }) => {
      call.isKeyed = true;
      const { keyId, name, key } = await keys.authenticateOperator(call);
      count(keyId);
      const actor = visitorOf(call.request) ?? adminKeyActor({ keyId, name }, "api");
      const operator: OperatorPrincipal = { keyId, actor, key };
      return { operator };
    })
    .use(exactQuery())
    .as("scoped");
}
