/**
 * A database of the newest release is served by this version, and upgraded under load to one that comes after it. There
 * is none yet, so it is made of this one: it has more migrations, and other functions.
 *
 * @module
 */
import { expect, test } from "bun:test";
import { appendFileSync, cpSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { RELEASES, unpackRelease } from "../release/scene.ts";
import { temporaryFolder } from "../support/folders.ts";
import { startLoad } from "../torture/load.ts";
import { setScene } from "../torture/scene.ts";
import { verify } from "../torture/verify.ts";
import { startWorld } from "../torture/world.ts";

const ROOT = resolve(import.meta.dir, "../..");
/** What a call of every kind passes in. */
const LOAD_MS = 1_500;
const REFUND_MS = 1_500;
const ASKED_AGAIN_SHARE_MAX = 0.1;

/**
 * They change what each read, push and purchase is in the middle of. Each locks one table that those use: one that held
 * two could be part of a deadlock.
 */
const NEXT_MIGRATIONS = [
  "alter table accounts add column next_text text not null default 'next'",
  "alter table api_keys add column next_text text",
  "alter table feeds add column next_text text not null default 'next'",
  "alter table usage_events add column next_count bigint not null default 0",
  "create table next_things (thing_id uuid primary key, feed_id uuid not null)",
  "create index feeds_next on feeds (next_text)",
];

/** The program of the next version, from its sources. */
function makeNext(): string[] {
  const home = temporaryFolder();
  for (const name of ["src", "sql", "package.json", "tsconfig.json"]) {
    cpSync(join(ROOT, name), join(home, name), { recursive: true });
  }
  symlinkSync(join(ROOT, "node_modules"), join(home, "node_modules"));
  const migrations = join(home, "sql/migrations");
  const known = readdirSync(migrations).length;
  for (const [place, text] of NEXT_MIGRATIONS.entries()) {
    const number = String(known + 1 + place).padStart(4, "0");
    writeFileSync(join(migrations, `${number}_next.sql`), `${text};\n`);
  }
  appendFileSync(join(home, "sql/jobs/functions/run_job.sql"), "-- Of the next version.\n");
  const generated = Bun.spawnSync([process.execPath, "src/build/generate_statements.ts"], {
    cwd: home,
  });
  expect([generated.exitCode, generated.stderr.toString()]).toEqual([0, ""]);
  return [process.execPath, join(home, "src/main.ts")];
}

test("an upgrade under load: gateways of the version before serve on while it migrates, and nothing is lost when they are replaced", async () => {
  const program = makeNext();
  const newest = RELEASES.at(-1) ?? "";
  const world = await startWorld({ gateways: 2, dataDir: unpackRelease(newest) });
  try {
    const scene = await setScene(world.sql, 12);
    const { record, comesTo, stop } = startLoad(world, scene, { readers: 12 });
    await Bun.sleep(LOAD_MS);
    const migrating = Bun.spawn([...program, "migrate", "--json"], {
      env: { PATH: process.env.PATH ?? "", DATABASE_URL: world.databaseUrl },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const said = await Promise.all([
      new Response(migrating.stdout).text(),
      new Response(migrating.stderr).text(),
    ]);
    expect([await migrating.exited, said[1]]).toEqual([0, ""]);
    await Bun.sleep(LOAD_MS);
    const [column] = await world.sql`select next_text from accounts limit 1`;
    expect(column).toEqual({ next_text: "next" });
    // Nothing failed so far, and on a busy machine only a few had to ask again.
    const failures = [...record.statuses.keys()].filter((status) => !/^([24]|503$)/.test(status));
    expect(failures).toEqual([]);
    const answers = [...record.statuses.values()].reduce((sum, count) => sum + count, 0);
    expect((record.statuses.get("503") ?? 0) / answers).toBeLessThan(ASKED_AGAIN_SHARE_MAX);
    const before = record.answered.size;
    for (const index of world.bases.keys()) {
      await world.replaceGateway(index, program);
      await Bun.sleep(LOAD_MS);
    }
    await world.ready(scene.walkers[0]?.key as string);
    await comesTo({ reads: before + 51, purchases: 11, pushes: 21 });
    await stop();
    await Bun.sleep(REFUND_MS);
    const { violations } = await verify(world, scene, record);
    expect(violations).toEqual([]);
  } finally {
    await world.stop();
  }
});
