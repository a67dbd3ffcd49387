/**
 * Remembers the newest timeline of each cluster, so that no older primary is used.
 *
 * A standby that is promoted starts a timeline with a higher number. If the previous primary comes back, both are
 * writable, and only the number distinguishes them. A primary with a lower timeline than this process has seen is
 * refused, and open sessions on it are closed. PostgreSQL manual, 26.3.5.
 *
 * Timelines are compared within one cluster only: `initdb` gives each cluster an identifier, which its standbys share.
 *
 * @module
 */

/** A primary's position in the history of its cluster. */
export interface Lineage {
  /** The cluster's identifier. */
  readonly system: string;
  readonly timeline: number;
}

export type Timelines = ReturnType<typeof createTimelines>;

/**
 * Asks a session for its server's lineage. Any role may ask. A standby has no timeline of its own, so there is no row.
 */
export const LINEAGE_QUERY = `
  select 'lineage ' || system_identifier || ' ' || left(pg_walfile_name(pg_current_wal_lsn()), 8)
    as lineage
  from pg_control_system()
  where not pg_is_in_recovery()`;

/** The query's result, recognizable among the bytes of a message. */
const LINEAGE = /lineage (\d+) ([0-9A-F]{8})/;

/** Parses the answer to `LINEAGE_QUERY`. Undefined if the server does not report it, such as a standby. */
export function readLineage(answer: unknown): Lineage | undefined {
  const [, system, timeline] = typeof answer === "string" ? (LINEAGE.exec(answer) ?? []) : [];
  if (system === undefined || timeline === undefined) return undefined;
  return { system, timeline: Number.parseInt(timeline, 16) };
}

/** The memory of a process. It has one entry per cluster that the process has connected to. */
export function createTimelines() {
  const newest = new Map<string, number>();
  const sessions = new Map<object, { readonly lineage: Lineage; readonly close: () => void }>();

  /** The newest timeline of the lineage's cluster. If it is higher, the lineage is old. */
  function newestOf({ system, timeline }: Lineage): number {
    return Math.max(newest.get(system) ?? 0, timeline);
  }

  function isOld(lineage: Lineage): boolean {
    return lineage.timeline < newestOf(lineage);
  }

  return {
    newestOf,
    isOld,
    /** Remembers the lineage. If it is the newest so far, sessions on older timelines are closed. */
    note(lineage: Lineage): void {
      if (isOld(lineage)) return;
      newest.set(lineage.system, lineage.timeline);
      for (const session of [...sessions.values()]) {
        if (isOld(session.lineage)) session.close();
      }
    },
    /**
     * Watches a session on a primary. Calls `close` when a newer timeline is seen. Returns a function that ends the
     * watch.
     */
    watch(lineage: Lineage, close: () => void): () => void {
      const session = {};
      sessions.set(session, { lineage, close });
      return () => sessions.delete(session);
    },
  };
}

/** The memory of this process. */
export const processTimelines = createTimelines();
