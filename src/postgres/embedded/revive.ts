/**
 * Starts the embedded PostgreSQL again when it has died under a living gateway.
 *
 * In goes the server that was started or joined; every so often its process is looked for. Where it is
 * gone, the data directory is entered anew: of several gateways one starts the server, the others join
 * it (`start.ts`). The socket has the same path as before, so that pools reconnect by themselves. On
 * Windows the server gets another port: there a gateway must be started again.
 *
 * @module
 */
import type { Log } from "../../lib/log.ts";
import { type EmbeddedPostgres, startEmbedded } from "./start.ts";
import { findProcess, isAlive } from "./users.ts";

export interface SuperviseOptions {
  /** The one that the server was started with. */
  readonly dataDir: string;
  readonly log: Log;
}

export interface Supervised {
  /** Ends the watch and leaves the server, the latest one. */
  stop(): Promise<void>;
}

const LOOK_EVERY_MS = 250;
/** After a start that failed. */
const RETRY_AFTER_MS = 1_000;

export function superviseEmbedded(
  started: EmbeddedPostgres,
  { dataDir, log }: SuperviseOptions,
): Supervised {
  let embedded = started;
  let server = findProcess(started.pid);
  let reviving: Promise<void> | undefined;

  async function revive(): Promise<void> {
    log.error("PostgreSQL has died, starting it again", { pid: embedded.pid });
    try {
      const next = await startEmbedded({ dataDir });
      // Its entry among the users is written: to leave with the old one stops nothing.
      await embedded.stop();
      embedded = next;
      server = findProcess(next.pid);
      log.info("PostgreSQL runs again", { pid: next.pid, joined: next.joined });
    } catch (error) {
      log.error("PostgreSQL could not be started again", { error });
      await Bun.sleep(RETRY_AFTER_MS);
    }
  }

  const looking = setInterval(() => {
    if (reviving !== undefined || (server !== undefined && isAlive(server))) return;
    reviving = revive().finally(() => {
      reviving = undefined;
    });
  }, LOOK_EVERY_MS);

  return {
    async stop() {
      clearInterval(looking);
      await reviving;
      await embedded.stop();
    },
  };
}
