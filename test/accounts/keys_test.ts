import { expect, test } from "bun:test";
import { generateKey, hashKey } from "../../src/accounts/key_format.ts";
import { Admission } from "../../src/admission/admission.ts";
import { Keys } from "../../src/http/keys.ts";
import type { Database } from "../../src/postgres/client/query.ts";

test("a use that could not be written is written with the next", async () => {
  const key = generateKey("read");
  const keyId = crypto.randomUUID();
  const written: unknown[] = [];
  let isDown = true;
  const database = {
    row: async (_name: string, [hash]: [Uint8Array]) =>
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
    async rows(name: string, [keyIds]: [string[]]) {
      if (isDown) throw new Error("down");
      written.push([name, keyIds]);
      return [];
    },
  };
  const admission = new Admission({ database: database as unknown as Database });
  const keys = new Keys(database as unknown as Database, admission);
  const request = new Request("http://localhost/v1/catalog", { headers: { "x-api-key": key } });
  const call = { request, requestId: "r", search: "", isHead: false, subject: {} };
  await keys.authenticate(call, "read");
  await expect(keys.flushUses()).rejects.toThrow("down");
  isDown = false;
  await keys.flushUses();
  await keys.flushUses();
  expect(written).toEqual([["touch_keys", [keyId]]]);
});
