/**
 * Allows more time for requests whose body may be large and slow. A plugin for the routes that accept one.
 *
 * @module
 */
import { Elysia } from "elysia";
import { assert } from "../../lib/assert.ts";
import { UPLOAD_SECONDS_MAX } from "../../limits.ts";

/** Without this, Bun would end a request after `IDLE_SECONDS_MAX`, even if its body arrives steadily. */
export function uploads() {
  return new Elysia({ name: "uploads" }).onBeforeHandle(
    { as: "scoped" },
    ({ request, server }): void => {
      assert(server !== null, "a request comes through a listener");
      server.timeout(request, UPLOAD_SECONDS_MAX);
    },
  );
}
