/**
 * Statements that reached a server of the wrong role, which was sent nothing, go to another host.
 *
 * @module
 */
import { WRONG_ROLE } from "./sockets.ts";

/** How often a statement looks for another server. */
const HOSTS_TRIED_MAX = 5;

/** Runs `send`, again where the server that it reached has not the wanted role. */
export async function retryWrongRole<Result>(send: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries++) {
    try {
      return await send();
    } catch (error) {
      const code = (error as { code?: unknown } | null)?.code;
      if (code !== WRONG_ROLE || tries >= HOSTS_TRIED_MAX) throw error;
    }
  }
}
