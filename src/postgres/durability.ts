/**
 * Checks whether committed data survives a crash of the server, a crash of its machine, or a failover.
 *
 * The promise that no usage id is lost once a client has seen it depends on the server's settings. `doctor`, the start,
 * and `/readyz` check them.
 *
 * @module
 */
import type { Row } from "./client/database.ts";

export interface DurabilityFault {
  /**
   * `bad`: a crash of PostgreSQL alone can lose what clients have seen. `low`: a crash of its machine or a failover
   * can.
   */
  readonly health: "bad" | "low";
  readonly found: string;
  readonly hint: string;
}

/**
 * The worst setting that would lose commits, or undefined if there is none. `hasStandbys`: whether the address names
 * several hosts.
 */
export function findDurabilityFault(
  settings: Row<"find_durability">,
  { hasStandbys }: { readonly hasStandbys: boolean },
): DurabilityFault | undefined {
  const { synchronous_commit: commit, fsync, full_page_writes: pages, standby_names } = settings;
  // Our sessions set it, except behind a pooler, which would refuse that.
  if (commit === "off") {
    return {
      health: "bad",
      found: "synchronous_commit is off, so a crash can lose committed data that clients have seen",
      hint: "set it to on for the pooler's database and role (ALTER DATABASE, ALTER ROLE)",
    };
  }
  const off = [fsync === "off" && "fsync", pages === "off" && "full_page_writes"].filter(Boolean);
  if (off.length > 0) {
    return {
      health: "low",
      found: `${off.join(" and ")} off, so a machine crash can lose or corrupt data`,
      hint: "turn it on in postgresql.conf, unless the data is disposable",
    };
  }
  if (hasStandbys && standby_names === "") {
    return {
      health: "low",
      found:
        "synchronous_standby_names is empty, so a failover can lose committed data that clients have seen",
      hint: "list the standbys in synchronous_standby_names, or let Patroni do so (synchronous_mode)",
    };
  }
  if (standby_names !== "" && ["local", "remote_write"].includes(commit)) {
    return {
      health: "low",
      found: `synchronous_commit is ${commit}, so a failover can lose committed data that clients have seen`,
      hint: "set it to on for the pooler's database and role (ALTER DATABASE, ALTER ROLE)",
    };
  }
  return undefined;
}
