/**
 * Creates the cluster (PostgreSQL's term for its data files) with `initdb`.
 *
 * @module
 */
import { spawn } from "node:child_process";
import { existsSync, readdirSync, renameSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { spawnOptions } from "./keeper.ts";
import { makePrivateDir, type Programs, type Site } from "./site.ts";

/** The only superuser. Only an account that can open the socket's directory can connect as it. */
export const SUPERUSER = "postgres";
/** Separates the name of a cluster from the unique suffix of its draft's name. */
const DRAFT_MARK = ".new-";
const SAID_CHARS_MAX = 2_000;

/**
 * Creates the cluster if there is none. It is created under a temporary name and then renamed, so that a killed
 * `initdb` leaves no incomplete cluster. The caller must hold the data directory's lock.
 */
export async function createCluster(site: Site, programs: Programs): Promise<void> {
  if (existsSync(join(site.cluster, "PG_VERSION"))) return;
  removeDrafts(site.cluster);
  const draft = makeDraft(site);
  const said = await initialize(site, programs, draft);
  if (said !== "") {
    rmSync(draft, { recursive: true, force: true });
    throw new Error(
      `initdb could not create the database in ${site.cluster}: set DATABASE_URL to your own PostgreSQL, or fix the error:\n${said.slice(-SAID_CHARS_MAX)}`,
    );
  }
  renameSync(draft, site.cluster);
}

/** A private folder beside the cluster, which becomes the cluster when it is renamed. */
export function makeDraft({ cluster, account }: Site): string {
  const draft = `${cluster}${DRAFT_MARK}${Bun.randomUUIDv7()}`;
  makePrivateDir(draft, account);
  return draft;
}

/** Removes what killed starts have left behind. */
function removeDrafts(cluster: string): void {
  const home = dirname(cluster);
  for (const name of readdirSync(home)) {
    if (!name.startsWith(`${basename(cluster)}${DRAFT_MARK}`)) continue;
    try {
      rmSync(join(home, name), { recursive: true, force: true });
    } catch {
      // An `initdb` that outlived its gateway still writes to it. The next start without a cluster tries again.
    }
  }
}

/** Runs `initdb`. Returns "", or its output if it failed. */
async function initialize(site: Site, programs: Programs, folder: string): Promise<string> {
  const args = ["-D", folder, "-U", SUPERUSER, "-A", "trust", "-E", "UTF8", "--no-instructions"];
  // The builtin provider sorts the same on every machine, whatever its C library.
  args.push("--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--lc-messages=C");
  const initdb = [join(programs.folder, "bin", "initdb"), ...args];
  const said = await runProgram(initdb, site, programs);
  if (!said.includes("could not look up effective user ID")) return said;
  // `initdb` needs a name for its uid, and in a container the uid may have none. In its own user namespace, its name is
  // nobody, and what it writes still belongs to our uid.
  const nobody = ["unshare", "--user", "--map-user=65534", "--map-group=65534"];
  const mapped = await runProgram([...nobody, ...initdb], site, programs);
  return mapped === "" ? "" : `${said}${mapped}add the uid to /etc/passwd\n`;
}

/** Runs a program of PostgreSQL to its end. Returns "", or its output if it failed. */
export async function runProgram(
  command: readonly string[],
  site: Site,
  programs: Programs,
): Promise<string> {
  const [program = "", ...args] = command;
  const child = spawn(program, args, {
    ...spawnOptions(site.account, programs),
    // In its own session, so that Ctrl-C reaches only us.
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk) => {
      said += chunk;
    });
  }
  return await new Promise((done) => {
    child.on("error", (error) => done(`${program}: ${error.message}\n`));
    child.on("close", (code) => done(code === 0 ? "" : `${said}exit code ${code}\n`));
  });
}
