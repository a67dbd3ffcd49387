import { expect, test } from "bun:test";
import { usedDataDir } from "../support/folders.ts";
import { startLoad } from "../torture/load.ts";
import { setScene } from "../torture/scene.ts";
import { verify } from "../torture/verify.ts";
import { startWorld } from "../torture/world.ts";

const BETWEEN_KILLS_MS = 1_000;
const REFUND_MS = 1_500;

test("kill -9 of a gateway and of PostgreSQL under load: nothing seen is lost, nothing is charged twice", async () => {
  const world = await startWorld({ gateways: 2, dataDir: await usedDataDir() });
  try {
    const scene = await setScene(world.sql, 12);
    const load = startLoad(world, scene, { readers: 12 });
    await Bun.sleep(BETWEEN_KILLS_MS);
    await world.killGateway(0);
    await Bun.sleep(BETWEEN_KILLS_MS);
    await world.killDatabase();
    await Bun.sleep(BETWEEN_KILLS_MS);
    await world.ready(scene.walkers[0]?.key as string);
    await load.stop();
    await Bun.sleep(REFUND_MS);
    const { violations } = await verify(world, scene, load.record);
    expect(violations).toEqual([]);
    expect(load.record.answered.size).toBeGreaterThan(100);
    expect(load.record.bought.size).toBeGreaterThan(10);
    expect(load.record.pushes).toBeGreaterThan(20);
  } finally {
    await world.stop();
  }
}, 60_000);
