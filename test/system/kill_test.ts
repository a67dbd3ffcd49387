import { expect, test } from "bun:test";
import { findViolations } from "../support/account_checks.ts";
import { usedDataDir } from "../support/folders.ts";
import { startLoad } from "../torture/load.ts";
import { SOLD_CREDITS, setScene } from "../torture/scene.ts";
import { verify } from "../torture/verify.ts";
import { startWorld } from "../torture/world.ts";

const REFUND_MS = 1_500;

test("kill -9 of a gateway and of PostgreSQL under load: nothing seen is lost, nothing is charged twice", async () => {
  const world = await startWorld({ gateways: 2, dataDir: await usedDataDir() });
  try {
    const scene = await setScene(world.sql, 12);
    const load = startLoad(world, scene, { readers: 12 });
    await load.comesTo({ reads: 40, purchases: 4, pushes: 8 });
    await world.killGateway(0);
    await load.comesTo({ reads: 80, purchases: 8, pushes: 16 });
    await world.killDatabase();
    await world.ready(scene.walkers[0]?.key as string);
    await load.comesTo({ reads: 120, purchases: 12, pushes: 24 });
    await load.stop();
    await Bun.sleep(REFUND_MS);
    const { violations } = await verify(world, scene, load.record);
    expect(violations).toEqual([]);
  } finally {
    await world.stop();
  }
});

test("kill -9 of a gateway amid purchases: none that a client saw is lost, and none is charged twice", async () => {
  const world = await startWorld({ gateways: 2, dataDir: await usedDataDir() });
  try {
    const { sql, bases } = world;
    const scene = await setScene(sql, 0);
    const push = await fetch(`${bases[0]}/v1/provider/feed/${scene.sold[0]?.feedId}/push`, {
      method: "POST",
      headers: { Authorization: `Bearer ${scene.writeKey}`, "Content-Type": "application/json" },
      body: '{"rate":1}',
    });
    expect(push.status).toBe(200);
    const agents = await Promise.all(Array.from({ length: 60 }, () => scene.addRichAgent()));
    /** What the buyer was answered; undefined if no answer came. */
    const buy = async (base: string | undefined, key: string) => {
      const response = await fetch(`${base}/v1/feed/sold-0/purchase`, {
        method: "POST",
        headers: { "x-api-key": key, "Content-Type": "application/json" },
        body: JSON.stringify({ max_credits: SOLD_CREDITS }),
      });
      const { purchase_id: id } = (await response.json()) as { purchase_id?: string };
      return { status: response.status, id };
    };
    // A few at a time, so that the kill is between the first and the last.
    const waiting = [...agents];
    const seen = new Map<string, string>();
    const buyer = async () => {
      for (let agent = waiting.pop(); agent !== undefined; agent = waiting.pop()) {
        const answer = await buy(bases[0], agent.key).catch(() => undefined);
        if (answer?.status === 201) seen.set(agent.accountId, answer.id as string);
        if (seen.size === 20) void world.killGateway(0);
        if (answer === undefined) return;
      }
    };
    await Promise.all(Array.from({ length: 8 }, buyer));
    expect(seen.size).toBeGreaterThanOrEqual(20);
    expect(seen.size).toBeLessThan(agents.length);
    for (const { accountId, key } of agents) {
      const again = await buy(bases[1], key);
      const first = seen.get(accountId);
      if (first === undefined) expect([200, 201]).toContain(again.status);
      else expect(again).toEqual({ status: 200, id: first });
      seen.set(accountId, again.id as string);
    }
    const events = await sql`
      select account_id, usage_id, refunded from usage_events where operation = 'purchase'`;
    expect(new Map(events.map((event) => [event.account_id, event.usage_id]))).toEqual(seen);
    expect(events).toHaveLength(agents.length);
    expect(events.filter(({ refunded }) => refunded)).toEqual([]);
    expect(await findViolations(sql)).toEqual([]);
  } finally {
    await world.stop();
  }
});
