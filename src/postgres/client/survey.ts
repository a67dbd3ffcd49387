/**
 * Finds the newest of several primaries, before a connection is opened.
 *
 * After a failover, the old primary may come back and accept writes like the new one. So all hosts are asked for their
 * timelines in parallel, and all connections opened in the same second share the result. The first survey waits for
 * each host for as long as a connection may take. Later ones wait only briefly for hosts that are slower than the first
 * primary, because this process already knows the newest timeline.
 *
 * An old primary is marked as old in its own database, so that a gateway that reaches only that one also refuses it.
 *
 * @module
 */
import { within } from "../../lib/within.ts";
import type { DatabaseHost } from "./address.ts";
import type { Lineage, Timelines } from "./timelines.ts";

/** Returns the hosts that are primaries, newest first. Never rejects. */
export type Survey = () => Promise<readonly DatabaseHost[]>;

/** A primary from before a failover that still accepts connections. */
export interface OldPrimary {
  readonly host: DatabaseHost;
  readonly timeline: number;
  readonly newestTimeline: number;
  /** Why it could not be marked as old. Undefined if it was. */
  readonly error?: unknown;
}

export interface SurveyOptions {
  readonly hosts: readonly DatabaseHost[];
  readonly timelines: Timelines;
  /** The host's lineage, or undefined for a standby. Rejects if the host can't be reached. */
  readonly probe: (host: DatabaseHost) => Promise<Lineage | undefined>;
  /** Writes the newest timeline into an old primary's database. */
  readonly mark: (host: DatabaseHost, newest: Lineage) => Promise<void>;
  /** For one host, in milliseconds. */
  readonly timeoutMs: number;
  /** Called once for each old primary. */
  readonly onOldPrimary?: ((found: OldPrimary) => void) | undefined;
}

/** Maximum age of a survey. */
const FRESH_MS = 1_000;
/** How long a later survey waits for other hosts once a primary has answered. */
const SLOW_MS = 300;

export function createSurvey(options: SurveyOptions): Survey {
  const { hosts, timelines, probe, mark, timeoutMs, onOldPrimary } = options;
  const lineages = new Map<DatabaseHost, Lineage>();
  const marked = new Set<DatabaseHost>();
  let isFirst = true;
  let begunMs = Number.NEGATIVE_INFINITY;
  let surveying = Promise.resolve();

  async function ask(host: DatabaseHost): Promise<Lineage | undefined> {
    // A host that can't be reached counts as no primary. The next connection to it fails with the reason.
    const answer = await within(probe(host), timeoutMs).catch(() => undefined);
    const lineage = answer === "late" ? undefined : answer;
    if (lineage === undefined) {
      lineages.delete(host);
    } else {
      lineages.set(host, lineage);
      timelines.note(lineage);
    }
    return lineage;
  }

  async function survey(): Promise<void> {
    const found = Promise.withResolvers<void>();
    const all = Promise.all(
      hosts.map(async (host) => {
        const lineage = await ask(host);
        if (lineage !== undefined && !isFirst) setTimeout(found.resolve, SLOW_MS);
      }),
    );
    await Promise.race([all, found.promise]);
    isFirst = false;
    await Promise.all([...lineages].map(([host, lineage]) => markIfOld(host, lineage)));
  }

  async function markIfOld(host: DatabaseHost, lineage: Lineage): Promise<void> {
    if (!timelines.isOld(lineage)) {
      marked.delete(host);
      return;
    }
    if (marked.has(host)) return;
    marked.add(host);
    const newestTimeline = timelines.newestOf(lineage);
    const marking = mark(host, { ...lineage, timeline: newestTimeline });
    const error = await within(marking, timeoutMs).then(
      (done) => done,
      (reason: unknown) => reason,
    );
    onOldPrimary?.({ host, timeline: lineage.timeline, newestTimeline, error });
  }

  return async () => {
    if (performance.now() - begunMs > FRESH_MS) {
      begunMs = performance.now();
      surveying = survey();
    }
    await surveying;
    const primaries = [...lineages].filter(([, lineage]) => !timelines.isOld(lineage));
    // Sorting is stable, so among equals the first host in the address comes first.
    return hosts
      .flatMap((host) => primaries.filter(([each]) => each === host))
      .sort(([, one], [, other]) => other.timeline - one.timeline)
      .map(([host]) => host);
  };
}
