/**
 * Starts the embedded PostgreSQL again if it dies while the gateway runs.
 *
 * If there are several gateways, one starts the server, and the others join it (`start.ts`). The socket keeps its path,
 * so pools reconnect by themselves.
 *
 * @module
 */
import type { Log } from "../../lib/log.ts";
import { type EmbeddedPostgres, startEmbedded } from "./start.ts";

/** Pause after a start that failed. */
const RETRY_AFTER_MS = 1_000;

/** Watches the server. Returns a function that ends the watch and leaves the newest server. */
export function reviveEmbedded(
  started: EmbeddedPostgres,
  { dataDir, log }: { readonly dataDir: string; readonly log: Log },
): () => Promise<void> {
  let current = started;
  let isLeaving = false;

  async function watch(): Promise<void> {
    while (!isLeaving) {
      await current.ended;
      if (isLeaving) return;
      log.error("PostgreSQL died; restarting it", { pid: current.pid });
      try {
        const next = await startEmbedded({ dataDir });
        // We are a user of the new server, so leaving the dead one stops nothing.
        await current.stop();
        current = next;
        log.info("PostgreSQL is running again", { pid: next.pid, joined: next.joined });
      } catch (error) {
        log.error("PostgreSQL could not be restarted", { error });
        await Bun.sleep(RETRY_AFTER_MS);
      }
    }
  }

  const watching = watch();
  return async () => {
    isLeaving = true;
    await current.stop();
    await watching;
    // The watch may have started another one in the meantime.
    await current.stop();
  };
}
