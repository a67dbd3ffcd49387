import { afterAll, beforeAll, expect, test } from "bun:test";
import { shareTestGateway, type TestGateway } from "../support/gateway.ts";
import { whenBusy } from "../support/pace.ts";
import { seedFeed } from "../support/seed.ts";

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await shareTestGateway();
});
afterAll(() => gateway.stop());

/** The account's version and generation. */
async function stateOf(accountId: string) {
  const [row] = await gateway.sql`
    select version, generation from accounts where account_id = ${accountId}`;
  return { version: row?.version as bigint, generation: row?.generation as bigint };
}

test("an account's version is renewed by every change of its row, its keys and its purchases", async () => {
  const { sql } = gateway;
  const accountId = await gateway.createAccount({ credits: 5 });
  const key = await gateway.createKey(accountId, "read");
  const { feedId } = await seedFeed(gateway, await gateway.createAccount(), {
    type: "singleton",
    rows: [{}],
    oneTimePriceCents: 100,
  });
  const columns = await sql`
    select column_name as name from information_schema.columns
    where table_name = 'accounts' and table_schema = 'public'`;
  const ofRow = columns
    .map(({ name }) => name as string)
    .filter((name) => !["account_id", "version"].includes(name))
    .map(
      (name) => () =>
        sql`
      update accounts set ${sql(name)} = ${sql(name)} where account_id = ${accountId}`,
    );
  const changes = [
    ...ofRow,
    () => sql`select append_ledger_entry(${accountId}, 'grant', 1, 'test', null)`,
    () => sql`select record_purchase(${accountId}, ${feedId}, null, null)`,
    () => sql`update purchases set purchased_at = now() where account_id = ${accountId}`,
    () => sql`select undo_purchase(${accountId}, ${feedId}, 'test', null)`,
    () => gateway.createKey(accountId, "read"),
    () => sql`update api_keys set expires_at = now() where account_id = ${accountId}`,
    () => sql`update api_keys set revoked_at = now() where account_id = ${accountId}`,
    () => sql`update api_keys set permission = 'write' where account_id = ${accountId}`,
    () => sql`delete from api_keys where account_id = ${accountId}`,
  ];
  expect(key).toStartWith("fg_read_");
  for (const change of changes) {
    const before = await stateOf(accountId);
    await change();
    const after = await stateOf(accountId);
    expect(after.version).not.toBe(before.version);
    expect(after.generation).not.toBe(before.generation);
  }
});

test("a read renews its account's version and not its generation; a key's last use renews neither", async () => {
  const { sql } = gateway;
  const accountId = await gateway.createAccount();
  const key = await gateway.createKey(accountId, "read");
  const before = await stateOf(accountId);
  expect((await gateway.get("/v1/catalog", key)).status).toBe(200);
  const after = await stateOf(accountId);
  expect(after.version).not.toBe(before.version);
  expect(after.generation).toBe(before.generation);
  await sql`update api_keys set last_used_at = now() where account_id = ${accountId}`;
  expect(await stateOf(accountId)).toEqual(after);
});

test("one account that four gateways read as fast as they can: the limit holds, and no read is put off again and again", async () => {
  const limit = 400;
  const limits = { FEEDGATE_READ_LIMIT_FREE: String(limit) };
  const peers = await Promise.all([1, 2, 3, 4].map(() => gateway.startPeer(limits)));
  const owner = await gateway.createAccount();
  const { slug } = await seedFeed(gateway, owner, { type: "collection", rows: [{ id: 1 }] });
  const key = await gateway.createKey(await gateway.createAccount(), "read");
  const statuses = new Set<number>();
  let slowestMs = 0;
  let granted = 0;
  // Within a window, however slow the machine is; and for a while behind the limit.
  let endMs = performance.now() + 30_000;
  const reader = async ({ baseUrl }: { baseUrl: string }) => {
    while (performance.now() < endMs) {
      const startedMs = performance.now();
      const { status } = await fetch(`${baseUrl}/v1/feed/${slug}`, {
        headers: { "x-api-key": key },
      });
      slowestMs = Math.max(slowestMs, performance.now() - startedMs);
      statuses.add(status);
      if (status !== 200) continue;
      granted += 1;
      if (granted === limit) endMs = performance.now() + 500;
    }
  };
  await Promise.all(peers.flatMap((peer) => [peer, peer, peer, peer].map(reader)));
  expect(granted).toBe(limit);
  expect(statuses).toEqual(new Set([200, 429]));
  // A second where the machine is quiet.
  expect(slowestMs).toBeLessThan(whenBusy(5_000));
});
