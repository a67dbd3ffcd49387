/**
 * More time for a request whose body may be large and slow.
 *
 * @module
 */
import { assert } from "../lib/assert.ts";
import { UPLOAD_SECONDS_MAX } from "../limits.ts";

/** What Bun's server is needed for here. */
interface Timer {
  timeout(request: Request, seconds: number): void;
}

/** Call it before the body is read: Bun ends a request after `IDLE_SECONDS_MAX` however steadily it comes. */
export function allowUpload(request: Request, server: Timer | null): void {
  assert(server !== null, "a request comes through a listener");
  server.timeout(request, UPLOAD_SECONDS_MAX);
}
