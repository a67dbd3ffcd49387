/**
 * What both clusters of `bun run failover` share: three PostgreSQL servers of Debian's package on the loopback address.
 *
 * @module
 */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { findProcesses, signalFamilies, waitFor } from "../support/processes.ts";

const VERSIONS = "/usr/lib/postgresql";
/** The account that the servers run as. */
export const ACCOUNT = "postgres";
export const NODES = ["a", "b", "c"] as const;
export const START_MS_MAX = 120_000;

export type NodeName = (typeof NODES)[number];

/** A primary and two standbys, one of which has each commit before it is answered. */
export interface FailoverCluster {
  /** Names all three servers. */
  readonly url: string;
  readonly postgresVersion: string;
  /** The node that takes writes now; undefined while none does. */
  leader(): Promise<NodeName | undefined>;
  /** Resolves when another node than `old` takes writes. */
  untilPromoted(old: NodeName): Promise<NodeName>;
  /** Resolves when one leads and two stream from it, one of them synchronously. */
  untilWhole(): Promise<void>;
  /** Ends by SIGKILL all that runs on a node, as if its machine had lost power. */
  kill(name: NodeName): Promise<void>;
  /** Ends a node's PostgreSQL alone by SIGKILL. Undefined: nothing would notice and bring it back as a standby. */
  readonly crash: ((name: NodeName) => Promise<void>) | undefined;
  /** Brings a node that was killed back, as a standby. */
  start(name: NodeName): void;
  stop(): Promise<void>;
}

/** Undefined: no PostgreSQL of Debian's is here. */
export function newestVersion(): string | undefined {
  try {
    return readdirSync(VERSIONS).toSorted((one, other) => Number(other) - Number(one))[0];
  } catch {
    // The folder comes with the package.
    return undefined;
  }
}

/** Where the programs of a version are. */
export function programsOf(version: string): string {
  return join(VERSIONS, version, "bin");
}

/** The sentence that names what is missing. Undefined: nothing is. */
export function describeMissing(missing: readonly string[], packages: string): string | undefined {
  if (missing.length === 0) return undefined;
  return `${missing.join(", ")} not found: install the packages ${packages}`;
}

/** @throws if it is not so in time. */
export async function until(isSo: () => Promise<boolean>, waitMs: number): Promise<void> {
  if (!(await waitFor(isSo, waitMs))) throw new Error(`not within ${waitMs} ms: ${isSo}`);
}

/** Ends by SIGKILL, at once, all processes that name the folder, and their children. */
export async function killAll(folder: string): Promise<void> {
  signalFamilies(findProcesses(folder), "SIGKILL");
  await until(async () => findProcesses(folder).length === 0, START_MS_MAX);
}
