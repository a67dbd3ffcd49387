import { expect, test } from "bun:test";
import { generateKey, hashKey } from "../../../src/accounts/key_format.ts";
import { Admission } from "../../../src/admission/admission.ts";
import { Keys } from "../../../src/api/callers/callers.ts";
import type { Database } from "../../../src/postgres/client/database.ts";
import { shareTestGateway } from "../../support/gateway.ts";

test("a use that could not be written is written with the next", async () => {
  const key = generateKey("read");
  const keyId = crypto.randomUUID();
  const written: { name: string; key_ids: string[]; ages_ms: bigint[] }[] = [];
  let isDown = true;
  const database = {
    row: async (_name: string, { key_hash: hash }: { key_hash: Uint8Array }) =>
      Buffer.from(hash).equals(hashKey(key))
        ? {
            key_id: keyId,
            chain_id: keyId,
            account_id: crypto.randomUUID(),
            permission: "read",
            key_end_us: null,
            daily_nanos: null,
            feed_ids: null,
            suspension_reason: null,
            now_us: 1n,
            news: '[1, 1, "0", 0, [], null]',
          }
        : undefined,
    async rows(name: string, parameters: { key_ids: string[]; ages_ms: bigint[] }) {
      if (isDown) throw new Error("down");
      written.push({ name, ...parameters });
      return [];
    },
  };
  const admission = new Admission({ database: database as unknown as Database });
  const keys = new Keys(database as unknown as Database, admission);
  const request = new Request("http://localhost/v1/catalog", { headers: { "x-api-key": key } });
  const call = { request, requestId: "r", search: "", isHead: false, subject: {} };
  await keys.authenticate(call, "read");
  await expect(keys.flushUses()).rejects.toThrow("down");
  await Bun.sleep(50);
  isDown = false;
  await keys.flushUses();
  await keys.flushUses();
  expect(written).toEqual([
    { name: "touch_keys", key_ids: [keyId], ages_ms: [expect.any(BigInt)] },
  ]);
  expect(Number(written[0]?.ages_ms[0])).toBeWithin(50, 5_000);
});

test("a key with the scheme of the other header before it is taken, and one in quotes is told apart", async () => {
  const gateway = await shareTestGateway();
  const key = await gateway.createKey(await gateway.createAccount(), "read");
  const answerTo = async (headers: Record<string, string>) => {
    const response = await fetch(`${gateway.baseUrl}/v1/catalog`, { headers });
    const { detail } = (await response.json()) as { detail?: string };
    return [response.status, detail];
  };
  for (const scheme of ["Bearer", "bearer ", "BEARER"]) {
    expect(await answerTo({ "x-api-key": `${scheme} ${key}` })).toEqual([200, undefined]);
  }
  const quoted = [403, "The key is in quotes. Send it without them."];
  for (const sent of [`"${key}"`, `'${key}'`, `${key}"`, `Bearer "${key}"`]) {
    expect(await answerTo({ "x-api-key": sent })).toEqual(quoted);
  }
  expect(await answerTo({ Authorization: `Bearer "${key}"` })).toEqual(quoted);
  const unknown = [403, expect.stringContaining("unknown, revoked or expired")];
  for (const sent of ["Bearer", "Bearer x", `Bearer Bearer ${key}`, `${key.slice(0, -1)}!`]) {
    expect(await answerTo({ "x-api-key": sent })).toEqual(unknown);
  }
  await gateway.stop();
});

test("last_used_at is the time of the use, whenever it is written; a call after the end is none", async () => {
  const gateway = await shareTestGateway();
  const { sql, gateway: own } = gateway;
  const accountId = await gateway.createAccount();
  const key = await gateway.createKey(accountId, "read");
  const flush = () => own.services.keys.flushUses();
  const lastUsed = async () => {
    const [row] = await sql`
      select last_used_at < revoked_at as before_end, last_used_at,
        extract(epoch from clock_timestamp() - last_used_at)::float as age
      from api_keys where account_id = ${accountId}`;
    return row;
  };
  const read = async () => (await gateway.get("/v1/catalog", key)).status;
  expect(await read()).toBe(200);
  await Bun.sleep(100);
  await sql`update api_keys set revoked_at = clock_timestamp() where account_id = ${accountId}`;
  await flush();
  const written = await lastUsed();
  expect(written?.before_end).toBe(true);
  expect(written?.age).toBeGreaterThan(0.09);
  expect(await read()).toBe(403);
  await flush();
  expect((await lastUsed())?.last_used_at).toBe(written?.last_used_at);
  // Another process may have written down a later use.
  await sql`
    update api_keys set revoked_at = null, last_used_at = clock_timestamp() + interval '1 minute'
    where account_id = ${accountId}`;
  expect(await read()).toBe(200);
  await flush();
  expect((await lastUsed())?.age).toBeLessThan(-50);
  await gateway.stop();
});
