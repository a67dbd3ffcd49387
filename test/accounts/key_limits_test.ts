import { describe, expect, test } from "bun:test";
import { startOperatedGateway } from "../cli/support.ts";
import { askAgain } from "../support/ask_again.ts";
import { problemOf } from "../support/gateway.ts";
import { seedFeed } from "../support/seed.ts";

interface Issued {
  readonly id: string;
  readonly key: string;
  readonly expires_at: string | null;
}

const { gateway, operator } = await startOperatedGateway({ FEEDGATE_READ_LIMIT_PAID: "100000" });
const peers = [await gateway.startPeer(), await gateway.startPeer()];
const provider = await gateway.createAccount();
const feed = await seedFeed(gateway, provider, {
  type: "collection",
  rows: [{ id: "a" }],
  callPriceNanos: 1_500,
});

async function createKey(accountId: string, ...options: string[]): Promise<Issued> {
  const words = ["key", "create", "--account", accountId, "--permission", "read", ...options];
  return (await operator.json(...words)) as Issued;
}

const read = (key: string, path = `/v1/feed/${feed.slug}`) => gateway.get(path, key);

async function refusal(response: Response) {
  const { status, code, body } = await problemOf(response);
  return { refused: `${status} ${code}`, body };
}

async function spent(keyId: string): Promise<bigint> {
  const [row] = await gateway.sql`
    select coalesce(sum(charge_nanos), 0)::bigint as nanos
    from usage_events where key_id = ${keyId}`;
  return row?.nanos;
}

describe("a key with a daily budget", () => {
  test("reads until it is spent, then is 402 with what is left to know, while another key reads on", async () => {
    const account = await gateway.createAccount({ credits: 100 });
    const limited = await createKey(account, "--daily-credits", "4");
    const other = await createKey(account);
    for (let reads = 0; reads < 2; reads++) expect((await read(limited.key)).status).toBe(200);
    const { refused, body } = await refusal(await read(limited.key));
    expect(refused).toBe("402 KEY_BUDGET_SPENT");
    expect(body).toMatchObject({
      price: { credits: 1.5, usd: 0.0000015 },
      budget: { credits: 4, usd: 0.000004 },
      spent: { credits: 3, usd: 0.000003 },
    });
    const midnight = new Date();
    midnight.setUTCHours(24, 0, 0, 0);
    expect(body.resets_at).toBe(midnight.toISOString());
    expect(body.detail).toContain(`Wait until ${midnight.toISOString()}`);
    const poor = await createKey(account, "--daily-credits", "1");
    // Tomorrow it could not read either.
    const { body: never } = await refusal(await read(poor.key));
    expect(never).toMatchObject({ code: "KEY_BUDGET_SPENT", spent: { credits: 0 } });
    expect(never.detail).toContain("for a larger one");
    expect(never.detail).not.toContain("Wait");
    expect((await read(other.key)).status).toBe(200);
    expect((await gateway.get("/v1/catalog", limited.key)).status).toBe(200);
    const shown = (await (await gateway.get("/v1/account", limited.key)).json()) as object;
    expect(shown).toMatchObject({
      budget: {
        daily: { credits: 4 },
        spent: { credits: 3 },
        left: { credits: 1 },
        resets_at: body.resets_at,
      },
    });
    expect(await (await gateway.get("/v1/account", other.key)).json()).not.toHaveProperty("budget");
  });

  test("never spends more, over three processes that read as fast as they can", async () => {
    const account = await gateway.createAccount({ credits: 10_000 });
    const limited = await createKey(account, "--daily-credits", "150");
    const beside = await createKey(account, "--daily-credits", "30");
    const addresses = [gateway, ...peers].map(({ baseUrl }) => baseUrl);
    const readers = addresses.flatMap((baseUrl) =>
      [limited, beside].flatMap(({ key }) =>
        Array.from({ length: 4 }, async () => {
          const headers = { "x-api-key": key };
          let granted = 0;
          for (let reads = 0; reads < 20; reads++) {
            const response = await askAgain(() =>
              fetch(`${baseUrl}/v1/feed/${feed.slug}`, { headers }),
            );
            await response.body?.cancel();
            expect([200, 402]).toContain(response.status);
            if (response.status === 200) granted += 1;
          }
          return granted;
        }),
      ),
    );
    const granted = (await Promise.all(readers)).reduce((sum, each) => sum + each, 0);
    expect(await spent(limited.id)).toBe(150_000n);
    expect(await spent(beside.id)).toBe(30_000n);
    expect(granted).toBe(120);
    const rows =
      await gateway.sql`select spent_nanos from key_spending where account_id = ${account}`;
    expect(rows.map((row) => row.spent_nanos).sort()).toEqual([150_000n, 30_000n]);
  });

  test("begins anew with the UTC day", async () => {
    const account = await gateway.createAccount({ credits: 100 });
    const limited = await createKey(account, "--daily-credits", "2");
    expect((await read(limited.key)).status).toBe(200);
    expect((await read(limited.key)).status).toBe(402);
    // As if what was spent had been spent yesterday; the account's version is renewed, as every change does.
    await gateway.sql`update key_spending set day = day - 1 where key_id = ${limited.id}`;
    await gateway.sql`update accounts set generation = generation where account_id = ${account}`;
    expect((await read(limited.key)).status).toBe(200);
    expect((await read(limited.key)).status).toBe(402);
  });

  test("counts what the key spent on the day before it had one, and is raised from the next request on", async () => {
    const account = await gateway.createAccount({ credits: 100 });
    const { id, key } = await createKey(account);
    for (let reads = 0; reads < 3; reads++) expect((await read(key)).status).toBe(200);
    await operator.json("key", "edit", id, "--daily-credits", "5");
    const { refused, body } = await refusal(await read(key));
    expect([refused, body.spent]).toEqual([
      "402 KEY_BUDGET_SPENT",
      { credits: 4.5, usd: 0.0000045 },
    ]);
    await operator.json("key", "edit", id, "--daily-credits", "6");
    expect((await read(key)).status).toBe(200);
    expect((await read(key)).status).toBe(402);
    await operator.json("key", "edit", id, "--daily-credits", "none");
    expect((await read(key)).status).toBe(200);
  });

  test("is not spent by a read that failed after it was charged", async () => {
    const account = await gateway.createAccount({ credits: 100 });
    const { id, key } = await createKey(account, "--daily-credits", "1.5");
    const { _origin: origin } = (await (await read(key)).json()) as {
      _origin: { usage_id: string };
    };
    expect((await read(key)).status).toBe(402);
    const { admission } = gateway.gateway.services;
    const known = { account: { id: account, isCurrent: false } };
    const grant = { receipt: { usageId: origin.usage_id } };
    await admission.refund(known as never, grant as never).catch(() => {});
    const [row] = await gateway.sql`select spent_nanos from key_spending where key_id = ${id}`;
    expect(row?.spent_nanos).toBe(0n);
    expect((await read(key)).status).toBe(200);
  });
});

describe("a key with a scope", () => {
  test("reads its feeds by id and slug, and is 403 for others: data, metadata, stream, HEAD and 304", async () => {
    const account = await gateway.createAccount({ credits: 100 });
    const stream = await seedFeed(gateway, provider, {
      type: "stream",
      rows: [{ id: "a", event_timestamp: "2026-01-01T00:00:00Z" }],
    });
    const { id, key } = await createKey(account, "--feeds", `${feed.slug},${feed.feedId}`);
    expect((await read(key)).status).toBe(200);
    expect((await read(key, `/v1/feed/${feed.feedId}/metadata`)).status).toBe(200);
    expect((await gateway.get("/v1/search?q=seed", key)).status).toBe(200);
    const before = (await gateway.sql`select from usage_events where key_id = ${id}`).length;
    for (const path of ["", "/metadata", "/stream", "/stream?live=sse", "/stream?offset=now"]) {
      const { refused } = await refusal(await read(key, `/v1/feed/${stream.slug}${path}`));
      expect([path, refused]).toEqual([path, "403 KEY_SCOPE"]);
    }
    const conditional = await gateway.get(`/v1/feed/${stream.slug}`, key, { "If-None-Match": "*" });
    expect((await refusal(conditional)).refused).toBe("403 KEY_SCOPE");
    const head = await fetch(`${gateway.baseUrl}/v1/feed/${stream.slug}`, {
      method: "HEAD",
      headers: { "x-api-key": key },
    });
    expect(head.status).toBe(403);
    expect((await gateway.sql`select from usage_events where key_id = ${id}`).length).toBe(before);
    await operator.json("key", "edit", id, "--feeds", "all");
    expect((await read(key, `/v1/feed/${stream.slug}`)).status).toBe(200);
    await operator.json("key", "edit", id, "--feeds", stream.feedId);
    expect((await refusal(await read(key))).refused).toBe("403 KEY_SCOPE");
  });
});

describe("a key that is rotated", () => {
  test("works on for the grace beside the new one, which has the same settings and what is left of the budget", async () => {
    const account = await gateway.createAccount({ credits: 100 });
    const old = await createKey(
      account,
      "--daily-credits",
      "4",
      "--feeds",
      feed.slug,
      "--name",
      "bot",
    );
    expect((await read(old.key)).status).toBe(200);
    const made = (await operator.json("key", "rotate", old.id)) as Issued;
    expect(made).toMatchObject({
      replaces: old.id,
      name: "bot",
      permission: "read",
      daily_credits: 4,
      feed_ids: [feed.feedId],
      expires_at: null,
    });
    expect((await read(old.key)).status).toBe(200);
    for (const { key } of [made, old]) {
      expect((await refusal(await read(key))).refused).toBe("402 KEY_BUDGET_SPENT");
    }
    const [row] = await gateway.sql`
      select extract(epoch from expires_at - now())::int as seconds
      from api_keys where key_id = ${old.id}`;
    expect(row?.seconds).toBeWithin(86_000, 86_401);
  });

  test("shares one budget with all before and after it, over three processes, whatever the edits", async () => {
    const account = await gateway.createAccount({ credits: 1_000 });
    const first = await createKey(account, "--daily-credits", "30");
    const second = (await operator.json("key", "rotate", first.id)) as Issued;
    const third = (await operator.json("key", "rotate", second.id)) as Issued;
    const chain = [first, second, third];
    const bases = [gateway, ...peers].map(({ baseUrl }) => baseUrl);
    const readAll = async () => {
      const statuses = await Promise.all(
        Array.from({ length: 36 }, async (_, index) => {
          const { key } = chain[index % 3] as Issued;
          const headers = { "x-api-key": key };
          const base = bases[Math.floor(index / 3) % 3];
          const response = await askAgain(() => fetch(`${base}/v1/feed/${feed.slug}`, { headers }));
          await response.body?.cancel();
          return response.status;
        }),
      );
      expect(statuses.filter((status) => status !== 200 && status !== 402)).toEqual([]);
      return statuses.filter((status) => status === 200).length;
    };
    expect(await readAll()).toBe(20);
    const edit = (id: string, credits: string) =>
      operator.json("key", "edit", id, "--daily-credits", credits);
    // To the same number, by any key of the chain, nothing begins anew; another number holds for all of them.
    for (const { id } of chain) await edit(id, "30");
    expect(await readAll()).toBe(0);
    await edit(third.id, "33");
    expect(await readAll()).toBe(2);
    await edit(first.id, "10");
    expect(await readAll()).toBe(0);
    await edit(first.id, "none");
    await edit(first.id, "36");
    expect(await readAll()).toBe(2);
    const shown = (await (await gateway.get("/v1/account", second.key)).json()) as object;
    expect(shown).toMatchObject({ budget: { daily: { credits: 36 }, spent: { credits: 36 } } });
  });

  test("has successors with the end that it had, if it is rotated again within its grace", async () => {
    const account = await gateway.createAccount();
    for (const end of [null, "2099-01-01T00:00:00Z"]) {
      const old = await createKey(account, ...(end === null ? [] : ["--expires", end]));
      const ends = [];
      for (let rotation = 1; rotation <= 3; rotation++) {
        const made = (await operator.json("key", "rotate", old.id)) as Issued;
        ends.push(made.expires_at);
      }
      expect(ends).toEqual([end, end, end]);
    }
  });

  test("ends when it was to end, where that is before the end of the grace", async () => {
    const account = await gateway.createAccount();
    const end = inOneHour();
    const old = await createKey(account, "--expires", end);
    for (const grace of ["1d", "2h"]) {
      const made = await operator.json("key", "rotate", old.id, "--grace", grace);
      expect(made).toMatchObject({ replaces: old.id, expires_at: end });
      expect(await operator.json("key", "find", old.key)).toMatchObject({ expires_at: end });
    }
    const made = (await operator.json("key", "rotate", old.id, "--grace", "1m")) as Issued;
    expect(made.expires_at).toBe(end);
    const { expires_at } = (await operator.json("key", "find", old.key)) as Issued;
    expect(Date.parse(expires_at ?? "")).toBeLessThan(Date.parse(end));
  });

  test("ends at once without a grace; a revoked one can't be rotated or edited", async () => {
    const account = await gateway.createAccount({ credits: 100 });
    const old = await createKey(account);
    expect((await read(old.key)).status).toBe(200);
    const made = (await operator.json("key", "rotate", old.key, "--grace", "0")) as Issued;
    expect((await refusal(await read(old.key))).refused).toBe("403 KEY_INVALID");
    expect((await read(made.key)).status).toBe(200);
    for (const id of [old.id, made.id]) await operator.json("key", "revoke", id);
    for (const words of [
      ["key", "rotate", made.id],
      ["key", "rotate", old.id],
      ["key", "edit", made.id, "--name", "x"],
    ]) {
      const { code, stderr } = await operator.run(words);
      expect([words.join(" "), code]).toEqual([words.join(" "), 1]);
      expect(stderr).toContain("revoked");
    }
  });
});

test("usage events name the key, and are filtered by it", async () => {
  const account = await gateway.createAccount({ credits: 100 });
  const first = await createKey(account);
  const second = await createKey(account);
  for (const { key } of [first, second, first]) await read(key);
  const list = async (query: string) =>
    (
      (await (await gateway.get(`/v1/usage${query}`, first.key)).json()) as {
        usage: { key_id: string }[];
      }
    ).usage.map((event) => event.key_id);
  expect(await list("")).toEqual([first.id, second.id, first.id]);
  expect(await list(`?key_id=${second.id}`)).toEqual([second.id]);
  expect(await list(`?key_id=${crypto.randomUUID()}`)).toEqual([]);
  const wrong = await gateway.get("/v1/usage?key_id=x", first.key);
  expect((await refusal(wrong)).refused).toBe("400 INVALID_PARAMETER");
});

test("a write key takes no budget and no feeds, and they change nothing", async () => {
  const account = await gateway.createAccount();
  const words = ["key", "create", "--account", account, "--permission", "write"];
  for (const limits of [
    ["--daily-credits", "5"],
    ["--feeds", feed.slug],
  ]) {
    const created = await operator.run([...words, ...limits]);
    expect([created.code, created.stderr]).toEqual([
      2,
      expect.stringContaining("only to read keys"),
    ]);
  }
  expect((await gateway.sql`select from api_keys where account_id = ${account}`).length).toBe(0);
  const { id } = (await operator.json(...words)) as Issued;
  for (const limits of [
    ["--daily-credits", "5"],
    ["--feeds", feed.slug, "--name", "x"],
  ]) {
    const edited = await operator.run(["key", "edit", id, ...limits]);
    expect([edited.code, edited.stderr]).toEqual([1, expect.stringContaining("only to read keys")]);
  }
  const [row] = await gateway.sql`
    select name, daily_nanos, feed_ids from api_keys where key_id = ${id}`;
  expect(row).toEqual({ name: null, daily_nanos: null, feed_ids: null });
  await operator.json("key", "edit", id, "--daily-credits", "none", "--feeds", "all");
});

test("options of keys that can't be used are refused, and change nothing", async () => {
  const account = await gateway.createAccount();
  const { id } = await createKey(account);
  const before = (await gateway.sql`select * from api_keys where account_id = ${account}`)[0];
  for (const [code, ...options] of [
    [2],
    [2, "--json"],
    [2, "--daily-credits", "-1"],
    [2, "--daily-credits", "0"],
    [2, "--daily-credits", "1.0001"],
    [2, "--daily-credits", "all"],
    [2, "--feeds", ","],
    [2, "--feeds", ""],
    [1, "--feeds", "no-such-feed"],
    [1, "--feeds", `${feed.slug},${crypto.randomUUID()}`],
    [2, "--expires", "tomorrow"],
    [2, "--name", ""],
    [2, "--grace", "1h"],
  ] as const) {
    const run = await operator.run(["key", "edit", id, ...options.map(String)]);
    expect([options, run.code]).toEqual([options, code]);
  }
  for (const grace of ["1", "1w", "366d", "1.5h", ""]) {
    const { code } = await operator.run(["key", "rotate", id, "--grace", grace]);
    expect([grace, code]).toEqual([grace, 2]);
  }
  const after = (await gateway.sql`select * from api_keys where account_id = ${account}`)[0];
  expect(after).toEqual(before);
});

/** A time of whole seconds, as commands print it. */
function inOneHour(): string {
  return new Date(Date.now() + 3_600_000).toISOString().replace(/\.\d+/, "");
}
