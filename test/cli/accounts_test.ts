import { describe, expect, test } from "bun:test";
import { generateKey, permissionOf } from "../../src/accounts/key_format.ts";
import { seedFeed } from "../support/seed.ts";
import { failed, refused, startOperatedGateway, UNKNOWN_ID } from "./support.ts";

const { gateway, operator } = await startOperatedGateway();

interface Account {
  id: string;
  name: string;
  max_feeds_allowed: number;
}
interface Skill {
  name: string;
  url: string;
  digest: string;
}
interface Key {
  id: string;
  key: string;
}

async function createAccount(name = "Acme"): Promise<string> {
  return ((await operator.json("account", "create", "--name", name)) as Account).id;
}

async function createKey(accountId: string, ...more: string[]): Promise<Key> {
  const argv = ["key", "create", "--account", accountId, "--permission", "read", ...more];
  return (await operator.json(...argv)) as Key;
}

describe("account", () => {
  test("create prints the account; list and show print it again", async () => {
    const name = 'Acme "quoted" 東京';
    const account = (await operator.json("account", "create", "--name", name)) as Account;
    expect(account).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name,
      max_feeds_allowed: 3,
      balance_credits: 0,
      balance_usd: 0,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    } as unknown as Account);
    expect(await operator.json("account", "list")).toContainEqual(account);
    expect(await operator.json("account", "show", account.id.toUpperCase())).toEqual({
      ...account,
      ledger: {
        granted_credits: 0,
        revoked_credits: 0,
        charged_credits: 0,
        refunded_credits: 0,
        is_balanced: true,
      },
      spent: { usd: 0, counted_usd: 0, waiting_usd: 0, is_balanced: true },
      earned: {
        gross_usd: 0,
        refunded_usd: 0,
        fee_usd: 0,
        earned_usd: 0,
        paid_usd: 0,
        owed_usd: 0,
      },
    });
    const readable = await operator.run(["account", "show", account.id]);
    expect(readable.stdout).toContain(name);
    expect((await operator.run(["account", "list"])).stdout).toContain(account.id);
  });

  test("create and edit say when another account has the name, and references to it list both", async () => {
    const first = await createAccount("Twins");
    const warning = 'Another account is named "Twins". Refer to this one by its id.';
    const second = (await operator.json("account", "create", "--name", "Twins")) as Account;
    expect(second).toMatchObject({ warning });
    const third = await createAccount("Triplet");
    const edited = await operator.run(["account", "edit", third, "--name", "Twins"]);
    expect(edited.stdout).toContain(warning);
    expect(await operator.json("account", "show", third)).not.toHaveProperty("warning");
    const { code, stderr } = await operator.run(["account", "show", "Twins"]);
    expect([code, stderr]).toEqual([1, expect.stringContaining("several accounts are named")]);
    for (const id of [first, second.id, third]) expect(stderr).toContain(id);
  });

  test("the quota is the one given, else the deployment's", async () => {
    const given = await operator.json("account", "create", "--name", "A", "--max-feeds", "42");
    expect(given).toMatchObject({ max_feeds_allowed: 42 });
    const { stdout } = await operator.run(["account", "create", "--name", "A", "--json"], {
      FEEDGATE_MAX_FEEDS: "7",
    });
    expect(JSON.parse(stdout)).toMatchObject({ max_feeds_allowed: 7 });
  });

  test("edit changes the name or the quota, and leaves the rest; the trail says so", async () => {
    const id = await createAccount("Before");
    const quota = await operator.json("account", "edit", id.toUpperCase(), "--max-feeds", "9");
    expect(quota).toMatchObject({ id, name: "Before", max_feeds_allowed: 9 });
    const named = await operator.json("account", "edit", id, "--name", "After");
    expect(named).toMatchObject({ id, name: "After", max_feeds_allowed: 9 });
    expect(await operator.json("account", "list")).toContainEqual(named);
    const events = (await operator.json("audit", "--account", id)) as { action: string }[];
    expect(events.slice(0, 2)).toMatchObject([
      { action: "account edit", before: { name: "Before" }, after: { name: "After" } },
      { action: "account edit", before: { max_feeds_allowed: 3 }, after: { max_feeds_allowed: 9 } },
    ]);
    expect((await operator.run(["account", "edit", id])).code).toBe(2);
    expect((await operator.run(["account", "edit", id, "--max-feeds", "0"])).code).toBe(2);
    expect((await operator.run(["account", "edit", UNKNOWN_ID, "--name", "X"])).code).toBe(1);
  });

  test("a new name is shown with the account's feeds at once: metadata, and the skill's digest", async () => {
    const id = await createAccount("Before");
    const { slug } = await seedFeed(gateway, id, { type: "singleton", isPublic: true });
    const { key } = await createKey(id);
    const shown = async () => {
      const metadata = await gateway.get(`/v1/feed/${slug}/metadata`, key);
      const index = await gateway.get("/.well-known/agent-skills/index.json");
      const { skills } = (await index.json()) as { skills: Skill[] };
      const entry = skills.find(({ name }) => name === `feed-${slug}`) as Skill;
      const skill = await (await fetch(entry.url)).bytes();
      expect(entry.digest).toBe(
        `sha256:${new Bun.CryptoHasher("sha256").update(skill).digest("hex")}`,
      );
      const { provider } = (await metadata.json()) as { provider: { name: string } };
      return provider.name;
    };
    expect([await shown(), await shown()]).toEqual(["Before", "Before"]);
    await operator.json("account", "edit", id, "--name", "After");
    expect(await shown()).toBe("After");
  });

  test("show proves granted - revoked - charged + refunded = balance, and shows where it does not hold", async () => {
    const provider = await gateway.createAccount();
    const feed = await seedFeed(gateway, provider, {
      type: "singleton",
      rows: [{ rate: 1 }],
      callPriceNanos: 1_500,
    });
    const accountId = await gateway.createAccount({ credits: 10 });
    const key = await gateway.createKey(accountId, "read");
    for (let reads = 0; reads < 3; reads++) await gateway.get(`/v1/feed/${feed.slug}`, key);
    await gateway.sql`
      insert into credit_ledger (
        account_id, kind, amount_nanos, balance_before_nanos, balance_after_nanos, reason
      )
      values (${accountId}, 'refund', 1500, 5500, 7000, 'a read that failed')`;
    await gateway.sql`update accounts set balance_nanos = 7000 where account_id = ${accountId}`;
    expect(await operator.json("account", "show", accountId)).toMatchObject({
      balance_credits: 7,
      balance_usd: 0.000007,
      ledger: {
        granted_credits: 10,
        charged_credits: 4.5,
        refunded_credits: 1.5,
        is_balanced: true,
      },
    });
    // The sum of a dropped partition of the usage log takes its events' place.
    await gateway.sql`delete from usage_events where account_id = ${accountId}`;
    await gateway.sql`
      insert into credit_ledger (
        account_id, kind, amount_nanos, balance_before_nanos, balance_after_nanos, reason
      )
      values (${accountId}, 'charges', -4500, 7000, 7000, 'usage of a dropped month')`;
    expect(await operator.json("account", "show", accountId)).toMatchObject({
      ledger: { charged_credits: 4.5, is_balanced: true },
    });
    await gateway.sql`
      update accounts set balance_nanos = balance_nanos + 1 where account_id = ${accountId}`;
    expect(await operator.json("account", "show", accountId)).toMatchObject({
      ledger: { is_balanced: false },
    });
    const { stdout } = await operator.run(["account", "show", accountId]);
    expect(stdout).toContain("NOT BALANCED");
  });

  test("an unknown id is exit code 1", async () => {
    for (const id of [UNKNOWN_ID, "abc"]) {
      refused(await operator.run(["account", "show", id, "--json"]));
    }
  });

  test("an exact name does where an id does; one that several have is refused with all of them", async () => {
    const name = `Only one ${crypto.randomUUID()}`;
    const id = await createAccount(name);
    expect(await operator.json("account", "show", name)).toMatchObject({ id });
    expect(await operator.json("account", "edit", name, "--max-feeds", "8")).toMatchObject({ id });
    const key = ["key", "create", "--account", name, "--permission", "read"];
    expect(await operator.json(...key)).toMatchObject({ account_id: id });
    const grant = ["credits", "grant", "--account", name, "--credits", "1", "--reason", "r"];
    expect(await operator.json(...grant)).toMatchObject({ account_id: id });
    await operator.json("promo", "create", "BY-NAME", "--credits", "1");
    const redeem = ["promo", "redeem", "BY-NAME", "--account", name];
    expect(await operator.json(...redeem)).toMatchObject({ account_id: id });
    for (const argv of [["key", "list"], ["audit"], ["feed", "list"], ["usage", "export"]]) {
      expect((await operator.run([...argv, "--account", name])).code).toBe(0);
    }
    for (const near of [name.toUpperCase(), name.slice(0, -1), "Only", "%", ""]) {
      expect((await operator.run(["account", "show", near])).code).toBe(1);
    }

    const other = await createAccount(name);
    const refusals = [["account", "show", name], ["account", "edit", name, "--name", "X"], grant];
    for (const argv of refusals) refused(await operator.run(argv), id, other);
    expect(await operator.json("account", "show", other)).toMatchObject({ balance_credits: 0 });
  });

  test("of many accounts of one name, a refusal lists the first ten", async () => {
    const name = `Many ${crypto.randomUUID()}`;
    await gateway.sql`
      insert into accounts (name, max_feeds_allowed)
      select ${name}, 1 from generate_series(1, 11)`;
    const { stderr } = await operator.run(["account", "show", name]);
    expect(stderr.match(/\(created /g)).toHaveLength(10);
    expect(stderr).toContain(" and more; ");
  });

  test("an id is never taken for a name", async () => {
    const id = await createAccount();
    await createAccount(id);
    expect(await operator.json("account", "show", id)).toMatchObject({ id, name: "Acme" });
    await createAccount(UNKNOWN_ID);
    expect((await operator.run(["account", "show", UNKNOWN_ID])).code).toBe(1);
  });
});

describe("key", () => {
  test("create prints the key once, and it works at the running gateway", async () => {
    const accountId = await createAccount();
    const key = await createKey(accountId, "--name", "agent");
    expect(key).toEqual({
      id: expect.any(String),
      key: expect.any(String),
      permission: "read",
      account_id: accountId,
      name: "agent",
      expires_at: null,
      daily_credits: null,
      feed_ids: null,
    } as unknown as Key);
    expect(permissionOf(key.key)).toBe("read");
    expect((await gateway.get("/v1/account", key.key)).status).toBe(200);
    const listed = await operator.run(["key", "list", "--account", accountId, "--json"]);
    expect(listed.stdout).not.toContain(key.key);
    expect(JSON.parse(listed.stdout)).toEqual([
      {
        id: key.id,
        key_start: key.key.slice(0, 12),
        permission: "read",
        account_id: accountId,
        name: "agent",
        created_at: expect.any(String),
        expires_at: null,
        revoked_at: null,
        last_used_at: null,
        daily_credits: null,
        feed_ids: null,
      },
    ]);
    const readable = await operator.run(["key", "list", "--account", accountId]);
    expect(readable.stdout).toContain(key.id);
    expect(readable.stdout).not.toContain(key.key);
  });

  test("a write key is one, and its text is shown to a reader, too", async () => {
    const accountId = await createAccount();
    const { code, stdout } = await operator.run([
      ...["key", "create", "--account", accountId, "--permission", "write"],
    ]);
    expect(code).toBe(0);
    expect(permissionOf(/fg_write_\w+/.exec(stdout)?.[0] ?? "")).toBe("write");
  });

  test("revoke ends a key at once in the running gateway, and may be repeated", async () => {
    const key = await createKey(await createAccount());
    expect((await gateway.get("/v1/account", key.key)).status).toBe(200);
    const first = (await operator.json("key", "revoke", key.id)) as { revoked_at: string };
    expect(first).toMatchObject({ id: key.id, revoked_at: expect.any(String) });
    expect((await gateway.get("/v1/account", key.key)).status).toBe(403);
    expect(await operator.json("key", "revoke", key.id)).toMatchObject({
      revoked_at: first.revoked_at,
    });
  });

  test("find gives the record of a whole key or of the one that begins so, and never a key", async () => {
    const accountId = await createAccount("Careless");
    const [one, other] = [
      await createKey(accountId, "--name", "agent"),
      await createKey(accountId),
    ];
    const record = {
      id: one.id,
      key_start: one.key.slice(0, 12),
      permission: "read",
      account_id: accountId,
      account_name: "Careless",
      name: "agent",
      created_at: expect.any(String),
      expires_at: null,
      revoked_at: null,
      last_used_at: null,
      daily_credits: null,
      feed_ids: null,
    };
    // A leaked key may come with blanks, or cut off.
    for (const text of [
      one.key,
      ` ${one.key}\n`,
      one.key.slice(0, 12),
      one.key.slice(0, 30),
      one.id,
    ]) {
      expect(await operator.json("key", "find", text)).toEqual(record);
    }
    const readable = await operator.run(["key", "find", one.key]);
    expect(readable.stdout).toContain(one.id);
    expect(readable.stdout).toContain("Careless");
    expect(readable.stdout + readable.stderr).not.toContain(one.key);
    await operator.json("key", "revoke", one.id);
    expect(await operator.json("key", "find", one.key)).toMatchObject({
      id: one.id,
      revoked_at: expect.any(String),
    });
    await gateway.sql`
      update api_keys set key_start = 'fg_read_twin' where key_id in (${one.id}, ${other.id})`;
    refused(await operator.run(["key", "find", "fg_read_twin"]), one.id, other.id);
  });

  test("find compares a whole key by its hash: one of the same beginning is not it", async () => {
    const { id, key } = await createKey(await createAccount());
    const stranger = generateKey("read");
    const start = stranger.slice(0, 12);
    await gateway.sql`update api_keys set key_start = ${start} where key_id = ${id}`;
    for (const text of [stranger, UNKNOWN_ID, key.slice(0, 12)]) {
      const run = await operator.run(["key", "find", text]);
      refused(run);
      expect(run.stderr).not.toContain(stranger);
    }
    expect(await operator.json("key", "find", key)).toMatchObject({ id });
    expect(await operator.json("key", "find", start)).toMatchObject({ id });
  });

  test("find refuses a blank text and a text that no key begins with", async () => {
    for (const [text, exitCode] of [
      ["", 2],
      ["  ", 2],
      ["fg_nothing", 1],
      ["fg_read_", 1],
      ["%", 1],
      ["_", 1],
    ] as const) {
      failed(await operator.run(["key", "find", text]), exitCode);
    }
    expect((await operator.run(["key", "find"])).code).toBe(2);
    expect((await operator.run(["key", "find", "a", "b"])).code).toBe(2);
  });

  test("a beginning or the whole key does where its id does, and the key is not shown", async () => {
    const accountId = await createAccount();
    const [one, other] = [await createKey(accountId), await createKey(accountId)];
    const first = await operator.run(["key", "revoke", one.key.slice(0, 12), "--json"]);
    expect(JSON.parse(first.stdout)).toMatchObject({ id: one.id });
    const second = await operator.run(["key", "revoke", other.key]);
    expect([second.code, second.stdout]).toEqual([0, expect.stringContaining(other.id)]);
    for (const { stdout, stderr } of [first, second]) {
      expect(stdout + stderr).not.toContain(one.key);
      expect(stdout + stderr).not.toContain(other.key);
    }
  });

  test("a beginning that several keys have is refused with all of them, and none is revoked", async () => {
    const accountId = await createAccount("Twice");
    const [one, other] = [await createKey(accountId), await createKey(accountId)];
    await gateway.sql`
      update api_keys set key_start = 'fg_read_same' where key_id in (${one.id}, ${other.id})`;
    refused(await operator.run(["key", "revoke", "fg_read_sa"]), one.id, other.id);
    const keys = await operator.json("key", "list", "--account", accountId);
    expect(keys).toMatchObject([{ revoked_at: null }, { revoked_at: null }]);
  });

  test("a key is not revoked by what all keys begin with, nor by a mistyped key", async () => {
    await gateway.sql`delete from api_keys`;
    const { id, key } = await createKey(await createAccount());
    const mistyped = `${key.slice(0, -1)}${key.endsWith("0") ? "1" : "0"}`;
    for (const text of ["", "fg", "fg_", "fg_read_", mistyped, key.slice(0, 20)]) {
      const run = await operator.run(["key", "revoke", text]);
      refused(run);
      expect(run.stderr).not.toContain(mistyped);
    }
    expect(await operator.json("key", "find", id)).toMatchObject({ revoked_at: null });
  });

  test("a key that has expired is refused", async () => {
    const accountId = await createAccount();
    const past = await createKey(accountId, "--expires", "2026-01-01T02:00:00+02:00");
    expect(past).toMatchObject({ expires_at: "2026-01-01T00:00:00Z" });
    expect((await gateway.get("/v1/account", past.key)).status).toBe(403);
    const future = await createKey(accountId, "--expires", "2126-01-01T00:00:00Z");
    expect((await gateway.get("/v1/account", future.key)).status).toBe(200);
  });

  test("an unknown account or key is exit code 1", async () => {
    for (const argv of [
      ["key", "create", "--account", UNKNOWN_ID, "--permission", "read"],
      ["key", "create", "--account", "abc", "--permission", "read"],
      ["key", "list", "--account", UNKNOWN_ID],
      ["key", "revoke", UNKNOWN_ID],
      ["key", "revoke", "abc"],
    ]) {
      refused(await operator.run(argv));
    }
  });
});
