/**
 * Refuses calls while the process has more connections than it serves (`connections.ts`).
 *
 * @module
 */
import { Elysia } from "elysia";
import type { HttpContext } from "../call.ts";
import { unavailable } from "../problem_details.ts";

/** Applies to the routes registered after it. A refused call gets 503, and its connection is closed. */
export function refuseCrowd({ isCrowded }: HttpContext) {
  return new Elysia({ name: "crowded" }).onTransform({ as: "global" }, (): void => {
    if (!isCrowded()) return;
    throw unavailable("The gateway has too many connections. Try again in a second.", {
      headers: { Connection: "close" },
    });
  });
}
