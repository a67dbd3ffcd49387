/**
 * Notices while gateways and the database are killed, and beside receivers that misbehave.
 *
 * @module
 */
import { expect, test } from "bun:test";
import { Webhook } from "standardwebhooks";
import { present } from "../../src/lib/assert.ts";
import { codeOf } from "../../src/lib/error_fields.ts";
import { makeWebhookSecret } from "../../src/notices/webhook_secret.ts";
import { arrayLiteral } from "../../src/postgres/client/array_literal.ts";
import { nameWebhook, startReceiver } from "../notices/support.ts";
import { startTestGateway } from "../support/gateway.ts";
import { insertAdminKey, insertKey } from "../support/insert_key.ts";
import { waitFor } from "../support/processes.ts";
import { type SeededFeed, seedFeed } from "../support/seed.ts";
import { startWorld, type World } from "../torture/world.ts";

const CHAOS_MS = Number(process.env.NOTICES_CHAOS_MS ?? 30_000);
const FEEDS = 12;
const READERS = 6;
const DRAIN_MS_MAX = 180_000;

interface Call {
  /** The address. */
  readonly path: string;
  readonly id: string;
  readonly text: string;
  readonly headers: Record<string, string>;
}

/** Accepts most calls. Some notices it refuses at first, and some calls it answers late. */
function startMoody() {
  const calls: Call[] = [];
  const seen = new Set<string>();
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const { pathname: path } = new URL(request.url);
      const headers = Object.fromEntries(request.headers);
      const id = headers["webhook-id"] ?? "";
      calls.push({ path, id, text: await request.text(), headers });
      const isNew = !seen.has(path + id);
      seen.add(path + id);
      const mood = Math.random();
      if (isNew && mood < 0.1) return new Response("not now", { status: 500 });
      if (mood < 0.2) await Bun.sleep(1_000);
      return new Response(null, { status: 204 });
    },
  });
  return { calls, origin: `http://127.0.0.1:${server.port}`, stop: () => server.stop(true) };
}

function pick<Each>(all: readonly Each[]): Each {
  return present(all[Math.floor(Math.random() * all.length)]);
}

interface Asked {
  readonly path: string;
  readonly key: string;
  readonly body: object;
  readonly method?: "POST" | "PATCH";
}

/** Asks any of the gateways. Undefined if no answer came. */
async function ask({ bases }: World, { path, key, body, method = "POST" }: Asked) {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const init = { method, headers, body: JSON.stringify(body), signal: AbortSignal.timeout(5_000) };
  const answer = await fetch(pick(bases) + path, init).catch(() => undefined);
  return answer?.status;
}

async function newAccount({ sql }: World): Promise<string> {
  const [row] = await sql`
    insert into accounts (name, max_feeds_allowed, balance_nanos)
    values ('of a test', 100, 0) returning account_id`;
  return row?.account_id;
}

async function setScene(world: World, origin: string) {
  const { sql, bases } = world;
  const { key: adminKey } = await insertAdminKey({ sql }, "notices");
  const provider = await newAccount(world);
  const writeKey = await insertKey(sql, provider, "write");
  const secrets = new Map<string, string>();
  const name = async (key: string, path: string, body: object) => {
    const answer = await fetch(`${bases[0]}/v1/webhooks`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ url: origin + path, ...body }),
    });
    expect(answer.status).toBe(201);
    secrets.set(path, ((await answer.json()) as { secret: string }).secret);
  };
  const seedFeeds = async (price: object) => {
    const feeds: SeededFeed[] = [];
    for (let place = 0; place < FEEDS; place += 1) {
      const seed = { type: "singleton", rows: [{ n: 0 }], isPublic: true, ...price } as const;
      feeds.push(await seedFeed({ sql }, provider, seed));
    }
    return feeds;
  };
  const feeds = await seedFeeds({ callPriceNanos: 1_000 });
  const sold = await seedFeeds({ oneTimePriceCents: 100 });
  const readers: { readonly id: string; readonly key: string }[] = [];
  for (let place = 0; place < READERS; place += 1) {
    const id = await newAccount(world);
    const key = await insertKey(sql, id, "read");
    readers.push({ id, key });
    await name(key, `/own/${place}`, { types: ["credits.granted"] });
    await name(key, `/feeds/${place}`, {
      types: ["feed.updated", "feed.changed"],
      feed_ids: feeds.map(({ feedId }) => feedId),
    });
  }
  await name(writeKey, "/provider", { types: ["feed.sold", "push.refused"] });
  return { adminKey, writeKey, feeds, sold, readers, secrets };
}

type Scene = Awaited<ReturnType<typeof setScene>>;

/** Kills both gateways and the database again and again, while everything happens that is told. */
async function makeChaos(world: World, { adminKey, writeKey, feeds, sold, readers }: Scene) {
  const endMs = performance.now() + CHAOS_MS;
  const counts = { kills: 0, rolledBack: 0 };
  const repeat = async (pauseMs: number, act: () => Promise<unknown>) => {
    while (performance.now() < endMs) {
      await act().catch(() => {});
      await Bun.sleep(pauseMs * Math.random());
    }
  };
  let prices = 0;
  const edit = (slug: string) => {
    prices += 1;
    const body = { price_type: "metered", price_per_1k: prices / 1_000 };
    const path = `/v1/provider/feed/${slug}/edit`;
    return ask(world, { path, key: writeKey, body, method: "PATCH" });
  };
  const push = (payload: unknown) =>
    ask(world, {
      path: `/v1/provider/feed/${pick(feeds).slug}/push`,
      key: writeKey,
      body: { payload },
    });
  await Promise.all([
    repeat(100, () =>
      ask(world, {
        path: "/v1/operator/credits/grants",
        key: adminKey,
        body: { account_id: pick(readers).id, credits: 1_000_000, reason: "of the test" },
      }),
    ),
    repeat(100, () => edit(pick(feeds).slug)),
    repeat(50, () => push({ n: Math.random() })),
    repeat(100, () => push(5)),
    repeat(200, () =>
      ask(world, {
        path: `/v1/feed/${pick(sold).slug}/purchase`,
        key: pick(readers).key,
        body: { max_credits: 1_000_000 },
      }),
    ),
    repeat(200, () =>
      world.sql.begin(async (sql) => {
        await sql`
          insert into credit_ledger (
            account_id, kind, amount_nanos, balance_before_nanos, balance_after_nanos, reason
          ) values (${pick(readers).id}, 'grant', 5, 0, 5, 'rolled back')`;
        counts.rolledBack += 1;
        throw new Error("rolled back");
      }),
    ),
    repeat(0, async () => {
      await Bun.sleep(500 + 2_000 * Math.random());
      counts.kills += 1;
      if (Math.random() < 0.25) await world.killDatabase();
      else void world.killGateway(counts.kills % 2);
    }),
  ]);
  return counts;
}

/** Of this test's own statement, which locks addresses in any order. The next turn repeats it. */
function isDeadlock(error: unknown): void {
  if (codeOf(error) !== "40P01") throw error;
}

/** Waits until all is sent. What waits for its retry or its minute is due now. */
async function drain({ sql }: World): Promise<void> {
  const deadlineMs = performance.now() + DRAIN_MS_MAX;
  for (;;) {
    await sql`update told_versions set told_at = now() - interval '1 hour'`;
    await sql`
      with due as (
        update webhook_deliveries set next_at = now() where status = 'waiting'
        returning webhook_id
      )
      update webhooks set next_at = now()
      where webhook_id in (select webhook_id from due)`.catch(isDeadlock);
    const [left] = await sql`
      select
        (select count(*)::int from webhook_deliveries where status = 'waiting') as waiting,
        (select count(*)::int from notices where spread_at is null) as unspread,
        (
          select count(*)::int from told_versions join feeds using (feed_id)
          where feeds.data_version <> told_versions.data_version
        ) as untold`;
    if (left?.waiting + left?.unspread + left?.untold === 0) break;
    if (performance.now() > deadlineMs) throw new Error(`not sent: ${JSON.stringify(left)}`);
    await Bun.sleep(1_000);
  }
  const lost = await sql`select status from webhook_deliveries where status <> 'delivered'`;
  expect([...lost]).toEqual([]);
}

test(
  "kill -9 of gateways and the database: what was committed is told at least once under one id, and nothing else",
  async () => {
    const moody = startMoody();
    const world = await startWorld({
      gateways: 2,
      environment: { FEEDGATE_WEBHOOK_FETCH: "private" },
    });
    const { sql } = world;
    try {
      const scene = await setScene(world, moody.origin);
      const { kills, rolledBack } = await makeChaos(world, scene);
      await world.ready(present(scene.readers[0]).key);
      await drain(world);

      // At an address, an id is one notice, however often it came.
      const byId = new Map<string, Call>();
      for (const call of moody.calls) {
        const known = byId.get(call.path + call.id);
        expect(call.text).toBe(known?.text ?? call.text);
        byId.set(call.path + call.id, call);
        new Webhook(present(scene.secrets.get(call.path))).verify(call.text, call.headers);
      }
      const told = (path: string, wanted: string) =>
        [...byId.values()]
          .filter((call) => call.path.startsWith(path))
          .map(({ text }) => JSON.parse(text) as { type: string; data: Record<string, unknown> })
          .filter(({ type }) => type === wanted)
          .map(({ data }) => data);
      const sorted = (values: readonly unknown[]) => values.map(Number).sort((a, b) => a - b);

      for (const [place, { id }] of scene.readers.entries()) {
        const grants = await sql`
          select entry_id from credit_ledger where kind = 'grant' and account_id = ${id}`;
        const granted = told(`/own/${place}`, "credits.granted");
        expect(sorted(granted.map((data) => data.entry_id))).toEqual(
          sorted(grants.map((row) => row.entry_id)),
        );
      }
      // The audit trail is written in the same commits, by other triggers.
      const edits = await sql`
        select (after ->> 'call_price_nanos')::numeric / 1000000 as price from audit_events
        where after ->> 'call_price_nanos' is not null and before is not null`;
      const [bought] = await sql`select count(*)::int as count from purchases`;
      expect(told("/provider", "feed.sold").length).toBe(bought?.count);
      expect(told("/provider", "push.refused").length).toBeGreaterThan(0);
      for (const place of scene.readers.keys()) {
        const changed = told(`/feeds/${place}`, "feed.changed");
        expect(
          sorted(changed.map(({ after }) => (after as Record<string, unknown>).price_per_1k)),
        ).toEqual(sorted(edits.map((row) => row.price)));
        const updated = told(`/feeds/${place}`, "feed.updated");
        for (const { feedId } of scene.feeds) {
          const [feed] = await sql`select data_version from feeds where feed_id = ${feedId}`;
          const versions = updated
            .filter((data) => data.feed_id === feedId)
            .map((data) => Number(data.data_version));
          expect(Math.max(1, ...versions)).toBe(Number(feed?.data_version));
          expect(new Set(versions).size).toBe(versions.length);
        }
      }
      console.log(
        `${byId.size} deliveries in ${moody.calls.length} calls; ${kills} kills, ${edits.length} edits, ${bought?.count} purchases, ${rolledBack} rolled back`,
      );
    } finally {
      await world.stop();
      await moody.stop();
    }
  },
  CHAOS_MS + DRAIN_MS_MAX + 120_000,
);

test("receivers that refuse, hang, redirect, never end or break TLS are told apart, and delay no other", async () => {
  // Its certificate is signed by nobody that is trusted.
  const untrusted = await startReceiver();
  const arrivals = new Map<string, number>();
  const closed = Bun.listen({ port: 0, hostname: "127.0.0.1", socket: { data() {} } });
  const refusing = `https://localhost:${closed.port}`;
  closed.stop(true);
  const gateway = await startTestGateway({ FEEDGATE_WEBHOOK_FETCH: "private" }, { hasJobs: true });
  const { sql } = gateway;
  try {
    const noisy = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      idleTimeout: 60,
      async fetch(request) {
        const { pathname } = new URL(request.url);
        switch (pathname) {
          case "/good":
          case "/neighbour": {
            const { data } = (await request.json()) as { data: { entry_id: number } };
            arrivals.set(`${pathname} ${data.entry_id}`, performance.now());
            return new Response(null, { status: 204 });
          }
          case "/late":
            await Bun.sleep(16_000);
            return new Response(null, { status: 200 });
          case "/moved":
            return new Response(null, { status: 308, headers: { location: `/good` } });
          case "/gone":
            return new Response("no more", { status: 410 });
          case "/endless":
            return new Response(
              new ReadableStream({
                async pull(controller) {
                  await Bun.sleep(1);
                  controller.enqueue(new Uint8Array(64_000).fill(97));
                },
              }),
            );
          default:
            return new Response(null, { status: 500 });
        }
      },
    });
    const origin = `http://127.0.0.1:${noisy.port}`;
    const account = await gateway.createAccount();
    const key = await gateway.createKey(account, "read");
    const types = ["credits.granted"];
    const expected = {
      [`${origin}/late`]: { status: "waiting", code: null, error: /no answer within 15 seconds/ },
      [`${origin}/moved`]: { status: "waiting", code: 308, error: /Redirects are not followed/ },
      [`${origin}/gone`]: { status: "failed", code: 410, error: /410/ },
      [`${origin}/endless`]: { status: "delivered", code: 200, error: null },
      [`${origin}/broken`]: { status: "waiting", code: 500, error: /500/ },
      [refusing]: { status: "waiting", code: null, error: /The connection failed/ },
      // TLS to a server without it, and no TLS to one with it.
      [`https://127.0.0.1:${noisy.port}/plain`]: { status: "waiting", code: null, error: /failed/ },
      [untrusted.origin]: { status: "waiting", code: null, error: /failed/ },
    };
    const ids = new Map<string, string>();
    for (const url of Object.keys(expected)) {
      ids.set(url, (await nameWebhook(gateway, key, { url, types })).id);
    }
    // 1,000 addresses of other accounts, none of which ever answers in time.
    const { secret } = gateway.gateway.services.webhooks;
    const others: string[] = [];
    for (let place = 0; place < 50; place += 1) {
      const other = await gateway.createAccount();
      others.push(other);
      const hooks = Array.from({ length: 20 }, () => crypto.randomUUID());
      const sealed = hooks.map((webhookId) => makeWebhookSecret({ secret, webhookId }).sealed);
      await sql`
        insert into webhooks (webhook_id, account_id, permission, url, types, sealed_secret)
        select id, ${other}, 'read', ${`${origin}/late`}, '{credits.granted}', sealed
        from unnest(${arrayLiteral(hooks)}::uuid[], ${arrayLiteral(sealed)}::text[]) as given (id, sealed)`;
    }
    await nameWebhook(gateway, key, { url: `${origin}/good`, types });
    const neighbour = await gateway.createAccount();
    const neighboursKey = await gateway.createKey(neighbour, "read");
    await nameWebhook(gateway, neighboursKey, { url: `${origin}/neighbour`, types });

    const grant = (accountId: string) => sql`
      insert into credit_ledger (account_id, kind, amount_nanos, balance_before_nanos, balance_after_nanos, reason)
      values (${accountId}, 'grant', 5, 0, 5, 'test') returning entry_id`;
    const waits: Record<string, number[]> = { "/good": [], "/neighbour": [] };
    await grant(account);
    await grant(neighbour);
    await waitFor(() => arrivals.size === 2, 30_000);
    await Promise.all(others.map(grant));
    const endMs = performance.now() + 30_000;
    while (performance.now() < endMs) {
      for (const [path, accountId] of [
        ["/good", account],
        ["/neighbour", neighbour],
      ] as const) {
        const [entry] = await grant(accountId);
        const startedMs = performance.now();
        await waitFor(() => arrivals.has(`${path} ${entry?.entry_id}`), 60_000);
        const arrivedMs = arrivals.get(`${path} ${entry?.entry_id}`) ?? Number.POSITIVE_INFINITY;
        waits[path]?.push(arrivedMs - startedMs);
        // Not always just after the background job.
        await Bun.sleep(1_000 * Math.random());
      }
    }
    for (const [path, all] of Object.entries(waits)) {
      const sorted = all.toSorted((a, b) => a - b);
      const at = (share: number) => Math.round(sorted[Math.floor(share * sorted.length)] ?? 0);
      console.log(
        `${path}: ${sorted.length} notices, median ${at(0.5)} ms, p99 ${at(0.99)} ms, beside 1,000 addresses that hang`,
      );
      // "Sent within 5 s (p99)."
      expect(at(0.99)).toBeLessThan(5_000);
    }
    for (const [url, { status, code, error }] of Object.entries(expected)) {
      const [first] = await sql`
        select status, code, error from webhook_deliveries
        where webhook_id = ${ids.get(url) ?? ""} and attempts > 0 order by created_at limit 1`;
      expect({ url, ...first }).toMatchObject({ url, status, code });
      if (error === null) expect(first?.error).toBeNull();
      else expect(first?.error).toMatch(error);
    }
    const gone = await gateway.get(`/v1/webhooks/${ids.get(`${origin}/gone`)}`, key);
    expect(await gone.json()).toMatchObject({ is_active: false, switched_off: "gone" });
    await sql`update webhooks set is_active = false`;
    await noisy.stop(true);
  } finally {
    await gateway.stop();
    await untrusted.stop();
  }
}, 240_000);
