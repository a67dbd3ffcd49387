import { afterAll, beforeAll, describe, expect, spyOn, test } from "bun:test";
import { Writable } from "node:stream";
import { writeBackup } from "../../../src/postgres/backup.ts";
import { FUNCTION_SCHEMA } from "../../../src/postgres/migrate/function_set.ts";
import type { Gateway } from "../../../src/server.ts";
import { type Operator, operatorOf } from "../../cli/support.ts";
import { askAgain } from "../../support/ask_again.ts";
import { readEvents } from "../../support/event_source.ts";
import { problemOf, startTestGateway, type TestGateway } from "../../support/gateway.ts";
import { runJob } from "../../support/run_job.ts";

const DAY_MS = 86_400_000;

let gateway: TestGateway;
let peer: Gateway;
let operator: Operator;
let provider: string;
let write: string;
let reader: string;
let key: string;

beforeAll(async () => {
  gateway = await startTestGateway({
    FEEDGATE_READ_LIMIT_FREE: "1000",
    FEEDGATE_READ_LIMIT_PAID: "1000",
    FEEDGATE_PUSH_LIMIT: "1000",
  });
  peer = await gateway.startPeer();
  operator = operatorOf(gateway.databaseUrl);
  provider = await gateway.createAccount();
  write = await gateway.createKey(provider, "write");
  reader = await gateway.createAccount({ credits: 1_000 });
  key = await gateway.createKey(reader, "read");
});
afterAll(() => gateway.stop());

let feeds = 0;
async function createFeed(fields: object = {}, own = write): Promise<{ id: string; slug: string }> {
  feeds += 1;
  const slug = `life-${feeds}`;
  const body = { name: `Life ${feeds}`, endpoint_path: slug, ...fields };
  const response = await gateway.send("POST", "/v1/provider/feed/create", own, body);
  const { id } = (await response.json()) as { id: string };
  return { id, slug };
}

function push(id: string, body: unknown, own = write) {
  return gateway.send("POST", `/v1/provider/feed/${id}/push`, own, body);
}

function remove(path: string, own = write) {
  return fetch(`${gateway.baseUrl}/v1/provider/feed/${path}`, {
    method: "DELETE",
    headers: { Authorization: `Bearer ${own}` },
  });
}

async function removeRows(id: string, ...ids: string[]) {
  const response = await remove(`${id}/rows?ids=${ids.map(encodeURIComponent).join(",")}`);
  expect(response.status).toBe(200);
  return (await response.json()) as { deleted: string[]; missing: string[] };
}

async function rowsOf(path: string): Promise<Record<string, unknown>[]> {
  const response = await gateway.get(`/v1/feed/${path}`, key);
  return ((await response.json()) as { data: Record<string, unknown>[] }).data;
}

const idsOf = async (path: string) => (await rowsOf(path)).map(({ id }) => id);

async function refusal(response: Response): Promise<string> {
  const { status, code } = await problemOf(response);
  return `${status} ${code}`;
}

/** Runs the job as if days had passed. */
const runJobLater = (name: string, days: number) =>
  runJob(gateway.sql, name, new Date(Date.now() + days * DAY_MS).toISOString());

/** Tables with a row that holds the text. */
async function tablesWith(text: string): Promise<string[]> {
  const tables = await gateway.sql`
    select tablename from pg_tables where schemaname = 'public' order by tablename`;
  const found: string[] = [];
  for (const { tablename } of tables) {
    const [row] = await gateway.sql`
      select count(*)::int as rows from ${gateway.sql(tablename)} as each
      where each::text like ${`%${text}%`}`;
    if (row?.rows > 0) found.push(tablename);
  }
  return found;
}

/** The text of a fresh backup. */
async function backup(): Promise<string> {
  const pieces: string[] = [];
  const sink = new Writable({
    write(piece, _encoding, done) {
      pieces.push(String(piece));
      done();
    },
  });
  await writeBackup(gateway.sql, sink);
  return pieces.join("");
}

async function metadata(slug: string): Promise<Record<string, unknown>> {
  return (await (await gateway.get(`/v1/feed/${slug}/metadata`, key)).json()) as never;
}

async function totalsAreRight(id: string, slug: string): Promise<void> {
  const rows = await rowsOf(`${slug}?limit=100`);
  const [stored] = await gateway.sql`
    select coalesce(sum(octet_length(payload::text)), 0)::int as bytes from (
      select payload from stream_events where feed_id = ${id}
      union all
      select payload from collection_rows join feeds using (feed_id)
      where feed_id = ${id} and batch_number = current_batch
    ) as shown`;
  expect(await metadata(slug)).toMatchObject({ row_count: rows.length, bytes: stored?.bytes });
}

describe("a suspended account", () => {
  test("is refused with the reason on every route and process from the next request on; its feeds stay", async () => {
    const account = await gateway.createAccount({ credits: 100, name: "Abuser" });
    const ownRead = await gateway.createKey(account, "read");
    const ownWrite = await gateway.createKey(account, "write");
    const { id, slug } = await createFeed({ feed_type: "collection" }, ownWrite);
    await push(id, [{ id: "a" }], ownWrite);
    const addresses = [gateway.baseUrl, peer.baseUrl];
    const paths = [
      `/v1/feed/${slug}`,
      `/v1/feed/${slug}/metadata`,
      `/v1/feed/${slug}?limit=0`,
      "/v1/catalog",
      "/v1/search?q=life",
      "/v1/account",
      "/v1/usage",
      "/v1/feed/unknown",
    ];
    const read = (path: string, baseUrl: string) =>
      fetch(baseUrl + path, { headers: { "x-api-key": ownRead } });
    for (const baseUrl of addresses) {
      for (const path of paths.slice(0, 2)) expect((await read(path, baseUrl)).status).toBe(200);
    }
    await operator.json("account", "suspend", account, "--reason", "scraping");
    const before = (await gateway.sql`select from usage_events where account_id = ${account}`)
      .length;
    for (const baseUrl of addresses) {
      for (const path of paths) {
        const { status, code, body } = await problemOf(await read(path, baseUrl));
        expect([path, status, code, body.reason]).toEqual([
          path,
          403,
          "ACCOUNT_SUSPENDED",
          "scraping",
        ]);
      }
    }
    const writes = [
      push(id, [{ id: "b" }], ownWrite),
      push(id, "no json", ownWrite),
      gateway.send("PATCH", `/v1/provider/feed/${id}/edit`, ownWrite, { name: "x" }),
      gateway.send("POST", "/v1/provider/feed/create", ownWrite, {
        name: "x",
        endpoint_path: "x-y",
      }),
      gateway.get("/v1/provider/feeds", undefined, { Authorization: `Bearer ${ownWrite}` }),
      remove(id, ownWrite),
      remove(`${id}/rows?ids=a`, ownWrite),
    ];
    for (const response of await Promise.all(writes)) {
      expect(await refusal(response)).toBe("403 ACCOUNT_SUSPENDED");
    }
    expect(await idsOf(slug)).toEqual(["a"]);
    expect((await gateway.sql`select from usage_events where account_id = ${account}`).length).toBe(
      before,
    );
    expect(await operator.json("account", "show", account)).toMatchObject({
      suspension_reason: "scraping",
    });
    await operator.json("account", "suspend", "Abuser", "--reason", "scraping, again");
    await operator.json("account", "resume", account);
    expect(await operator.json("account", "resume", account)).not.toHaveProperty(
      "suspension_reason",
    );
    for (const baseUrl of addresses) expect((await read(paths[0] ?? "", baseUrl)).status).toBe(200);
    const trail = await gateway.sql`
      select action from audit_events where account_id = ${account} and action like 'account %'
      order by event_id`;
    expect(trail.map((row) => row.action)).toEqual([
      "account create",
      "account suspend",
      "account edit",
      "account resume",
    ]);
  });
});

describe("a suspended feed", () => {
  test("is not found by readers, and refuses its owner with the reason, until it is resumed", async () => {
    const { id, slug } = await createFeed({ feed_type: "stream" });
    await push(id, [{ id: "a", event_timestamp: "2026-01-01T00:00:00Z" }]);
    await operator.json("feed", "publish", slug);
    const known = await gateway.get(`/v1/feed/${slug}`, key);
    const source = await readEvents(`${peer.baseUrl}/v1/feed/${slug}/stream?offset=now&live=sse`, {
      "x-api-key": key,
    });
    await operator.json("feed", "suspend", slug, "--reason", "a complaint");
    for (const path of ["", "/metadata", "/stream"]) {
      expect(await refusal(await gateway.get(`/v1/feed/${slug}${path}`, key))).toBe(
        "404 FEED_NOT_FOUND",
      );
    }
    const tag = known.headers.get("etag") ?? "";
    const conditional = await gateway.get(`/v1/feed/${slug}`, key, { "If-None-Match": tag });
    expect(await refusal(conditional)).toBe("404 FEED_NOT_FOUND");
    expect(JSON.parse((await source.next("end")).data).code).toBe("FEED_NOT_FOUND");
    expect((await gateway.get(`/public/feeds/${slug}/agent-skill`)).status).toBe(404);
    const catalog = await (await gateway.get("/v1/catalog?limit=100", key)).text();
    expect(catalog).not.toContain(id);
    const change = (method: "PATCH" | "POST", path: string, body: unknown) => () =>
      gateway.send(method, path, write, body);
    const writes = [
      () => push(id, [{ id: "b" }]),
      () => push(id, [{ id: "b" }]),
      change("PATCH", `/v1/provider/feed/${id}/edit`, { name: "x" }),
      // 403 comes before what is wrong with a body.
      change("PATCH", `/v1/provider/feed/${id}/edit`, { feed_type: "none" }),
      change("PATCH", `/v1/provider/feed/${id}/edit?dry_run=true`, "{"),
      change("POST", "/v1/provider/feed/create", { id, name: "" }),
      change("POST", "/v1/provider/feed/create", { id, name: "x", endpoint_path: slug }),
      () => remove(id),
      () => remove(`${id}/rows?ids=a`),
    ];
    for (const response of await Promise.all(writes.map(askAgain))) {
      const { status, code, body } = await problemOf(response);
      expect([status, code, body.reason]).toEqual([403, "FEED_SUSPENDED", "a complaint"]);
    }
    const stranger = await gateway.createKey(await gateway.createAccount(), "write");
    expect(await refusal(await push(id, [{ id: "b" }], stranger))).toBe("403 FEED_FORBIDDEN");
    expect(await operator.json("feed", "show", id)).toMatchObject({
      suspension_reason: "a complaint",
    });
    await operator.json("feed", "resume", id);
    expect(await idsOf(slug)).toEqual(["a"]);
    expect((await push(id, [{ id: "b" }])).status).toBe(200);
    expect(await (await gateway.get("/v1/catalog?limit=100", key)).text()).toContain(id);
  });
});

describe("a suspended feed with an open batch", () => {
  test("keeps it, however long, and the batch is completed once the feed is resumed", async () => {
    const { id, slug } = await createFeed({ feed_type: "collection" });
    await push(id, [{ id: "old" }]);
    await push(id, { payload: [{ id: "a" }], batch_id: "next" });
    await operator.json("feed", "suspend", slug, "--reason", "a complaint");
    const later = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
    await runJob(gateway.sql, "abandoned batches", later(49));
    await operator.json("feed", "resume", id);
    // Its 24 hours begin anew.
    await gateway.sql`
      update batches set begun_at = begun_at - interval '3 days' where feed_id = ${id}`;
    await runJob(gateway.sql, "abandoned batches", later(23));
    const last = { payload: [{ id: "b" }], batch_id: "next", batch_complete: true };
    expect((await push(id, last)).status).toBe(200);
    expect(await idsOf(slug)).toEqual(["a", "b"]);
  });
});

describe("a deleted feed", () => {
  test("is gone at once for everybody, and its rows from every table in the end; log and ledger stay", async () => {
    const owner = await gateway.createAccount({ maxFeeds: 1 });
    const own = await gateway.createKey(owner, "write");
    const marker = `marker-${crypto.randomUUID()}`;
    for (const type of ["collection", "stream", "singleton"]) {
      const fields = { feed_type: type, price_type: "metered", price_per_1k: 0.001 };
      const { id, slug } = await createFeed(fields, own);
      const row = { id: "a", text: marker };
      await push(id, type === "singleton" ? row : [row, { id: "b", text: marker }], own);
      if (type === "collection") await push(id, [{ id: "a", text: `${marker}-2` }], own);
      if (type !== "singleton") {
        await gateway.sql`
          select ${gateway.sql(FUNCTION_SCHEMA)}.index_filter_rows(
            ${id}, (select coalesce(current_batch, 0) from feeds where feed_id = ${id}), 1000000)`;
        await push(id, [{ id: "a", text: `${marker}-3` }], own);
      }
      const { usage_id: usageId } = (
        (await (await gateway.get(`/v1/feed/${slug}`, key)).json()) as {
          _origin: { usage_id: string };
        }
      )._origin;
      expect(await refusal(await remove(id))).toBe("403 FEED_FORBIDDEN");
      expect((await remove(id, own)).status).toBe(204);
      expect((await remove(id, own)).status).toBe(204);
      for (const path of ["", "/metadata", "/stream"]) {
        expect(await refusal(await gateway.get(`/v1/feed/${slug}${path}`, key))).toBe(
          "404 FEED_NOT_FOUND",
        );
      }
      for (const response of [
        await push(id, [{ id: "c" }], own),
        await gateway.send("PATCH", `/v1/provider/feed/${id}/edit`, own, { name: "x" }),
        await gateway.send("POST", "/v1/provider/feed/create", own, {
          id,
          name: "x",
          endpoint_path: slug,
        }),
        await remove(`${id}/rows?ids=a`, own),
      ]) {
        expect(await refusal(response)).toBe("403 FEED_FORBIDDEN");
      }
      const listed = await gateway.get("/v1/provider/feeds", undefined, {
        Authorization: `Bearer ${own}`,
      });
      expect(await listed.json()).toMatchObject({ feeds: [], total: 0 });
      expect(await operator.json("feed", "show", id)).toMatchObject({
        rows_left: type === "singleton" ? 1 : 2,
      });
      expect(await backup()).toContain(marker);
      await runJob(gateway.sql, "deleted feeds");
      expect(await tablesWith(marker)).toEqual([]);
      expect(await backup()).not.toContain(marker);
      expect(await operator.json("feed", "show", id)).toMatchObject({ rows_left: 0, pushes: [] });
      const events = await gateway.sql`select from usage_events where usage_id = ${usageId}`;
      expect(events).toHaveLength(1);
    }
    expect(await operator.json("account", "show", reader)).toMatchObject({
      ledger: { is_balanced: true },
    });
  });

  for (const [kind, words] of [
    ["is public", ["publish"]],
    ["was public", ["publish", "unpublish"]],
    ["had data", []],
  ] as const) {
    test(`that ${kind} keeps its slug for 30 days, and its place in the quota not at all`, async () => {
      const owner = await gateway.createAccount({ maxFeeds: 1 });
      const own = await gateway.createKey(owner, "write");
      const { id, slug } = await createFeed({}, own);
      if (words.length === 0) await push(id, { price: 1 }, own);
      for (const word of words) await operator.json("feed", word, id);
      const again = { name: "Again", endpoint_path: slug };
      const create = (body: object) => gateway.send("POST", "/v1/provider/feed/create", own, body);
      expect(await refusal(await create({ name: "x", endpoint_path: "quota-full" }))).toBe(
        "403 FEED_QUOTA_EXCEEDED",
      );
      await remove(id, own);
      expect(await refusal(await create(again))).toBe("409 ENDPOINT_PATH_TAKEN");
      await runJobLater("deleted feeds", 29);
      expect(await refusal(await create(again))).toBe("409 ENDPOINT_PATH_TAKEN");
      await runJobLater("deleted feeds", 31);
      expect((await create(again)).status).toBe(201);
      expect((await remove(slug, own)).status).toBe(204);
    });
  }

  test("that has rows of an import that failed keeps its slug", async () => {
    const { id, slug } = await createFeed({ feed_type: "stream" });
    const imported = await fetch(`${gateway.baseUrl}/v1/provider/feed/${id}/import`, {
      method: "POST",
      headers: { authorization: `Bearer ${write}`, "content-type": "application/x-ndjson" },
      body: '{"id":"a"}\n{"id":"z","event_timestamp":"now"}\n',
    });
    expect(await imported.text()).toContain('"rows_inserted":1');
    expect((await remove(slug)).status).toBe(204);
    const body = { name: "Again", endpoint_path: slug };
    const again = await gateway.send("POST", "/v1/provider/feed/create", write, body);
    expect(await refusal(again)).toBe("409 ENDPOINT_PATH_TAKEN");
  });

  test("that was never public and never had data gives its slug up at once, and deleting it again does not touch who takes it", async () => {
    const { id, slug } = await createFeed({ feed_type: "collection" });
    expect((await remove(slug)).status).toBe(204);
    expect((await remove(slug)).status).toBe(204);
    const other = await gateway.createKey(await gateway.createAccount(), "write");
    const body = { name: "Other", endpoint_path: slug, feed_type: "collection" };
    const created = await gateway.send("POST", "/v1/provider/feed/create", other, body);
    expect(created.status).toBe(201);
    const { id: taker } = (await created.json()) as { id: string };
    await push(taker, [{ id: "b" }], other);
    expect((await remove(slug)).status).toBe(204);
    await runJobLater("deleted feeds", 31);
    expect(await idsOf(slug)).toEqual(["b"]);
    expect(await operator.json("feed", "show", slug)).toMatchObject({ id: taker });
    const shown = await operator.run(["feed", "show", id]);
    expect(shown.stdout).toContain(`none, was ${slug}`);
  });

  test("leaves no text of its own but its name", async () => {
    const marker = `marker-${crypto.randomUUID()}`;
    // The audit trail keeps the beginning of a long text.
    const text = `${"x".repeat(1_200)} ${marker}`;
    const { id } = await createFeed({
      name: "Keeps its name",
      description: text,
      readme_md: text,
      category: "cat",
      update_frequency_text: "now and then",
      schema_definition: { type: "object", description: text },
      sample_response: { text },
    });
    expect(await tablesWith(marker)).toEqual(["feeds"]);
    await remove(id);
    await runJob(gateway.sql, "deleted feeds");
    expect(await tablesWith(marker)).toEqual([]);
    const [row] = await gateway.sql`
      select name, category, update_frequency_text from feeds where feed_id = ${id}`;
    expect(row).toEqual({ name: "Keeps its name", category: null, update_frequency_text: null });
  });

  test("is removed also where another feed has the slug that deleted ones used to get", async () => {
    const { id } = await createFeed({ feed_type: "collection" });
    await push(id, [{ id: "a" }]);
    await operator.json("feed", "publish", id);
    await gateway.send("POST", "/v1/provider/feed/create", write, {
      name: "In the way",
      endpoint_path: `deleted-${id}`,
    });
    await remove(id);
    await runJobLater("deleted feeds", 31);
    expect(await gateway.sql`select from collection_rows where feed_id = ${id}`).toHaveLength(0);
    const [row] = await gateway.sql`select endpoint_path from feeds where feed_id = ${id}`;
    expect(row).toEqual({ endpoint_path: null });
  });

  test("counts in its account's day: ten times the quota are deleted, over two processes at once, then it is 429", async () => {
    const owner = await gateway.createAccount({ maxFeeds: 13 });
    const own = await gateway.createKey(owner, "write");
    const made = [];
    for (let count = 0; count < 13; count++) made.push(await createFeed({}, own));
    await gateway.sql`update accounts set max_feeds_allowed = 1 where account_id = ${owner}`;
    const [last, ...others] = made;
    const removeAll = () =>
      Promise.all(
        others.map(({ id }, place) => {
          const { baseUrl } = place % 2 === 0 ? gateway : peer;
          return askAgain(() =>
            fetch(`${baseUrl}/v1/provider/feed/${id}`, {
              method: "DELETE",
              headers: { Authorization: `Bearer ${own}` },
            }),
          );
        }),
      );
    const left = async () =>
      (await gateway.sql`select from feeds where account_id = ${owner} and deleted_at is null`)
        .length;
    const first = await removeAll();
    const refused = first.filter(({ status }) => status === 429);
    expect([first.length - refused.length, refused.length, await left()]).toEqual([10, 2, 3]);
    for (const response of refused) {
      const { code, body } = await problemOf(response);
      const headers = ["x-ratelimit-limit", "x-ratelimit-remaining", "ratelimit-policy"];
      expect([code, ...headers.map((name) => response.headers.get(name))]).toEqual([
        "RATE_LIMITED",
        "10",
        "0",
        '"default";q=10;w=86400',
      ]);
      expect(body.retry_after_ms).toBeWithin(DAY_MS - 60_000, DAY_MS + 1);
      expect(response.headers.get("retry-after")).toBe(
        String(Math.ceil(Number(body.retry_after_ms) / 1_000)),
      );
    }
    // What is deleted already is 204 again; a stranger's is 403; the operator is not bound.
    expect((await removeAll()).map(({ status }) => status).sort()).toEqual([
      ...Array(10).fill(204),
      429,
      429,
    ]);
    expect(await refusal(await remove((await createFeed()).id, own))).toBe("403 FEED_FORBIDDEN");
    await operator.json("feed", "delete", last?.id as string);
    expect(await left()).toBe(2);
    await gateway.sql`
      update feeds set deleted_at = deleted_at - interval '1 day'
      where feed_id in (
        select feed_id from feeds where account_id = ${owner} and deleted_at is not null
        order by deleted_at limit 2
      )`;
    const again = (await removeAll()).map(({ status }) => status).filter((each) => each === 429);
    expect([again.length, await left()]).toEqual([1, 1]);
  });

  test("can be deleted by the operator, suspended or not, and is then refused as deleted", async () => {
    const { id, slug } = await createFeed({ feed_type: "collection" });
    await push(id, [{ id: "a" }]);
    await operator.json("feed", "suspend", slug, "--reason", "taken down");
    for (let times = 0; times < 2; times++) {
      expect(await operator.json("feed", "delete", slug)).toHaveProperty("deleted_at");
    }
    for (const words of [
      ["feed", "publish", id],
      ["feed", "suspend", id, "--reason", "x"],
      ["feed", "resume", id],
    ]) {
      const { code, stderr } = await operator.run(words);
      expect([code, stderr]).toEqual([1, expect.stringContaining("was deleted at")]);
    }
    const rows = await gateway.sql`
      select actor, action from audit_events where feed_id = ${id} order by event_id desc limit 1`;
    expect(rows[0]).toMatchObject({
      action: "feed delete",
      actor: expect.stringMatching(/^operator/),
    });
  });

  test("that was sold once: its purchase can still be undone, and none is recorded any more", async () => {
    const sold = { feed_type: "collection", price_type: "one_time", one_time_price_cents: 500 };
    const { id, slug } = await createFeed(sold);
    const purchase = ["--account", reader, "--feed", slug];
    await operator.json("purchase", "record", ...purchase);
    await operator.json("feed", "delete", id);
    await operator.json("purchase", "undo", ...purchase, "--reason", "taken down");
    const { code, stderr } = await operator.run(["purchase", "record", ...purchase]);
    expect([code, stderr]).toEqual([1, expect.stringContaining("was deleted at")]);
    const trail = (await operator.json("audit", "--feed", slug)) as { action: string }[];
    expect(trail.map(({ action }) => action)).toEqual([
      "purchase undo",
      "feed delete",
      "purchase record",
      "feed create",
    ]);
  });

  test("is skipped by a push that was under way", async () => {
    const { id } = await createFeed({ feed_type: "collection" });
    await push(id, [{ id: "a" }]);
    const pushes = Array.from({ length: 20 }, (_, n) =>
      askAgain(() => push(id, [{ id: `late-${n}` }])),
    );
    await remove(id);
    const statuses = new Set((await Promise.all(pushes)).map(({ status }) => status));
    expect([...statuses].every((status) => [200, 403].includes(status))).toBeTrue();
    await runJob(gateway.sql, "deleted feeds");
    expect(await gateway.sql`select from collection_rows where feed_id = ${id}`).toHaveLength(0);
  });
});

describe("rows that are removed", () => {
  test("of a collection go from all batches, index and totals, and may be pushed again as new rows", async () => {
    const { id, slug } = await createFeed({ feed_type: "collection" });
    const marker = `marker-${crypto.randomUUID()}`;
    await push(id, {
      payload: [{ id: "a", text: marker, n: 0 }],
      batch_id: "one",
      batch_complete: true,
    });
    await push(id, {
      payload: ["a", "b", "c,d", "e"].map((each) => ({
        id: each,
        text: each === "a" ? marker : each,
        n: 1,
      })),
      batch_id: "two",
      batch_complete: true,
    });
    await push(id, { payload: [{ id: "a", text: `${marker} open`, n: 2 }], batch_id: "three" });
    const batch = gateway.sql`(select current_batch from feeds where feed_id = ${id})`;
    await gateway.sql`
      select ${gateway.sql(FUNCTION_SCHEMA)}.index_filter_rows(${id}, ${batch}, 1000000)`;
    await push(id, [{ id: "b", text: `${marker} replaced`, n: 1 }]);
    const first = await gateway.get(`/v1/feed/${slug}?limit=1`, key);
    const walk = (await first.json()) as { next_cursor: string };
    const tag = first.headers.get("etag") ?? "";
    expect(await removeRows(id, "a", "c,d", "zzz", "\0")).toEqual({
      deleted: ["a", "c,d"],
      missing: ["zzz", "\0"],
    });
    expect(await idsOf(`${slug}?limit=1&cursor=${walk.next_cursor}`)).toEqual(["b"]);
    expect(
      (await gateway.get(`/v1/feed/${slug}?limit=1`, key, { "If-None-Match": tag })).status,
    ).toBe(200);
    expect(await idsOf(slug)).toEqual(["b", "e"]);
    expect(await idsOf(`${slug}?n=eq.1`)).toEqual(["b", "e"]);
    expect(await idsOf(`${slug}?ids=a,b`)).toEqual(["b"]);
    await totalsAreRight(id, slug);
    expect(await removeRows(id, "a", "b")).toEqual({ deleted: ["b"], missing: ["a"] });
    expect(await tablesWith(marker)).toEqual([]);
    const terms = await gateway.sql`
      select from filter_terms join filter_indexes using (filter_index_id)
      where feed_id = ${id} and position > 0`;
    // Of the row "e": id, text and n.
    expect(terms).toHaveLength(3);
    await push(id, [{ id: "a", text: "new", n: 1 }]);
    expect(await idsOf(`${slug}?n=eq.1`)).toEqual(["e", "a"]);
    await push(id, { payload: [{ id: "f" }], batch_id: "three", batch_complete: true });
    expect(await idsOf(slug)).toEqual(["f"]);
    await totalsAreRight(id, slug);
  });

  test("of a stream are passed over by walks, filters and followers", async () => {
    const { id, slug } = await createFeed({ feed_type: "stream" });
    const marker = `marker-${crypto.randomUUID()}`;
    const events = ["a", "b", "c", "d"].map((each, n) => ({
      id: each,
      event_timestamp: `2026-01-0${n + 1}T00:00:00Z`,
      text: `${marker} ${each}`,
      kind: "x",
    }));
    await push(id, events);
    await gateway.sql`select ${gateway.sql(FUNCTION_SCHEMA)}.index_filter_rows(${id}, 0, 1000000)`;
    const followed = (await (await gateway.get(`/v1/feed/${slug}/stream?limit=1`, key)).json()) as {
      next_offset: string;
    };
    expect(await removeRows(id, "b", "d")).toEqual({ deleted: ["b", "d"], missing: [] });
    expect(await idsOf(slug)).toEqual(["c", "a"]);
    expect(await idsOf(`${slug}?kind=eq.x`)).toEqual(["c", "a"]);
    expect(await idsOf(`${slug}/stream?offset=${followed.next_offset}`)).toEqual(["c"]);
    await totalsAreRight(id, slug);
    await push(id, [{ ...events[1], text: "new" }]);
    expect(await idsOf(`${slug}/stream?offset=${followed.next_offset}`)).toEqual(["c", "b"]);
    await removeRows(id, "a", "b", "c");
    expect(await tablesWith(marker)).toEqual([]);
    expect(await backup()).not.toContain(marker);
    expect(await idsOf(slug)).toEqual([]);
    const [audited] = await gateway.sql`
      select actor, after from audit_events where feed_id = ${id} and action = 'rows delete'
      order by event_id desc limit 1`;
    expect(audited).toMatchObject({ actor: expect.stringMatching(/^key /) });
  });

  test("need ids, up to 100, of an own feed that has rows", async () => {
    const { id } = await createFeed({ feed_type: "collection" });
    const { id: singleton } = await createFeed({ feed_type: "singleton" });
    await push(singleton, { a: 1 });
    const many = Array.from({ length: 101 }, (_, n) => n).join(",");
    for (const [path, expected] of [
      [`${id}/rows`, "400 INVALID_PARAMETER"],
      [`${id}/rows?ids=`, "400 INVALID_PARAMETER"],
      [`${id}/rows?ids=${many}`, "400 INVALID_PARAMETER"],
      [`${id}/rows?ids=a&id=b`, "400 INVALID_PARAMETER"],
      [`${singleton}/rows?ids=a`, "400 INVALID_PARAMETER"],
      [`${crypto.randomUUID()}/rows?ids=a`, "403 FEED_FORBIDDEN"],
      ["life-1/rows?ids=a", "403 FEED_FORBIDDEN"],
      ["life-1", "403 FEED_FORBIDDEN"],
      [`${id}?x=1`, "400 INVALID_PARAMETER"],
    ] as const) {
      expect([path, await refusal(await remove(path))]).toEqual([path, expected]);
    }
    expect(await refusal(await remove(`${id}/rows?ids=a`, key))).toBe("403 KEY_PERMISSION");
  });
});

describe("retention", () => {
  test("a receipt says that readers see none of the rows if all new ones are too old", async () => {
    const { id } = await createFeed({ feed_type: "stream", retention_days: 5 });
    const old = (name: string) => ({ id: name, event_timestamp: "2020-01-01T00:00:00Z" });
    const pushed = async (rows: readonly object[]) => (await push(id, rows)).json();
    const unseen = { is_visible: false, detail: expect.stringContaining("retention_days (5)") };
    expect(await pushed([old("a"), old("b")])).toMatchObject({ rows_inserted: 2, ...unseen });
    expect(await pushed([old("c"), { id: "now" }])).toMatchObject({ is_visible: true });
    // The one that is not too old is not new.
    expect(await pushed([old("d"), { id: "now" }])).toMatchObject(unseen);
    expect(await pushed([old("d")])).toMatchObject({ rows_inserted: 0, is_visible: true });

    const imported = async (...rows: readonly object[]) => {
      const response = await fetch(`${gateway.baseUrl}/v1/provider/feed/${id}/import`, {
        method: "POST",
        headers: { authorization: `Bearer ${write}`, "content-type": "application/x-ndjson" },
        body: rows.map((row) => JSON.stringify(row)).join("\n"),
      });
      return JSON.parse((await response.text()).trimEnd().split("\n").at(-1) ?? "").receipt;
    };
    expect(await imported(old("e"), old("f"))).toMatchObject(unseen);
    expect(await imported(old("g"), { id: "later" })).toMatchObject({ is_visible: true });
  });

  const ago = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString();

  test("lets nobody read what is too old, and removes it, index and totals included", async () => {
    const { id, slug } = await createFeed({ feed_type: "stream", retention_days: 2 });
    const event = (name: string, days: number) => ({
      id: name,
      event_timestamp: ago(days),
      kind: "x",
    });
    await push(id, [event("old", 3), event("new", 1), event("older", 30), event("newest", 0)]);
    await gateway.sql`select ${gateway.sql(FUNCTION_SCHEMA)}.index_filter_rows(${id}, 0, 1000000)`;
    for (let times = 0; times < 2; times++) {
      expect(await idsOf(slug)).toEqual(["newest", "new"]);
      expect(await idsOf(`${slug}?kind=eq.x`)).toEqual(["newest", "new"]);
      expect(await idsOf(`${slug}?ids=old,new`)).toEqual(["new"]);
      const metadata = await gateway.get(`/v1/feed/${slug}/metadata`, key);
      const { oldest_event: oldest } = (await metadata.json()) as { oldest_event: string };
      expect(Date.now() - Date.parse(oldest)).toBeLessThan(2 * DAY_MS);
      expect(await idsOf(`${slug}/stream`)).toEqual(["new", "newest"]);
      expect(await idsOf(`${slug}?start_time=2020-01-01T00:00:00Z&limit=1&offset=1`)).toEqual([
        "new",
      ]);
      await runJob(gateway.sql, "event retention");
    }
    await totalsAreRight(id, slug);
    const left = await gateway.sql`select row_id from stream_events where feed_id = ${id}`;
    expect(left).toHaveLength(2);
    const terms = await gateway.sql`
      select from filter_terms join filter_indexes using (filter_index_id)
      where feed_id = ${id} and position > 0`;
    expect(terms).toHaveLength(6);
  });

  /** Its events were three days longer ago: what time does, which moves no version. */
  const letPass = (id: string) => gateway.sql`
    update stream_events set event_at = event_at - interval '3 days' where feed_id = ${id}`;

  test("shows no row by its id from a page in memory once it is too old", async () => {
    const { id, slug } = await createFeed({ feed_type: "stream", retention_days: 3 });
    await push(id, [{ id: "a" }]);
    expect(await idsOf(`${slug}?ids=a`)).toEqual(["a"]);
    await letPass(id);
    expect(await idsOf(`${slug}?ids=a`)).toEqual([]);
  });

  test("moves the data version when it removes events, so that no answer remembered is still good", async () => {
    const { id, slug } = await createFeed({ feed_type: "stream", retention_days: 3 });
    await push(id, [{ id: "a" }]);
    const first = await gateway.get(`/v1/feed/${slug}`, key);
    const condition = { "If-None-Match": first.headers.get("etag") ?? "" };
    await letPass(id);
    await runJob(gateway.sql, "event retention");
    const second = await gateway.get(`/v1/feed/${slug}`, key, condition);
    expect([second.status, (await second.json()) as object]).toMatchObject([200, { data: [] }]);
  });

  test("keeps what is too old from the newest rows, and from those that a schema is tried on", async () => {
    const { id, slug } = await createFeed({ feed_type: "stream", retention_days: 3 });
    await push(id, [
      { id: "old", event_timestamp: ago(4), n: "one" },
      { id: "new", event_timestamp: ago(1), n: 1 },
    ]);
    const shown = (await operator.json("feed", "show", slug)) as { newest_rows: { id: string }[] };
    expect(shown.newest_rows.map((row) => row.id)).toEqual(["new"]);
    const locked = {
      schema_definition: { properties: { id: {}, n: { type: "integer" } } },
      schema_locked: true,
      sample_response: { id: "new", n: 1 },
    };
    const warnings = async (days: number) => {
      const body = { ...locked, retention_days: days };
      const saved = await gateway.send("PATCH", `/v1/provider/feed/${id}/edit`, write, body);
      expect(saved.status).toBe(200);
      return ((await saved.json()) as { warnings: string[] }).warnings;
    };
    expect(await warnings(3)).toEqual([]);
    expect(await warnings(5)).toEqual([expect.stringContaining("Of the newest 2 rows, 1 fail")]);
  });

  test("ends a page in memory when an event on it becomes too old", async () => {
    const { id, slug } = await createFeed({ feed_type: "stream", retention_days: 1 });
    await push(id, [{ id: "soon", event_timestamp: ago(0.5) }, { id: "new" }]);
    expect(await idsOf(slug)).toEqual(["new", "soon"]);
    const first = await gateway.get(`/v1/feed/${slug}`, key);
    const tag = first.headers.get("etag") ?? "";
    const again = () => gateway.get(`/v1/feed/${slug}`, key, { "If-None-Match": tag });
    const newest = async () => (await gateway.get(`/v1/feed/${slug}?limit=1`, key)).json();
    expect(await newest()).toMatchObject({ has_more: true });
    await gateway.sql`
      update stream_events set event_at = event_at - interval '1 day'
      where feed_id = ${id} and row_id = 'soon'`;
    expect(await idsOf(slug)).toEqual(["new", "soon"]);
    expect((await again()).status).toBe(304);
    // When the page was made, the older of them had half a day left.
    const now = spyOn(Date, "now").mockReturnValue(Date.now() + DAY_MS);
    try {
      expect(await idsOf(slug)).toEqual(["new"]);
      const changed = await again();
      expect(changed.status).toBe(200);
      expect(changed.headers.get("etag")).not.toBe(tag);
      expect(await newest()).toMatchObject({ has_more: false, next_cursor: null });
    } finally {
      now.mockRestore();
    }
  });

  test("is for streams, from 1 to 3,650 days, and null ends it", async () => {
    const { id, slug } = await createFeed({ feed_type: "stream", retention_days: 10 });
    const edit = (own: string, body: object) =>
      gateway.send("PATCH", `/v1/provider/feed/${own}/edit`, write, body);
    for (const days of [0, -1, 3_651, 1.5, "7", true, []]) {
      expect(await refusal(await edit(id, { retention_days: days }))).toBe("422 VALIDATION_FAILED");
    }
    expect(await (await edit(id, { retention_days: 3_650 })).json()).toMatchObject({
      retention_days: 3_650,
    });
    const { id: collection } = await createFeed({ feed_type: "collection" });
    const { body } = await problemOf(await edit(collection, { retention_days: 5 }));
    expect(body).toMatchObject({
      code: "VALIDATION_FAILED",
      errors: [
        { path: "/retention_days", message: "retention_days is for feeds of feed_type stream" },
      ],
    });
    await push(id, [{ id: "old", event_timestamp: ago(4_000) }]);
    expect(await idsOf(slug)).toEqual([]);
    const row = (await (await edit(id, { retention_days: null })).json()) as object;
    expect(row).toMatchObject({ retention_days: null });
    expect(await idsOf(slug)).toEqual(["old"]);
    expect((await edit(id, row)).status).toBe(200);
  });
});

test("random pushes and removals leave the index, the totals and the rows in agreement", async () => {
  const { id, slug } = await createFeed({ feed_type: "collection" });
  const model = new Map<string, number>();
  let seed = 7;
  const random = (below: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return seed % below;
  };
  for (let step = 0; step < 60; step++) {
    const names = [...new Set(Array.from({ length: 1 + random(4) }, () => `r${random(12)}`))];
    const kind = random(3);
    if (kind === 0 && model.size > 0) {
      const { deleted } = await removeRows(id, ...names);
      expect(deleted.sort()).toEqual(names.filter((name) => model.has(name)).sort());
      for (const name of names) model.delete(name);
    } else if (kind === 1 && model.size > 0) {
      await gateway.sql`
        select ${gateway.sql(FUNCTION_SCHEMA)}.index_filter_rows(
          ${id}, (select current_batch from feeds where feed_id = ${id}), ${1_000 * random(4)})`;
    } else {
      const rows = names.map((name) => ({ id: name, n: random(3) }));
      expect((await push(id, rows)).status).toBe(200);
      for (const { id: name, n } of rows) model.set(name, n);
    }
    const n = random(3);
    const expected = [...model].filter(([, each]) => each === n).map(([name]) => name);
    expect((await idsOf(`${slug}?n=eq.${n}&limit=100`)).sort()).toEqual(expected.sort());
  }
  await totalsAreRight(id, slug);
});

describe("decisions 10: provider routes take a UUID or the slug of an own feed", () => {
  test("push, edit, removal of rows and deletion by slug", async () => {
    const { id, slug } = await createFeed({ feed_type: "collection" });
    const path = `/v1/provider/feed/${slug}`;
    const pushed = await gateway.send("POST", `${path}/push`, write, [{ id: "a" }, { id: "b" }]);
    expect(await pushed.json()).toMatchObject({ feed_id: id, rows_inserted: 2 });
    const edited = await gateway.send("PATCH", `${path}/edit`, write, { description: "By slug" });
    expect(await edited.json()).toMatchObject({ id, description: "By slug" });
    const send = (to: string) =>
      fetch(gateway.baseUrl + to, {
        method: "DELETE",
        headers: { Authorization: `Bearer ${write}` },
      });
    const removed = await send(`${path}/rows?ids=a,c`);
    expect(await removed.json()).toEqual({ deleted: ["a"], missing: ["c"] });
    expect((await send(path)).status).toBe(204);
    expect((await send(`/v1/provider/feed/${id}`)).status).toBe(204);
    expect((await gateway.get(`/v1/feed/${slug}`, key)).status).toBe(404);
  });

  test("a foreign slug, one that is free, one in capitals and one with a NUL are one and the same 403", async () => {
    const { slug } = await createFeed();
    const other = await gateway.createKey(await gateway.createAccount(), "write");
    const bodies = new Set<string>();
    for (const [reference, as] of [
      [slug, other],
      ["nobody-has-this", write],
      [slug.toUpperCase(), write],
      ["a%00b", write],
    ] as const) {
      for (const [method, rest] of [
        ["POST", "/push"],
        ["PATCH", "/edit"],
        ["DELETE", ""],
        ["DELETE", "/rows?ids=a"],
      ] as const) {
        const response = await fetch(`${gateway.baseUrl}/v1/provider/feed/${reference}${rest}`, {
          method,
          headers: { Authorization: `Bearer ${as}`, "Content-Type": "application/json" },
          ...(method !== "DELETE" && { body: "{}" }),
        });
        const { body, ...problem } = await problemOf(response);
        expect({ reference, method, ...problem }).toMatchObject({
          status: 403,
          code: "FEED_FORBIDDEN",
        });
        bodies.add(JSON.stringify({ ...body, request_id: "" }));
      }
    }
    expect(bodies.size).toBe(1);
  });

  test("a slug that has changed hands means its new feed, also where the old one was known by it", async () => {
    const first = await createFeed({ feed_type: "stream" });
    const second = await createFeed({ feed_type: "stream" });
    const push = (slug: string, as = write) =>
      gateway.send("POST", `/v1/provider/feed/${slug}/push`, as, [{ id: crypto.randomUUID() }]);
    expect(await (await push(first.slug)).json()).toMatchObject({ feed_id: first.id });
    const rename = (id: string, slug: string) =>
      gateway.send("PATCH", `/v1/provider/feed/${id}/edit`, write, { endpoint_path: slug });
    await rename(first.id, `${first.slug}-old`);
    expect((await push(first.slug)).status).toBe(403);
    await rename(second.id, first.slug);
    expect(await (await push(first.slug)).json()).toMatchObject({ feed_id: second.id });
  });
});
