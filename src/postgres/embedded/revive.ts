/**
 * Starts the embedded PostgreSQL again when it has died under a living gateway.
 *
 * Where it has ended, the data directory is entered anew: of several gateways one starts the server, the
 * others join it (`start.ts`). The socket has the same path as before, so that pools reconnect by
 * themselves. On Windows the server gets another port: there a gateway must be started again.
 *
 * @module
 */
import type { Log } from "../../lib/log.ts";
import { type EmbeddedPostgres, startEmbedded } from "./start.ts";

export interface ReviveOptions {
  /** The one that the server was started with. */
  readonly dataDir: string;
  readonly log: Log;
}

/** After a start that failed. */
const RETRY_AFTER_MS = 1_000;

/** Returns what ends the watch and leaves the server, the latest one. */
export function reviveEmbedded(
  started: EmbeddedPostgres,
  { dataDir, log }: ReviveOptions,
): () => Promise<void> {
  let current = started;
  let isLeaving = false;

  async function watch(): Promise<void> {
    for (;;) {
      await current.ended;
      if (isLeaving) return;
      log.error("PostgreSQL has died, starting it again", { pid: current.pid });
      try {
        const next = await startEmbedded({ dataDir });
        // We are among its users: to leave the one that has died stops nothing.
        await current.stop();
        current = next;
        log.info("PostgreSQL runs again", { pid: next.pid, joined: next.joined });
      } catch (error) {
        log.error("PostgreSQL could not be started again", { error });
        await Bun.sleep(RETRY_AFTER_MS);
      }
    }
  }

  const watching = watch();
  return async () => {
    isLeaving = true;
    await current.stop();
    await watching;
    // It was started while we left.
    await current.stop();
  };
}
