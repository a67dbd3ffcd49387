/**
 * The gateways that serve from a data directory. `feedgate stop` uses them, and `feedgate console` uses their
 * addresses.
 *
 * Each holds a lock (`lock.ts`) on a file that is named by its host and pid. The kernel releases the lock when the
 * process ends for any reason, so another process that got the same pid later is never mistaken for the gateway.
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
  /** The machine or container in which the pid is valid. */
  readonly host: string;
  readonly pid: number;
  hasEnded(): boolean;
  /** Undefined until it serves. */
  readUrls(): GatewayUrls | undefined;
}

/** Base addresses of links to a gateway, without a trailing slash. */
export interface GatewayUrls {
  readonly clients: string;
  /** The same as `clients`, unless operators have their own listener. */
  readonly operators: string;
}

/** The note of this process. */
export interface GatewayNote {
  /** Adds the addresses where it serves. */
  tell(urls: GatewayUrls): void;
  takeBack(): void;
}

const PREFIX = "gateway";
const FORM = new RegExp(`^${PREFIX}-(\\d+)@(.+)\\.lock$`);

/** Records that this process serves from the directory. */
export async function noteGateway(path: string): Promise<GatewayNote> {
  try {
    const file = join(makeDataDir(path), `${PREFIX}-${process.pid}@${hostname()}.lock`);
    for (;;) {
      const free = await takeLock(file);
      // Before it was locked, it looked like the note of a gateway that has ended, so it may have been removed.
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
 * The gateways that are running, in name order. Files of others are removed. Gateways create plain files, so a folder
 * or a link with such a name is ignored.
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

/** Whether the lock is free. If it is, the file is removed. @throws if the lock can't be checked. */
function removeIfFree(file: string): boolean {
  if (!existsSync(file)) return true;
  const free = tryToLock(file);
  // The file may be gone by now, because its gateway removes it when it ends.
  if (free === undefined) return !existsSync(file);
  removeFiles(file);
  free();
  return true;
}

/** The lock's file stays empty, so the addresses have their own file. */
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
    // It does not serve yet, or is being written.
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
      `${file} can't be locked (${messageOf(error)}): run this command as the gateway's account, or remove the file if no gateway created it`,
      { cause: error },
    );
  }
}
