/**
 * The gateways that serve from a data directory, so that `feedgate stop` finds them, and `feedgate console` their
 * addresses.
 *
 * Each holds a lock (`lock.ts`) on a file that is named by its host and pid. The kernel frees the lock when the
 * process ends, in whatever way. So a process that has got the pid since is never taken for the gateway.
 *
 * @module
 */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { codeOf, messageOf } from "../../lib/error_fields.ts";
import { isObject } from "../../lib/records.ts";
import { takeLock, tryLock } from "./lock.ts";
import { dataDirError, makeDataDir } from "./site.ts";

/** A gateway that serves from a data directory. */
export interface RunningGateway {
  /** The machine, or the container, in which its pid is a pid. */
  readonly host: string;
  readonly pid: number;
  hasEnded(): boolean;
  /** Undefined until it serves. */
  readUrls(): GatewayUrls | undefined;
}

/** What links to a gateway begin with, without a slash at the end. */
export interface GatewayUrls {
  readonly clients: string;
  /** The same, unless operators have a listener of their own. */
  readonly operators: string;
}

/** The note of this process. */
export interface GatewayNote {
  /** Adds where it serves. */
  tell(urls: GatewayUrls): void;
  takeBack(): void;
}

const PREFIX = "gateway";
const FORM = new RegExp(`^${PREFIX}-(\\d+)@(.+)\\.lock$`);

/** Notes that this process serves from the directory. */
export async function noteGateway(path: string): Promise<GatewayNote> {
  try {
    const file = join(makeDataDir(path), `${PREFIX}-${process.pid}@${hostname()}.lock`);
    for (;;) {
      const free = await takeLock(file);
      // Before it was locked, it looked like that of a gateway that has ended, and may have been removed.
      if (!existsSync(file)) {
        free();
        continue;
      }
      return {
        tell(urls) {
          // A new file, so that nothing is written through a link.
          rmSync(urlsFile(file), { force: true });
          writeFileSync(urlsFile(file), JSON.stringify(urls), { flag: "wx", mode: 0o600 });
        },
        takeBack() {
          removeFiles(file);
          free();
        },
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
      if (hasEnded()) return [];
      const file = urlsFile(join(dataDir, name));
      return [{ host, pid: Number(pid), hasEnded, readUrls: () => readUrls(file) }];
    });
}

/** Whether nobody holds the lock. Then the file goes, too. @throws if it can't be asked. */
function removeIfFree(file: string): boolean {
  if (!existsSync(file)) return true;
  const free = tryToLock(file);
  // It may be gone by now: its gateway removes it as it ends.
  if (free === undefined) return !existsSync(file);
  removeFiles(file);
  free();
  return true;
}

/** The lock's file stays empty, so the addresses have one of their own. */
function urlsFile(lockFile: string): string {
  return lockFile.replace(/lock$/, "urls");
}

function removeFiles(lockFile: string): void {
  rmSync(urlsFile(lockFile), { force: true });
  rmSync(lockFile, { force: true });
}

function readUrls(file: string): GatewayUrls | undefined {
  try {
    const told: unknown = JSON.parse(readFileSync(file, "utf8"));
    return isObject(told) && isUrl(told.clients) && isUrl(told.operators)
      ? { clients: told.clients, operators: told.operators }
      : undefined;
  } catch (error) {
    // It does not serve yet, or is just writing.
    if (codeOf(error) === "ENOENT" || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function isUrl(value: unknown): value is string {
  return typeof value === "string" && URL.canParse(value);
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
