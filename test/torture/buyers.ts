/**
 * Buyers of one-time feeds, and an operator that undoes purchases: what was bought stays bought until it is undone, and
 * nobody is charged twice, whatever is killed.
 *
 * @module
 */
import { createDatabase } from "../../src/postgres/client/database.ts";
import { type Answer, any, type Client } from "./client.ts";
import { type AgentKey, type Scene, SOLD_CREDITS, type TortureFeed } from "./scene.ts";
import type { World } from "./world.ts";

export interface BuyersOptions {
  readonly world: World;
  readonly scene: Scene;
  readonly isStopping: () => boolean;
}

const BUYERS = 4;
const BUY_PAUSE_MS = 40;
const UNDO_PAUSE_MS = 150;
const EXPECTED = new Set([200, 201, 402, 403, 404, 409, 429, 503]);

/** Loops that end when the torture stops. */
export function startBuyers(client: Client, options: BuyersOptions): Promise<void>[] {
  const { world, scene, isStopping } = options;
  const { record, violate } = client;
  /** By `account feed`: the purchase that a client has seen, and that nobody has undone. */
  const standing = new Map<string, string>();
  /** Those that are bought or undone right now. */
  const busy = new Set<string>();
  let orders = 0;

  async function alone(pair: string, run: () => Promise<void>): Promise<void> {
    if (busy.has(pair)) return;
    busy.add(pair);
    try {
      await run();
    } finally {
      busy.delete(pair);
    }
  }

  async function order(agent: AgentKey, feed: TortureFeed, key: string | undefined) {
    const answer = await client.ask(`/v1/feed/${feed.slug}/purchase`, {
      method: "POST",
      headers: {
        "x-api-key": agent.key,
        "Content-Type": "application/json",
        ...(key !== undefined && { "Idempotency-Key": key }),
      },
      body: JSON.stringify({ max_credits: SOLD_CREDITS }),
    });
    if (answer !== undefined && !EXPECTED.has(answer.status)) {
      violate(`a purchase: ${answer.status} ${JSON.stringify(answer.body).slice(0, 300)}`);
    }
    return answer;
  }

  function note(pair: string, { accountId }: AgentKey, feed: TortureFeed, answer: Answer): void {
    const { status, body } = answer;
    const known = standing.get(pair);
    if (known !== undefined && status === 402) violate(`a purchase was lost: ${body.code}`);
    if (status !== 200 && status !== 201) return;
    const id = String(body.purchase_id);
    if (known !== undefined && known !== id) violate(`bought twice: ${known} and ${id}`);
    if (record.bought.get(id)?.state === "undone") violate(`${id} was undone and came back`);
    standing.set(pair, id);
    record.bought.set(id, { accountId, feedId: feed.feedId, state: "standing" });
  }

  async function buy(pair: string, agent: AgentKey, feed: TortureFeed): Promise<void> {
    orders += 1;
    const key = orders % 2 === 0 ? `order-${orders}` : undefined;
    const isBought = standing.has(pair);
    // Twice at once, mostly through two gateways.
    const answers = await Promise.all([order(agent, feed, key), order(agent, feed, key)]);
    const made = answers.filter((answer) => answer?.status === 201).length;
    if (made > (isBought ? 0 : 1)) violate(`a feed was bought ${made} times more`);
    for (const answer of answers) if (answer !== undefined) note(pair, agent, feed, answer);
    if (!standing.has(pair)) return;
    const read = await client.read(agent, feed);
    if (read?.status === 402) violate(`a feed that was bought is ${read.body.code}`);
  }

  async function buyer(): Promise<void> {
    while (!isStopping()) {
      await Bun.sleep(BUY_PAUSE_MS * 2 * Math.random());
      const [agent, feed] = [any(scene.keys), any(scene.sold)];
      const pair = `${agent.accountId} ${feed.feedId}`;
      await alone(pair, () => buy(pair, agent, feed));
    }
  }

  async function undo(pair: string): Promise<void> {
    const id = standing.get(pair);
    const purchase = record.bought.get(id ?? "");
    if (purchase === undefined) return;
    // If the database dies under it, nobody knows.
    purchase.state = "unknown";
    standing.delete(pair);
    try {
      const row = await createDatabase(world.sql).row("undo_purchase", {
        account_id: purchase.accountId,
        feed_id: purchase.feedId,
        reason: "torture",
        actor: null,
      });
      if (row?.outcome === "undone") purchase.state = "undone";
      else violate(`a purchase that was seen is ${row?.outcome}`);
    } catch {
      // The database is down.
    }
  }

  async function undoer(): Promise<void> {
    while (!isStopping()) {
      await Bun.sleep(UNDO_PAUSE_MS * 2 * Math.random());
      const pair = any([...standing.keys()]);
      if (pair !== undefined) await alone(pair, () => undo(pair));
    }
  }

  return [...Array.from({ length: BUYERS }, buyer), undoer()];
}
