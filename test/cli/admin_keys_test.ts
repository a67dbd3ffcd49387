import { describe, expect, test } from "bun:test";
import { generateKey, permissionOf } from "../../src/accounts/key_format.ts";
import { problemOf } from "../support/gateway.ts";
import { seedFeed } from "../support/seed.ts";
import { failed, refused, startOperatedGateway, UNKNOWN_ID } from "./support.ts";

const { gateway, operator } = await startOperatedGateway();

interface Key {
  readonly id: string;
  readonly key: string;
}

async function createAdminKey(name: string, ...options: readonly string[]): Promise<Key> {
  const argv = ["key", "create", "--permission", "admin", "--name", name, ...options];
  return (await operator.json(...argv)) as Key;
}

describe("admin keys", () => {
  test("one belongs to no account, is printed once, and is listed apart", async () => {
    const made = await createAdminKey("shop", "--expires", "2030-01-01");
    expect(permissionOf(made.key)).toBe("admin");
    expect(made).toEqual({
      id: expect.any(String),
      key: expect.stringMatching(/^fg_admin_/),
      permission: "admin",
      account_id: null,
      name: "shop",
      expires_at: "2030-01-01T00:00:00Z",
      daily_credits: null,
      feed_ids: null,
    } as unknown as Key);
    const accountId = await gateway.createAccount();
    await gateway.createKey(accountId, "read");
    const listed = (await operator.json("key", "list", "--permission", "admin")) as Key[];
    expect(listed.map(({ id }) => id)).toEqual([made.id]);
    expect(JSON.stringify(listed)).not.toContain(made.key);
    const ofAccount = (await operator.json("key", "list", "--account", accountId)) as Key[];
    expect(ofAccount).toHaveLength(1);
    const found = { id: made.id, account_id: null, account_name: null, name: "shop" };
    expect(await operator.json("key", "find", made.key)).toMatchObject(found);
  });

  test("an account and an admin key exclude each other, and one of them is needed", async () => {
    for (const [line, message] of [
      [`key create --account ${UNKNOWN_ID} --permission admin --name S`, "omit --account"],
      ["key create --permission admin --name S --daily-credits 5", "daily budget"],
      ["key create --permission read --account a --daily-credits 5 --daily-usd 5", "not both"],
      ["key create --permission admin", "needs --name"],
      ["key create --permission read", "--account is required"],
      ["key list", "--permission admin"],
      [`key list --account ${UNKNOWN_ID} --permission admin`, "--permission admin"],
    ] as const) {
      failed(await operator.run(line.split(" ")), 2, message);
    }
  });

  test("one is edited, rotated and revoked by the command, and the audit trail has all of it", async () => {
    const { id } = await createAdminKey("ops");
    expect(await operator.json("key", "edit", id, "--name", "night")).toMatchObject({
      name: "night",
    });
    refused(await operator.run(["key", "edit", id, "--daily-credits", "5"]), "can't read feeds");
    const next = (await operator.json("key", "rotate", id, "--grace", "1h")) as Key;
    expect(next).toMatchObject({ replaces: id, permission: "admin", name: "night" } as object);
    expect(permissionOf(next.key)).toBe("admin");
    const revoked = await operator.json("key", "revoke", id);
    expect(revoked).toMatchObject({ id, revoked_at: expect.any(String) });
    // A second time changes nothing.
    expect(await operator.json("key", "revoke", id)).toEqual(revoked);
    refused(await operator.run(["key", "rotate", id]), "revoked");
    refused(await operator.run(["key", "edit", id, "--name", "x"]), "revoked");
    refused(await operator.run(["key", "revoke", UNKNOWN_ID]), "no key");
    const audit = (await operator.json("audit", "--limit", "1000")) as {
      action: string;
      account_id: string | null;
      after: { key_id: string; permission?: string };
    }[];
    const newest = audit.slice(0, 5);
    expect(newest.map(({ action, after }) => [action, after.key_id])).toEqual([
      ["key revoke", id],
      // The old key gets its end.
      ["key edit", id],
      ["key create", next.id],
      ["key edit", id],
      ["key create", id],
    ]);
    expect(newest[4]).toMatchObject({ account_id: null, after: { permission: "admin" } });
  });

  test("one that is about to end is not kept longer by a rotation, and its successors end with it", async () => {
    const end = new Date(Date.now() + 3_600_000).toISOString().replace(/\.\d+/, "");
    const { id } = await createAdminKey("guest", "--expires", end);
    const endOf = async (key: string) => {
      const listed = await operator.json("key", "list", "--permission", "admin");
      return (listed as { id: string; expires_at: string }[]).find((each) => each.id === key)
        ?.expires_at;
    };
    for (const grace of ["1d", "2h"]) {
      const made = await operator.json("key", "rotate", id, "--grace", grace);
      expect(made).toMatchObject({ replaces: id, expires_at: end });
      expect(await endOf(id)).toBe(end);
    }
    const made = await operator.json("key", "rotate", id, "--grace", "1m");
    expect(made).toMatchObject({ expires_at: end });
    expect(Date.parse((await endOf(id)) ?? "")).toBeLessThan(Date.parse(end));
    // Within its grace, it has another successor with the end that it had.
    expect(await operator.json("key", "rotate", id)).toMatchObject({ expires_at: end });
  });

  test("one is a wrong permission where accounts' keys belong, and an unknown or revoked one is invalid", async () => {
    const { id, key } = await createAdminKey("elsewhere");
    const provider = await gateway.createAccount();
    const { slug } = await seedFeed(gateway, provider, { type: "collection", rows: [{ id: 1 }] });
    const reads = [`/v1/feed/${slug}`, `/v1/feed/${slug}/metadata`, "/v1/catalog", "/v1/account"];
    const asProvider = () =>
      gateway.get("/v1/provider/feeds", undefined, { Authorization: `Bearer ${key}` });
    const push = () => gateway.send("POST", `/v1/provider/feed/${slug}/push`, key, [{ id: 1 }]);
    const calls = [...reads.map((path) => () => gateway.get(path, key)), asProvider, push];
    for (const call of calls) {
      expect(await problemOf(await call())).toMatchObject({ status: 403, code: "KEY_PERMISSION" });
    }
    await operator.json("key", "revoke", id);
    for (const path of reads) {
      for (const bad of [key, generateKey("admin")]) {
        const problem = await problemOf(await gateway.get(path, bad));
        expect(problem).toMatchObject({ status: 403, code: "KEY_INVALID" });
      }
    }
    for (const call of [asProvider, push]) {
      expect(await problemOf(await call())).toMatchObject({ status: 401, code: "KEY_INVALID" });
    }
    const events = await gateway.sql`select count(*)::int as count from usage_events`;
    expect(events[0]?.count).toBe(0);
  });
});
