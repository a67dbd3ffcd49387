/**
 * More time for requests whose body may be large and slow: a plugin for the routes that take one.
 *
 * @module
 */
import { Elysia } from "elysia";
import { assert } from "../../lib/assert.ts";
import { UPLOAD_SECONDS_MAX } from "../../limits.ts";

/** Without this, Bun would end a request after `IDLE_SECONDS_MAX`, even if its body comes steadily. */
export function uploads() {
  return new Elysia({ name: "uploads" }).onBeforeHandle(
    { as: "scoped" },
    ({ request, server }): void => {
      assert(server !== null, "a request comes through a listener");
      server.timeout(request, UPLOAD_SECONDS_MAX);
    },
  );
}
