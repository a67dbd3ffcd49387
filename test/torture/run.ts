/**
 * `bun run torture [--minutes N]`: three gateways and their PostgreSQL under mixed load, killed with -9
 * at random, gateways paused and woken, and connections between them cut. A line a minute, then a summary; exit code 1 and a list where
 * anything was violated, or where it did not come to its end in time.
 *
 * @module
 */
import { parseArgs } from "node:util";
import type { Record } from "./client.ts";
import { startLoad } from "./load.ts";
import { setScene } from "./scene.ts";
import { type Verdict, verify } from "./verify.ts";
import { startWorld, type World } from "./world.ts";

const GATEWAYS = 3;
const AGENTS = 60;
const READERS = 24;
const MINUTE_MS = 60_000;
/** Between two connections that are cut. */
const CUT_EVERY_MS = 100;
/** Between two kills. */
const PEACE_MS = { least: 1_000, most: 8_000 };
/** One gateway is paused for longer than a window, once; then some are for a while, again and again. */
const WINDOW_PAUSE_MS = 61_000;
const PAUSE_MS = { least: 500, most: 7_000 };
/** What is killed, again and again; when, and which of the gateways, is drawn. */
const TURNS = ["gateway", "database", "gateway", "database", "gateway"] as const;
/** What a run of the usual length must reach, of either kind. Issue 3. */
const KILLS_ASKED = 20;
/**
 * From the database's return to gateways that serve, those that were killed themselves included. It is printed beside
 * what was measured, and violates nothing: a machine that others use takes longer. One that hangs ends the torture.
 */
const RECOVERY_MS_MAX = 5_000;
/** What gateways have lost is refunded within this, once everything lives again. */
const REFUND_MS = 5_000;
/** For start, end and checks, beyond the minutes of the load. */
const MARGIN_MS = 4 * MINUTE_MS;

interface Kills {
  gateways: number;
  database: number;
  pauses: number;
  connections: number;
  /** The longest that the gateways took behind their database. */
  recoveryMs: number;
  /** Whether the gateways are waited for behind their database. */
  isRecovering: boolean;
}

const told = new Set<string>();
const minutes = readMinutes();
let world: World | undefined;
process.on("exit", () => world?.abandon());
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => process.exit(130));
const watchdog = setTimeout(
  () => {
    console.log(`VIOLATION the torture did not end within ${minutes} minutes and ${MARGIN_MS} ms`);
    process.exit(1);
  },
  minutes * MINUTE_MS + MARGIN_MS,
);
const code = await torture();
clearTimeout(watchdog);
process.exit(code);

async function torture(): Promise<number> {
  world = await startWorld({ gateways: GATEWAYS });
  console.log(`without load, ${GATEWAYS} gateways started in ${Math.round(world.startMs)} ms`);
  const scene = await setScene(world.sql, AGENTS);
  const load = startLoad(world, scene, { readers: READERS });
  const kills: Kills = {
    gateways: 0,
    database: 0,
    pauses: 0,
    connections: 0,
    recoveryMs: 0,
    isRecovering: false,
  };
  const endMs = performance.now() + minutes * MINUTE_MS;
  const probe = scene.walkers[0]?.key as string;
  const killing = Promise.all([
    killUntil(world, { endMs, kills, probe }),
    pauseUntil(world, { endMs, kills }),
    cutUntil(world, { endMs, kills }),
  ]);
  for (let minute = 1; performance.now() < endMs; minute++) {
    const restMs = Math.ceil(Math.min(MINUTE_MS, endMs - performance.now()));
    // Where the killing breaks off, so does all.
    await Promise.race([Bun.sleep(restMs), killing]);
    console.log(`minute ${minute}: ${progressOf(load.record, kills)}`);
    tell(load.record.violations);
  }
  await killing;
  await world.ready(probe);
  await load.stop();
  await Bun.sleep(REFUND_MS);
  const verdict = await verify(world, scene, load.record);
  await world.stop();
  world = undefined;
  for (const line of summaryOf(load.record, kills, verdict)) console.log(line);
  tell(verdict.violations);
  return verdict.violations.length === 0 ? 0 : 1;
}

/** Prints those that were not printed yet: at once, since a torture that is broken off has no summary. */
function tell(violations: Iterable<string>): void {
  for (const violation of new Set(violations).difference(told)) {
    told.add(violation);
    console.log(`VIOLATION ${violation}`);
  }
}

function readMinutes(): number {
  const { values } = parseArgs({ options: { minutes: { type: "string", default: "10" } } });
  const given = Number(values.minutes);
  if (given > 0 && Number.isFinite(given)) return given;
  console.error(`--minutes must be a number above 0, got "${values.minutes}"`);
  process.exit(2);
}

function killsText({ gateways, database, pauses, connections }: Kills): string {
  return `gateways killed ${gateways} times and paused ${pauses} times, PostgreSQL killed ${database} times, ${connections} connections cut`;
}

function progressOf(record: Record, kills: Kills): string {
  const counts = [...record.statuses].sort().map(([status, count]) => `${status}: ${count}`);
  const { answered, bought, pushes, walks, imports, exports, suspensions, violations } = record;
  return `${killsText(kills)}; ${answered.size} reads, ${bought.size} purchases, ${pushes} pushes, ${walks} walks, ${imports} imports, ${exports} exports, ${suspensions} suspensions; ${counts.join(", ")}; ${violations.size} violations`;
}

function summaryOf(record: Record, kills: Kills, verdict: Verdict): string[] {
  const { answered, bought, pushes, walks, pages, followed } = record;
  const { imports, broken, exports, resumed } = record;
  const { violations, refunded, unseen } = verdict;
  const isEnough = Math.min(kills.gateways, kills.database) >= KILLS_ASKED;
  return [
    `torture of ${minutes} minutes: ${killsText(kills)} (${isEnough ? "" : "fewer than "}${KILLS_ASKED} each)`,
    `the gateways served again within ${Math.round(kills.recoveryMs)} ms of their database (at most ${RECOVERY_MS_MAX} on a machine with room)`,
    `${answered.size} reads answered, each logged once; ${pushes} pushes acknowledged, each readable and whole; ${walks} walks of ${pages} pages, each row once; ${followed} events followed, each once and in order`,
    `${bought.size} purchases answered, each charged once; providers have earned what accounts have paid`,
    `${imports} imports acknowledged and ${broken} broken off, each whole or as before, a stream as far as it said; ${exports} exports, each one version with each row once, ${resumed} of them resumed, none charged twice`,
    `${record.suspensions} suspensions of accounts and of a feed, each held by all gateways from its answer on until its end; ${record.suspended} reads refused`,
    `${refunded} reads refunded; ${unseen} logged and charged that no client saw (in flight as their gateway was killed)`,
    violations.length === 0 ? "nothing was violated" : `${violations.length} violations`,
  ];
}

async function killUntil(
  target: World,
  { endMs, kills, probe }: { endMs: number; kills: Kills; probe: string },
): Promise<void> {
  for (let turn = 0; performance.now() < endMs; turn++) {
    await Bun.sleep(between(PEACE_MS));
    if (TURNS[turn % TURNS.length] === "gateway") {
      const index = Math.floor(Math.random() * target.bases.length);
      // A pause is to last.
      if (target.wasPaused(target.bases[index] as string, performance.now())) continue;
      kills.gateways += 1;
      await target.killGateway(index);
      continue;
    }
    kills.database += 1;
    kills.isRecovering = true;
    await target.killDatabase();
    const backMs = performance.now();
    await target.ready(probe);
    kills.isRecovering = false;
    kills.recoveryMs = Math.max(kills.recoveryMs, performance.now() - backMs);
  }
}

async function pauseUntil(
  target: World,
  { endMs, kills }: { endMs: number; kills: Kills },
): Promise<void> {
  for (let index = 0; performance.now() < endMs; index = (index + 1) % target.bases.length) {
    const isFirst = kills.pauses === 0;
    const ms = isFirst ? WINDOW_PAUSE_MS : between(PAUSE_MS);
    const restMs = endMs - performance.now();
    if (ms < restMs && (await target.pauseGateway(index, ms))) kills.pauses += 1;
    await Bun.sleep(Math.min(between(PEACE_MS), restMs));
  }
}

function between({ least, most }: { readonly least: number; readonly most: number }): number {
  return least + Math.random() * (most - least);
}

async function cutUntil(
  target: World,
  { endMs, kills }: { endMs: number; kills: Kills },
): Promise<void> {
  while (performance.now() < endMs) {
    await Bun.sleep(CUT_EVERY_MS);
    // A gateway that loses a connection while it starts exits. If all of them start at once, these are the only
    // connections: each would be cut, and on a slow machine none would ever serve.
    if (kills.isRecovering) continue;
    // PostgreSQL may be killed meanwhile.
    if (await target.cutConnection().catch(() => false)) kills.connections += 1;
  }
}
