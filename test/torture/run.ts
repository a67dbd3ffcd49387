/**
 * `bun run torture [--minutes N]`: three gateways and their PostgreSQL under mixed load, killed with -9
 * at random. A line a minute, a summary, and exit code 1 with a list where anything was violated.
 *
 * @module
 */
import { parseArgs } from "node:util";
import { startLoad } from "./load.ts";
import { setScene } from "./scene.ts";
import { verify } from "./verify.ts";
import { startWorld, type World } from "./world.ts";

const GATEWAYS = 3;
const AGENTS = 60;
const READERS = 24;
const MINUTE_MS = 60_000;
/** Between two kills. */
const PEACE_MS = { least: 1_000, most: 8_000 };
const DATABASE_SHARE = 0.3;
/** What gateways have lost is refunded within this, once everything lives again. */
const REFUND_MS = 5_000;

const { values } = parseArgs({ options: { minutes: { type: "string", default: "10" } } });
const minutes = Number(values.minutes);
if (!(minutes > 0)) {
  console.error(`--minutes must be a number above 0, got "${values.minutes}"`);
  process.exit(2);
}

const world = await startWorld({ gateways: GATEWAYS });
const scene = await setScene(world.sql, AGENTS);
const load = startLoad(world, scene, { readers: READERS });
const kills = { gateways: 0, database: 0 };
const endMs = performance.now() + minutes * MINUTE_MS;
const killing = killUntil(world, endMs);
for (let minute = 1; performance.now() < endMs; minute++) {
  await Bun.sleep(Math.ceil(Math.min(MINUTE_MS, endMs - performance.now())));
  console.log(`minute ${minute}: ${figures()}`);
}
await killing;
await world.ready();
await load.stop();
await Bun.sleep(REFUND_MS);
const { violations, unseen, refunded } = await verify(world, scene, load.record);
console.log(
  `${figures()}; ${refunded} reads refunded, ${unseen} logged that no client saw (of killed gateways)`,
);
await world.stop();
for (const violation of violations) console.log(`VIOLATION ${violation}`);
console.log(violations.length === 0 ? "nothing was violated" : `${violations.length} violations`);
process.exit(violations.length === 0 ? 0 : 1);

function figures(): string {
  const { statuses, pushes, answered } = load.record;
  const counts = [...statuses].sort().map(([status, count]) => `${status}: ${count}`);
  return `${kills.gateways} gateways and ${kills.database} databases killed; ${answered.size} reads and ${pushes} pushes acknowledged; ${counts.join(", ")}; ${load.record.violations.size} violations`;
}

async function killUntil(target: World, untilMs: number): Promise<void> {
  while (performance.now() < untilMs) {
    await Bun.sleep(PEACE_MS.least + Math.random() * (PEACE_MS.most - PEACE_MS.least));
    if (Math.random() < DATABASE_SHARE) {
      kills.database += 1;
      await target.killDatabase();
    } else {
      kills.gateways += 1;
      await target.killGateway(Math.floor(Math.random() * target.bases.length));
    }
  }
}
