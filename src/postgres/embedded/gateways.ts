/**
 * The gateways that serve from a data directory, so that `feedgate stop` finds them.
 *
 * Each holds a lock (`lock.ts`) on a file that is named by its host and pid. The kernel frees the lock when the
 * process ends, in whatever way. So a process that has got the pid since is never taken for the gateway.
 *
 * @module
 */
import { existsSync, readdirSync, rmSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { messageOf } from "../../lib/error_fields.ts";
import { takeLock, tryLock } from "./lock.ts";
import { dataDirError, makeDataDir } from "./site.ts";

/** A gateway that serves from a data directory. */
export interface RunningGateway {
  /** The machine, or the container, in which its pid is a pid. */
  readonly host: string;
  readonly pid: number;
  hasEnded(): boolean;
}

const PREFIX = "gateway";
const FORM = new RegExp(`^${PREFIX}-(\\d+)@(.+)\\.lock$`);

/** Notes that this process serves from the directory. Returns a function that takes it back. */
export async function noteGateway(path: string): Promise<() => void> {
  try {
    const file = join(makeDataDir(path), `${PREFIX}-${process.pid}@${hostname()}.lock`);
    for (;;) {
      const free = await takeLock(file);
      // Before it was locked, it looked like that of a gateway that has ended, and may have been removed.
      if (!existsSync(file)) {
        free();
        continue;
      }
      return () => {
        rmSync(file, { force: true });
        free();
      };
    }
  } catch (error) {
    throw dataDirError(error, path);
  }
}

/**
 * Those that run, in the order of their names. What others have left behind is removed. Gateways make files: a
 * folder or a link of such a name is none of theirs.
 */
export function listGateways(dataDir: string): RunningGateway[] {
  return readdirSync(dataDir, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name)
    .sort()
    .flatMap((name) => {
      const [, pid, host = ""] = FORM.exec(name) ?? [];
      if (pid === undefined) return [];
      const hasEnded = () => removeIfFree(join(dataDir, name));
      return hasEnded() ? [] : [{ host, pid: Number(pid), hasEnded }];
    });
}

/** Whether nobody holds the lock. Then the file goes, too. @throws if it can't be asked. */
function removeIfFree(file: string): boolean {
  if (!existsSync(file)) return true;
  const free = tryToLock(file);
  if (free === undefined) return false;
  rmSync(file, { force: true });
  free();
  return true;
}

function tryToLock(file: string): (() => void) | undefined {
  try {
    return tryLock(file);
  } catch (error) {
    throw new Error(
      `${file} can't be locked (${messageOf(error)}): run this as the account of its gateway, or remove the file if none has made it`,
      { cause: error },
    );
  }
}
