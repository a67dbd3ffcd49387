/**
 * Who calls the operator's API: an admin key. It belongs to no account, so it stands for no account either: it reads no
 * feeds, pushes nothing and is charged nothing. Beyond 5.
 *
 * A key is looked up for each call, so a revoked one is refused from the next call on.
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
  /** As the audit trail names it. */
  readonly actor: Actor;
  /** The key itself, which seals what is kept for a repeat of the call. */
  readonly key: string;
}

/** Gives `operator`, the caller by its admin key, to the routes behind it. @throws {Problem} 401, 403, 429 */
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
