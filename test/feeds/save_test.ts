import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { askAgain } from "../support/ask_again.ts";
import {
  problemOf,
  shareTestGateway,
  startTestGateway,
  type TestGateway,
} from "../support/gateway.ts";
import { lockWaiters } from "../support/lock_waiters.ts";

const CREATE = "/v1/provider/feed/create";
const UNKNOWN_ID = "0b3b6e84-5b5c-4c4e-9e0f-3c7a7f0d9a11";
const SCHEMA = { type: "object", properties: { rate: { type: "number" } } };
const NO_SCHEMA =
  "The feed has no schema_definition, so agents can't know the fields of its rows in advance.";
const NO_SAMPLE = "The feed has no sample_response, so agents must read it to see one row.";
const REQUEST_BODY_BYTES = 2 * 1_024 * 1_024;

interface FeedBody extends Record<string, unknown> {
  readonly id: string;
}

let gateway: TestGateway;
let accountId: string;
let key: string;
let slugs = 0;
let saves = 0;

beforeAll(async () => {
  gateway = await shareTestGateway();
  await newAccount();
});
afterAll(() => gateway.stop());

/** Makes another account the caller: each has its own window of 120 saves. */
async function newAccount(options: { maxFeeds?: number; name?: string } = {}) {
  accountId = await gateway.createAccount({ maxFeeds: 1_000, ...options });
  key = await gateway.createKey(accountId, "write");
  saves = 0;
}

function newSlug(): string {
  slugs += 1;
  return `feed-${slugs}`;
}

async function send(method: "GET" | "POST" | "PATCH", path: string, body: unknown, as = key) {
  saves += 1;
  // Before the window is full, the next account takes over.
  if (as === key && saves > 110) throw new Error("call newAccount() first");
  return gateway.send(method, path, as, body);
}

const create = (body: object | string, as = key) => send("POST", CREATE, body, as);
/** Beside others at once, some of which a busy machine puts off. */
const createBesideOthers = (body: object, as = key) => askAgain(() => create(body, as));
const edit = (feedId: string, body: object | string, as = key) =>
  send("PATCH", `/v1/provider/feed/${feedId}/edit`, body, as);

async function created(body: object = {}): Promise<FeedBody> {
  const response = await create({ name: "A feed", endpoint_path: newSlug(), ...body });
  expect([response.status, await response.clone().text()]).toEqual([201, expect.anything()]);
  return (await response.json()) as FeedBody;
}

async function edited(feedId: string, body: object | string): Promise<FeedBody> {
  const response = await edit(feedId, body);
  expect([response.status, await response.clone().text()]).toEqual([200, expect.anything()]);
  return (await response.json()) as FeedBody;
}

async function push(feedId: string, payload: unknown) {
  const response = await gateway.send("POST", `/v1/provider/feed/${feedId}/push`, key, { payload });
  expect(response.status).toBe(200);
}

async function expectProblem(response: Response, status: number, code: string, paths?: string[]) {
  const problem = await problemOf(response);
  expect(problem).toMatchObject({ status, code, type: "application/problem+json" });
  expect(response.headers.get("cache-control")).toBe("private, no-cache");
  if (paths !== undefined) {
    const errors = problem.body.errors as { path: string; message: string }[];
    expect(errors.map(({ path }) => path)).toEqual(paths);
  }
  return problem.body;
}

async function versionOf(feedId: string): Promise<string> {
  const rows = await gateway.sql`
    select definition_version, updated_at::text from feeds where feed_id = ${feedId}`;
  return JSON.stringify(rows[0], (_, value) => (typeof value === "bigint" ? String(value) : value));
}

describe("create", () => {
  beforeAll(() => newAccount({ name: "Provider" }));

  test("201 with the full row, its defaults, and the quota", async () => {
    const slug = newSlug();
    const response = await create({ name: "Euro rates", endpoint_path: slug });
    expect(response.status).toBe(201);
    expect(response.headers.get("cache-control")).toBe("private, no-cache");
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(response.headers.get("x-request-id")).toBeTruthy();
    expect(await response.json()).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: "Euro rates",
      description: null,
      endpoint_path: slug,
      readme_md: null,
      category: null,
      feed_type: null,
      consumer_type: "singleton",
      price_per_1k: 0,
      price_type: "free",
      one_time_price_cents: null,
      access: "open",
      reliability_score: null,
      last_sync_at: null,
      sync_interval_mins: 60,
      update_frequency_text: null,
      storage_config: { max_body_bytes: 4_194_304, max_row_bytes: null, max_rows: null },
      schema_definition: null,
      retention_days: null,
      schema_version: 1,
      schema_changed_at: null,
      schema_locked: false,
      sample_response: null,
      status: "draft",
      provider: { id: accountId, name: "Provider" },
      draft_step: null,
      is_public: false,
      review: "none",
      review_reason: null,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      updated_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      max_feeds_allowed: 1_000,
      feeds_used: 1,
      warnings: [NO_SCHEMA, NO_SAMPLE],
    });
  });

  test("201 with every field given", async () => {
    const body = {
      name: "Euro 😀 rates",
      description: "Rates",
      readme_md: "# Rates",
      category: "finance",
      endpoint_path: newSlug(),
      feed_type: "version_collection",
      schema_definition: SCHEMA,
      schema_version: 2.5,
      schema_locked: true,
      sample_response: { rate: 1.1 },
      sync_interval_mins: 1_440,
      update_frequency_text: "daily at noon",
      status: "inactive",
      draft_step: 4,
      price_type: "metered",
      price_per_1k: 0.001,
      one_time_price_cents: null,
    };
    expect(await created(body)).toMatchObject({ ...body, feed_type: "collection" });
  });

  test("answers the same at /api/v1", async () => {
    const body = { name: "A feed", endpoint_path: newSlug() };
    expect((await send("POST", `/api${CREATE}`, body)).status).toBe(201);
  });

  test("numbers and key order of schema and sample are kept as sent", async () => {
    const text =
      '{"b":1.0,"a":12345678901234567890123,"2":{"z":0.10,"y":[1e2,-0.0,"\\u00e9😀\\/"]},"1":null}';
    const schema = `{"properties":{"z":{"minimum":1.50},"a":{"maximum":12345678901234567890}},"default":${text}}`;
    const slug = newSlug();
    const response = await create(
      `{"name":"n", "endpoint_path":"${slug}", "sample_response": ${text},
        "schema_definition": ${schema}, "schema_version": 1.50, "draft_step": 1e2}`,
    );
    const answer = await response.text();
    expect(response.status).toBe(201);
    expect(answer).toContain(`"sample_response":${text},`);
    expect(answer).toContain(`"schema_definition":${schema},`);
    expect(answer).toContain('"schema_version":1.50,');
    expect(answer).toContain('"draft_step":100,');
  });

  test("a schema_version of 309 digits is kept", async () => {
    const response = await create(
      `{"name":"n","endpoint_path":"${newSlug()}","schema_version":1e308,"draft_step":1e-308}`,
    );
    expect(response.status).toBe(201);
    expect(await response.text()).toContain(`"schema_version":1${"0".repeat(308)},`);
  });

  test("any text comes back as sent", async () => {
    const texts = ["é漢😀\u2028", "'; drop table feeds; --", '"\\\n\t', "\u0001\u007f", "{{x}} $1"];
    for (const text of texts) {
      const feed = await created({ name: text, description: text, readme_md: text });
      expect(feed).toMatchObject({ name: text, description: text, readme_md: text });
    }
  });

  test("the largest texts are stored in time, searchable words and all", async () => {
    let words = "";
    for (let i = 0; words.length < 199_990; i++) words += `${(i * 7_919).toString(36)}漢字é `;
    const readme = words.slice(0, 200_000);
    const properties = Object.fromEntries(
      Array.from({ length: 1_000 }, (_, i) => [
        `${(i * 104_729).toString(36)}_field_${"漢字".repeat(20)}`,
        { type: "string", title: `${(i * 15_485_863).toString(36)} `.repeat(10) },
      ]),
    );
    const response = await create({
      name: "n".repeat(200),
      endpoint_path: newSlug(),
      description: "😀".repeat(2_000),
      readme_md: readme,
      schema_definition: { type: "object", properties },
      sample_response: "x".repeat(262_142),
    });
    expect(response.status).toBe(201);
    expect(((await response.json()) as FeedBody).readme_md).toBe(readme);
  });

  test("422 VALIDATION_FAILED names each field, at most 20 of them, and counts all", async () => {
    await expectProblem(await create({}), 422, "VALIDATION_FAILED", ["/name", "/endpoint_path"]);
    const wrong = { name: "", endpoint_path: "No slug", sync_interval_mins: 0, "un/known": 1 };
    await expectProblem(await create(wrong), 422, "VALIDATION_FAILED", [
      "/name",
      "/endpoint_path",
      "/sync_interval_mins",
      "/un~1known",
    ]);
    const many = Object.fromEntries(Array.from({ length: 25 }, (_, i) => [`x${i}`, i]));
    const body = { name: "n", endpoint_path: newSlug(), ...many };
    const problem = await expectProblem(await create(body), 422, "VALIDATION_FAILED");
    expect((problem.errors as unknown[]).length).toBe(20);
    expect(problem.error_count).toBe(25);
    for (const text of ["[]", "null", "1"]) {
      await expectProblem(await create(text), 422, "VALIDATION_FAILED", [""]);
    }
    const active = { name: "n", endpoint_path: newSlug(), status: "active" };
    await expectProblem(await create(active), 422, "VALIDATION_FAILED", ["/status"]);
    const nul = { name: "a\u0000b", endpoint_path: newSlug() };
    await expectProblem(await create(nul), 422, "VALIDATION_FAILED", ["/name"]);
  });

  test("422 SCHEMA_REQUIRED where it is to be inactive without a schema", async () => {
    for (const schema of [{}, { schema_definition: {} }, { schema_definition: null }]) {
      const body = { name: "n", endpoint_path: newSlug(), status: "inactive", ...schema };
      await expectProblem(await create(body), 422, "SCHEMA_REQUIRED", ["/schema_definition"]);
    }
    expect(await created({ status: "inactive", schema_definition: SCHEMA })).toMatchObject({
      status: "inactive",
    });
    expect(
      await created({ status: "draft", schema_definition: {}, schema_locked: true }),
    ).toMatchObject({ schema_definition: {}, schema_locked: true });
  });

  test("422 SCHEMA_INVALID for a schema that is none, or leads out of the document", async () => {
    const cases: [schema: object, pointer: string][] = [
      [{ type: "nothing" }, "/type"],
      [{ properties: [] }, "/properties"],
      [{ properties: { a: { $ref: "https://example.com/schema.json" } } }, "/properties/a/$ref"],
      [{ $schema: "http://json-schema.org/draft-04/schema#" }, "/$schema"],
      [{ pattern: "(" }, "/pattern"],
    ];
    for (const [schema, pointer] of cases) {
      const body = { name: "n", endpoint_path: newSlug(), schema_definition: schema };
      const paths = [`/schema_definition${pointer}`];
      await expectProblem(await create(body), 422, "SCHEMA_INVALID", paths);
    }
  });

  test("a misspelt field is refused with the name that was probably meant", async () => {
    const body = { name: "n", endpoint_path: newSlug(), catgory: "Finance", banana: 1 };
    const problem = await expectProblem(await create(body), 422, "VALIDATION_FAILED");
    expect(problem.errors).toEqual([
      { path: "/catgory", message: 'there is no field "catgory"; use "category", or leave it out' },
      { path: "/banana", message: 'there is no field "banana"; leave it out' },
    ]);
  });

  test("a field by its usual other name is refused with ours, at create and at edit", async () => {
    const names = {
      type: "feed_type",
      slug: "endpoint_path",
      price: "price_per_1k",
      schema: "schema_definition",
      title: "name",
    };
    const given = Object.fromEntries(Object.keys(names).map((name) => [name, "x"]));
    const told = Object.entries(names).map(([name, ours]) => ({
      path: `/${name}`,
      message: `there is no field "${name}"; use "${ours}", or leave it out`,
    }));
    const body = { name: "n", endpoint_path: newSlug(), ...given };
    expect((await expectProblem(await create(body), 422, "VALIDATION_FAILED")).errors).toEqual(
      told,
    );
    const feed = await create({ name: "n", endpoint_path: newSlug() });
    const { id } = (await feed.json()) as { id: string };
    expect((await expectProblem(await edit(id, given), 422, "VALIDATION_FAILED")).errors).toEqual(
      told,
    );
  });

  test("SCHEMA_INVALID names the types that there are, and the place inside the schema, in our words", async () => {
    const schema_definition = { properties: { price: { type: ["number", "money"] } } };
    const body = { name: "n", endpoint_path: newSlug(), schema_definition };
    const path = "/schema_definition/properties/price/type";
    const problem = await expectProblem(await create(body), 422, "SCHEMA_INVALID", [path]);
    const message =
      'type must be one of array, boolean, integer, null, number, object, string, or an array of some of them, got ["number","money"]';
    expect(problem.errors).toEqual([{ path, message }]);
    expect(problem.detail).toBe(
      `Nothing was saved: ${path}: ${message}. Correct the listed errors and send it again.`,
    );
  });

  test("422 SCHEMA_INVALID for a locked schema for an array, if rows are pushed one by one", async () => {
    const locked = { schema_definition: { type: "array" }, schema_locked: true };
    for (const feed_type of ["collection", "time_stream"]) {
      const body = { name: "n", endpoint_path: newSlug(), feed_type, ...locked };
      const problem = await expectProblem(await create(body), 422, "SCHEMA_INVALID", [
        "/schema_definition/type",
      ]);
      expect(problem.detail).toContain("describe one row");
      // It shows whichever of the three comes last.
      for (const name of ["feed_type", "schema_definition", "schema_locked"] as const) {
        const { [name]: last, ...others } = { feed_type, ...locked };
        const feed = await created(others);
        await expectProblem(await edit(feed.id, { [name]: last }), 422, "SCHEMA_INVALID");
      }
    }
    expect(await created({ feed_type: "singleton", ...locked })).toMatchObject({
      warnings: [
        NO_SAMPLE,
        "schema_definition describes an array, though it is for one document, an object.",
      ],
    });
  });

  test("create and edit warn of what is sound and hardly meant, by the feed as it then is", async () => {
    const format = "format in schema_definition is an annotation and is not checked; use pattern.";
    const schema_definition = { properties: { at: { format: "date-time", type: "string" } } };
    const feed = await created({ schema_definition });
    expect(feed.warnings).toEqual([NO_SAMPLE, format]);
    const noId =
      'schema_definition names no property "id", which each row of a collection must have.';
    const typed = await edited(feed.id, { feed_type: "collection" });
    expect(typed.warnings).toEqual([NO_SAMPLE, format, noId]);
    const sampled = await edited(feed.id, { sample_response: { at: 1 } });
    expect(sampled.warnings).toEqual([
      format,
      "sample_response does not meet schema_definition: /at must be a string.",
      noId,
    ]);
    const { warnings, ...mended } = await edited(feed.id, {
      schema_definition: { properties: { id: {}, at: {} } },
    });
    expect(warnings).toEqual([]);
    const emptied = await edited(feed.id, { schema_definition: {} });
    expect(emptied.warnings).toEqual([NO_SCHEMA]);
    // An answer can be sent back.
    expect(await edited(feed.id, { ...mended, warnings: ["x"] })).toMatchObject({ warnings: [] });
  });

  test("a schema that is locked, or changed while locked, warns of the newest 100 rows that fail it", async () => {
    const numbers = { properties: { id: {}, price: { type: "number" } } };
    const failed = (rows: number, failing: number) =>
      `Of the newest ${rows} rows, ${failing} fail schema_definition, which is locked: /price must be a number.`;
    for (const feed_type of ["collection", "stream"]) {
      const feed = await created({ feed_type, schema_definition: numbers, sample_response: {} });
      await push(feed.id, [{ id: "old", price: "x" }]);
      const rows = Array.from({ length: 100 }, (_, id) => ({ id, price: id < 3 ? "x" : 1 }));
      await push(feed.id, rows.slice(0, 2));
      expect((await edited(feed.id, { schema_locked: true })).warnings).toEqual([failed(3, 3)]);
      expect((await edited(feed.id, { schema_locked: false })).warnings).toEqual([]);
      await push(feed.id, rows.slice(2));
      expect((await edited(feed.id, { schema_locked: true })).warnings).toEqual([failed(100, 3)]);
      // Only what says something about rows looks at them.
      expect((await edited(feed.id, { name: "Renamed" })).warnings).toEqual([]);
      const changed = { properties: { id: {}, price: { type: ["number", "string"] } } };
      const wider = { schema_definition: changed, schema_version: 2 };
      expect((await edited(feed.id, wider)).warnings).toEqual([]);
      expect((await edited(feed.id, { schema_definition: numbers })).warnings).toEqual([
        failed(100, 3),
      ]);
    }
    const single = await created({ feed_type: "singleton", sample_response: {} });
    await push(single.id, { price: "x" });
    const locked = { schema_definition: numbers, schema_locked: true };
    expect((await edited(single.id, locked)).warnings).toEqual([
      "The stored document fails schema_definition, which is locked: /price must be a number.",
    ]);
  });

  test("422 PRICING_INVALID for prices that contradict the type", async () => {
    const cases: [object, string[]][] = [
      [{ price_type: "metered" }, ["/price_per_1k"]],
      [{ price_type: "one_time", one_time_price_cents: 99 }, ["/one_time_price_cents"]],
      [{ price_type: "free", price_per_1k: 1 }, ["/price_per_1k"]],
      [{ price_per_1k: 0.0000001 }, ["/price_per_1k"]],
      [{ price_per_1k: 1_000_000.5 }, ["/price_per_1k"]],
      [{ price_per_1k: -1 }, ["/price_per_1k"]],
    ];
    for (const [prices, paths] of cases) {
      const body = { name: "n", endpoint_path: newSlug(), ...prices };
      await expectProblem(await create(body), 422, "PRICING_INVALID", paths);
    }
  });

  test("prices come back exactly, and an omitted type follows from them", async () => {
    expect(await created({ price_per_1k: 0.000001 })).toMatchObject({
      price_type: "metered",
      price_per_1k: 0.000001,
      one_time_price_cents: null,
    });
    expect(await created({ price_per_1k: 1_000_000 })).toMatchObject({ price_per_1k: 1_000_000 });
    expect(await created({ one_time_price_cents: 500 })).toMatchObject({
      price_type: "one_time",
      price_per_1k: null,
      one_time_price_cents: 500,
    });
    expect(await created({ price_per_1k: 0 })).toMatchObject({ price_type: "free" });
  });

  test("409 ENDPOINT_PATH_TAKEN over all accounts, and no slot is used", async () => {
    const { endpoint_path } = await created();
    const other = await gateway.createKey(await gateway.createAccount({ maxFeeds: 1 }), "write");
    const body = { name: "n", endpoint_path };
    await expectProblem(await create(body, other), 409, "ENDPOINT_PATH_TAKEN");
    expect((await create({ name: "n", endpoint_path: newSlug() }, other)).status).toBe(201);
    // The slug is looked at before the quota. Decisions 2.
    await expectProblem(await create(body, other), 409, "ENDPOINT_PATH_TAKEN");
  });

  test("of creates that race for a slug, one is made", async () => {
    const endpoint_path = newSlug();
    const keys = await Promise.all(
      Array.from({ length: 8 }, async () =>
        gateway.createKey(await gateway.createAccount(), "write"),
      ),
    );
    const answers = await Promise.all(
      keys.map((as) => createBesideOthers({ name: "n", endpoint_path }, as)),
    );
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([201, 409, 409, 409, 409, 409, 409, 409]);
  });
});

describe("create with an id", () => {
  beforeAll(() => newAccount());

  test("an unknown id is created with it, in lower case", async () => {
    const id = crypto.randomUUID();
    expect((await created({ id: id.toUpperCase() })).id).toBe(id);
  });

  test("an owned id is exactly an edit: 200, no name needed, no slot used", async () => {
    await newAccount({ maxFeeds: 1 });
    const feed = await created({ description: "kept" });
    const response = await create({ id: feed.id, name: "New name" });
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({
      id: feed.id,
      name: "New name",
      description: "kept",
      endpoint_path: feed.endpoint_path,
      feeds_used: 1,
      max_feeds_allowed: 1,
    });
    await push(feed.id, { rate: 1 });
    const inactive = { id: feed.id, status: "inactive", schema_definition: SCHEMA };
    expect((await create(inactive)).status).toBe(200);
    expect((await create({ id: feed.id, status: "active" })).status).toBe(200);
    await newAccount();
  });

  test("another account's id is 403 FEED_FORBIDDEN, before the body is validated", async () => {
    const other = await gateway.createKey(await gateway.createAccount(), "write");
    const feed = await created();
    const refused = await create({ id: feed.id, nonsense: 1 }, other);
    await expectProblem(refused, 403, "FEED_FORBIDDEN");
  });

  test("422 where the id is no UUID", async () => {
    const body = { id: "mine", name: "n", endpoint_path: newSlug() };
    await expectProblem(await create(body), 422, "VALIDATION_FAILED", ["/id"]);
  });

  test("creates of one account that race for an id make one feed and edit it", async () => {
    const id = crypto.randomUUID();
    const endpoint_path = newSlug();
    const fields = ["description", "readme_md", "category", "update_frequency_text"];
    const answers = await Promise.all(
      fields.map((field) => createBesideOthers({ id, name: "n", endpoint_path, [field]: field })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 201]);
    const all = Object.fromEntries(fields.map((field) => [field, field]));
    expect(await edited(id, {})).toMatchObject(all);
  });

  test("creates of many accounts that race for an id: one owns it, the others are refused", async () => {
    const id = crypto.randomUUID();
    const keys = await Promise.all(
      Array.from({ length: 8 }, async () =>
        gateway.createKey(await gateway.createAccount(), "write"),
      ),
    );
    const answers = await Promise.all(
      keys.map((as) => createBesideOthers({ id, name: "n", endpoint_path: newSlug() }, as)),
    );
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([201, 403, 403, 403, 403, 403, 403, 403]);
  });
});

describe("quota", () => {
  test("403 FEED_QUOTA_EXCEEDED at the cap, drafts included; an edit still works", async () => {
    await newAccount({ maxFeeds: 2 });
    const first = await created();
    expect(first).toMatchObject({ feeds_used: 1 });
    expect(await created()).toMatchObject({ feeds_used: 2, max_feeds_allowed: 2 });
    const refused = await create({ name: "n", endpoint_path: newSlug() });
    const problem = await expectProblem(refused, 403, "FEED_QUOTA_EXCEEDED");
    expect(problem).toMatchObject({ max_feeds_allowed: 2 });
    expect(await edited(first.id, { name: "Renamed" })).toMatchObject({ feeds_used: 2 });
    expect((await create({ id: first.id, name: "Again" })).status).toBe(200);
    const unknown = { id: crypto.randomUUID(), name: "n", endpoint_path: newSlug() };
    await expectProblem(await create(unknown), 403, "FEED_QUOTA_EXCEEDED");
    await newAccount({ maxFeeds: 1 });
    await created();
    const second = await create({ name: "n", endpoint_path: newSlug() });
    const { detail } = await expectProblem(second, 403, "FEED_QUOTA_EXCEEDED");
    expect(detail).toStartWith("This account has 1 feed, drafts included, and its limit is 1.");
  });

  test("creates that race at the quota, over two gateways, never exceed it", async () => {
    await newAccount({ maxFeeds: 3 });
    const peer = await gateway.startPeer();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        askAgain(() =>
          fetch((i % 2 === 0 ? gateway : peer).baseUrl + CREATE, {
            method: "POST",
            headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
            body: JSON.stringify({ name: "n", endpoint_path: newSlug() }),
          }),
        ),
      ),
    );
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array(3).fill(201), ...Array(17).fill(403)]);
    const rows = await gateway.sql`
      select count(*)::int as feeds from feeds where account_id = ${accountId}`;
    expect(rows[0]?.feeds).toBe(3);
  });
});

test("a create that was made is answered with 201, also where the database is busy by then", async () => {
  const busy = await startTestGateway({}, { waitMsMax: 20 });
  const [first, ...others] = await Promise.all(
    Array.from({ length: 8 }, async () => busy.createKey(await busy.createAccount(), "write")),
  );
  const createAs = (as: string | undefined, name: string) =>
    busy.send("POST", CREATE, as, { name, endpoint_path: newSlug() });
  // The others take all connections before the first is done, and keep them for longer than a request may wait.
  await busy.sql.unsafe(`
    create function sleep_by_name() returns trigger language plpgsql
      as $$ begin perform pg_sleep(new.name::numeric); return new; end $$;
    create trigger sleep_by_name before insert on feeds for each row execute function sleep_by_name()`);
  const made = createAs(first, "0.3");
  await untilOneSleeps(busy);
  const slow = others.map((as) => createAs(as, "1"));
  expect((await made).status).toBe(201);
  const statuses = (await Promise.all(slow)).map(({ status }) => status);
  // Nothing is made of what could not wait any longer.
  expect(statuses).toContain(503);
  const rows = await busy.sql`select count(*)::int as feeds from feeds where name = '1'`;
  expect(rows[0]?.feeds).toBe(statuses.filter((status) => status === 201).length);
  await busy.stop();
});

async function untilOneSleeps({ sql }: TestGateway): Promise<void> {
  for (;;) {
    const rows = await sql`
      select from pg_stat_activity
      where datname = current_database() and wait_event = 'PgSleep'`;
    if (rows.length === 1) return;
    await Bun.sleep(10);
  }
}

describe("edit", () => {
  beforeAll(() => newAccount());

  test("200 with the full row: given fields change, the others stay", async () => {
    const feed = await created({ description: "old", category: "kept", price_per_1k: 0.5 });
    const answer = await edited(feed.id.toUpperCase(), { description: "new", draft_step: 2 });
    expect(answer).toEqual({
      ...feed,
      description: "new",
      draft_step: 2,
      updated_at: expect.any(String),
    });
    expect(String(answer.updated_at) > String(feed.updated_at)).toBe(true);
  });

  test("{} changes nothing, nor does what is already so; a change moves the version", async () => {
    const feed = await created({ schema_definition: SCHEMA, price_per_1k: 0.5 });
    const before = await versionOf(feed.id);
    expect(await edited(feed.id, {})).toEqual(feed);
    const same = { name: feed.name, schema_definition: SCHEMA, price_per_1k: 0.5, status: "draft" };
    expect(await edited(feed.id, same)).toEqual(feed);
    expect(await versionOf(feed.id)).toBe(before);
    await edited(feed.id, { name: "Other" });
    expect(JSON.parse(await versionOf(feed.id)).definition_version).toBe("2");
  });

  test("a row that was returned can be sent back, and changes nothing", async () => {
    for (const fields of [
      {},
      { price_per_1k: 0.5, draft_step: 3 },
      { one_time_price_cents: 900, schema_definition: SCHEMA, status: "inactive" },
    ]) {
      const feed = await created(fields);
      expect(await edited(feed.id, feed)).toEqual(feed);
      const again = await create(feed);
      expect([again.status, await again.json()]).toEqual([200, feed]);
    }
    const active = await created();
    await push(active.id, { rate: 1 });
    const row = await edited(active.id, {});
    expect(row).toMatchObject({ status: "active", schema_definition: null });
    expect(await edited(active.id, row)).toEqual(row);
    // So can one of the list of own feeds.
    const listed = await send(
      "GET",
      `/v1/provider/feeds?full=true&feed_id=${active.id}`,
      undefined,
    );
    const { feeds } = (await listed.json()) as { feeds: FeedBody[] };
    expect(await edited(active.id, feeds[0] ?? {})).toEqual(row);
  });

  test("a feed of another type takes bodies of that type's limit, on another process after one that it refuses", async () => {
    const peer = await gateway.startPeer();
    const { id } = await created({ feed_type: "collection" });
    const pushTo = (baseUrl: string, body: object) =>
      fetch(`${baseUrl}/v1/provider/feed/${id}/push`, {
        method: "POST",
        headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
        body: JSON.stringify(body),
      });
    const large = { text: "x".repeat(3 * 1_024 * 1_024) };
    // Both know it as a collection.
    for (const { baseUrl } of [gateway, peer]) {
      expect((await pushTo(baseUrl, [{ id: null }])).status).toBe(422);
    }
    await edited(id, { feed_type: "singleton" });
    expect((await pushTo(gateway.baseUrl, large)).status).toBe(200);
    expect((await pushTo(peer.baseUrl, large)).status).toBe(413);
    expect((await pushTo(peer.baseUrl, large)).status).toBe(200);
  });

  test("read-only fields are ignored: publishing is the operator's", async () => {
    const feed = await created();
    const body = { is_public: true, reliability_score: 100, id: UNKNOWN_ID, provider: null };
    expect(await edited(feed.id, body)).toEqual(feed);
  });

  test("null clears, and draft_step is a number once it is one", async () => {
    const given = {
      description: "d",
      readme_md: "r",
      category: "c",
      sample_response: 1,
      schema_definition: SCHEMA,
      update_frequency_text: "u",
      feed_type: "stream",
      price_per_1k: 0.5,
    };
    const feed = await created({ ...given, draft_step: 1 });
    const cleared = Object.fromEntries(Object.keys(given).map((field) => [field, null]));
    expect(await edited(feed.id, cleared)).toMatchObject({
      ...cleared,
      price_type: "free",
      price_per_1k: 0,
    });
    const stored = await gateway.sql`
      select sample_response is null and schema_definition is null as is_null
      from feeds where feed_id = ${feed.id}`;
    expect(stored[0]?.is_null).toBe(true);
    const refused = await edit(feed.id, { draft_step: null });
    await expectProblem(refused, 422, "VALIDATION_FAILED", ["/draft_step"]);
    await expectProblem(await edit(feed.id, { name: null }), 422, "VALIDATION_FAILED", ["/name"]);
  });

  test("pricing is decided from the body's own fields, or stays", async () => {
    const feed = await created({ price_per_1k: 0.5 });
    expect(await edited(feed.id, { name: "n" })).toMatchObject({ price_per_1k: 0.5 });
    await expectProblem(await edit(feed.id, { price_type: "metered" }), 422, "PRICING_INVALID");
    expect(await edited(feed.id, { one_time_price_cents: 100 })).toMatchObject({
      price_type: "one_time",
      price_per_1k: null,
      one_time_price_cents: 100,
    });
    expect(await edited(feed.id, { price_per_1k: null })).toMatchObject({ price_type: "free" });
  });

  test("422 SCHEMA_REQUIRED for every move to a non-draft state, before 409", async () => {
    const feed = await created();
    for (const status of ["inactive", "active"]) {
      await expectProblem(await edit(feed.id, { status }), 422, "SCHEMA_REQUIRED");
      const emptied = { status, schema_definition: {} };
      await expectProblem(await edit(feed.id, emptied), 422, "SCHEMA_REQUIRED");
    }
    expect(await edited(feed.id, { status: "inactive", schema_definition: SCHEMA })).toMatchObject({
      status: "inactive",
    });
  });

  test("422 SCHEMA_REQUIRED where an edit empties the schema of a non-draft", async () => {
    const feed = await created({ status: "inactive", schema_definition: SCHEMA });
    for (const schema_definition of [null, {}]) {
      await expectProblem(await edit(feed.id, { schema_definition }), 422, "SCHEMA_REQUIRED");
      const same = { schema_definition, status: "inactive" };
      await expectProblem(await edit(feed.id, same), 422, "SCHEMA_REQUIRED");
    }
    expect(await edited(feed.id, { status: "draft", schema_definition: null })).toMatchObject({
      status: "draft",
      schema_definition: null,
    });
  });

  test("a feed that its first push activated without a schema may stay so", async () => {
    const feed = await created();
    await push(feed.id, { rate: 1 });
    const row = await edited(feed.id, { name: "Without" });
    for (const same of [row, { schema_definition: null }]) {
      expect(await edited(feed.id, same)).toMatchObject({ status: "active", name: "Without" });
    }
    for (const status of ["active", "inactive"]) {
      await expectProblem(await edit(feed.id, { status }), 422, "SCHEMA_REQUIRED");
      const emptied = { status, schema_definition: {} };
      await expectProblem(await edit(feed.id, emptied), 422, "SCHEMA_REQUIRED");
    }
    await expectProblem(await edit(feed.id, { schema_definition: {} }), 422, "SCHEMA_REQUIRED");
    expect(await edited(feed.id, { status: "draft" })).toMatchObject({ status: "draft" });
    await expectProblem(await edit(feed.id, { status: "active" }), 422, "SCHEMA_REQUIRED");
  });

  test("409 FEED_NEVER_PUSHED until a push; then every move is allowed", async () => {
    const feed = await created({ schema_definition: SCHEMA });
    await expectProblem(await edit(feed.id, { status: "active" }), 409, "FEED_NEVER_PUSHED");
    await edited(feed.id, { status: "inactive" });
    await expectProblem(await edit(feed.id, { status: "active" }), 409, "FEED_NEVER_PUSHED");
    await push(feed.id, { rate: 1 });
    for (const status of ["inactive", "active", "draft", "inactive", "draft", "active"]) {
      expect(await edited(feed.id, { status })).toMatchObject({ status });
    }
  });

  test("409 FEED_TYPE_LOCKED once data is stored; the same type is fine", async () => {
    const feed = await created({ feed_type: "stream" });
    await edited(feed.id, { feed_type: "snapshot" });
    await edited(feed.id, { feed_type: null });
    await edited(feed.id, { feed_type: "version_collection" });
    await push(feed.id, []);
    await edited(feed.id, { feed_type: "time_stream" });
    await edited(feed.id, { feed_type: "collection" });
    await push(feed.id, [{ id: 1 }]);
    for (const feed_type of ["stream", "snapshot", null]) {
      await expectProblem(await edit(feed.id, { feed_type }), 409, "FEED_TYPE_LOCKED");
    }
    await edited(feed.id, { feed_type: "version_collection" });
  });

  test("409 ENDPOINT_PATH_TAKEN; one's own slug is fine, and a slug given up is free", async () => {
    const [a, b] = [await created(), await created()];
    await edited(a.id, { endpoint_path: a.endpoint_path });
    const taken = { endpoint_path: b.endpoint_path };
    await expectProblem(await edit(a.id, taken), 409, "ENDPOINT_PATH_TAKEN");
    await edited(b.id, { endpoint_path: newSlug() });
    expect(await edited(a.id, taken)).toMatchObject(taken);
  });

  test("422 SCHEMA_INVALID and VALIDATION_FAILED leave the feed as it was", async () => {
    const feed = await created();
    const bad = { name: "changed", schema_definition: { type: "x" } };
    await expectProblem(await edit(feed.id, bad), 422, "SCHEMA_INVALID");
    const unknown = { name: "changed", nmae: "x" };
    await expectProblem(await edit(feed.id, unknown), 422, "VALIDATION_FAILED", ["/nmae"]);
    expect(await edited(feed.id, {})).toEqual(feed);
  });

  test("403 FEED_FORBIDDEN: one body for an unknown id, no UUID, and another account's feed", async () => {
    const feed = await created();
    const other = await gateway.createKey(await gateway.createAccount(), "write");
    const bodies = [];
    for (const id of [feed.id, UNKNOWN_ID, "not-a-uuid", String(feed.endpoint_path), "%00"]) {
      const body = await expectProblem(await edit(id, { name: "x" }, other), 403, "FEED_FORBIDDEN");
      bodies.push({ ...body, request_id: "" });
    }
    expect(new Set(bodies.map((body) => JSON.stringify(body))).size).toBe(1);
  });

  test("two edits at once never lose each other's fields", async () => {
    await newAccount();
    const feed = await created();
    const peer = await gateway.startPeer();
    const fields = ["name", "description", "readme_md", "category", "update_frequency_text"];
    for (let round = 1; round <= 5; round++) {
      await Promise.all(
        fields.map((field, i) =>
          fetch(`${(i % 2 === 0 ? gateway : peer).baseUrl}/v1/provider/feed/${feed.id}/edit`, {
            method: "PATCH",
            headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
            body: JSON.stringify({ [field]: `${field} ${round}` }),
          }),
        ),
      );
      const expected = Object.fromEntries(fields.map((field) => [field, `${field} ${round}`]));
      expect(await edited(feed.id, {})).toMatchObject(expected);
    }
    const version = JSON.parse(await versionOf(feed.id)).definition_version;
    expect(version).toBe(String(1 + fields.length * 5));
  });

  test("an edit beside a first push does not undo what the push made of the feed", async () => {
    const feed = await created();
    const pushing = await gateway.sql.reserve();
    await pushing`begin`;
    await pushing`select from feeds where feed_id = ${feed.id} for no key update`;
    const editing = edit(feed.id, { description: "new" });
    await lockWaiters(gateway.sql);
    await pushing`
      update feeds
      set feed_type = 'collection', status = 'active', first_pushed_at = now(), next_position = 2,
        definition_version = definition_version + 1
      where feed_id = ${feed.id}`;
    await pushing`commit`;
    pushing.release();
    expect((await editing).status).toBe(200);
    const rows = await gateway.sql`
      select feed_type, status, description from feeds where feed_id = ${feed.id}`;
    expect(rows).toMatchObject([{ feed_type: "collection", status: "active", description: "new" }]);
  });

  test("a schema that can't be checked now is 503, and nothing is saved", async () => {
    const { rowSchemas } = gateway.gateway.services;
    const { checkSchema } = rowSchemas;
    Object.assign(rowSchemas, { checkSchema: async () => ({ kind: "busy" }) });
    const endpoint_path = newSlug();
    const answer = await create({ name: "n", endpoint_path, schema_definition: SCHEMA });
    Object.assign(rowSchemas, { checkSchema });
    await expectProblem(answer, 503, "UNAVAILABLE");
    const rows = await gateway.sql`select from feeds where endpoint_path = ${endpoint_path}`;
    expect(rows).toHaveLength(0);
  });

  test("edits that swap slugs at once end in order", async () => {
    await newAccount();
    const [a, b] = [await created(), await created()];
    for (let round = 0; round < 10; round++) {
      const free = newSlug();
      const answers = await Promise.all([
        edit(a.id, { endpoint_path: b.endpoint_path }),
        edit(b.id, { endpoint_path: free }),
        edit(a.id, { endpoint_path: a.endpoint_path }),
        edit(b.id, { endpoint_path: b.endpoint_path }),
      ]);
      for (const { status } of answers) expect([200, 409]).toContain(status);
      await edit(a.id, { endpoint_path: a.endpoint_path });
      await edit(b.id, { endpoint_path: b.endpoint_path });
    }
  });
});

describe("create and edit", () => {
  let feed: FeedBody;
  /** Both routes, each with a body that it would take. */
  let routes: readonly (readonly ["POST" | "PATCH", string, object])[];
  beforeAll(async () => {
    await newAccount();
    feed = await created();
    routes = [
      ["POST", CREATE, { id: feed.id }],
      ["PATCH", `/v1/provider/feed/${feed.id}/edit`, {}],
    ];
  });

  test("401 without a key, with another header, and with an unknown or revoked key", async () => {
    const revoked = await gateway.createKey(accountId, "write");
    for (const [method, path, body] of routes) {
      const keyless = await gateway.send(method, path, undefined, body);
      expect(keyless.headers.get("www-authenticate")).toBe("Bearer");
      await expectProblem(keyless, 401, "KEY_REQUIRED");
      const inOtherHeader = await gateway.send(method, path, undefined, body, { "x-api-key": key });
      await expectProblem(inOtherHeader, 401, "KEY_REQUIRED");
      const mistyped = await gateway.send(method, path, `${key.slice(0, -1)}!`, body);
      await expectProblem(mistyped, 401, "KEY_INVALID");
      expect((await gateway.send(method, path, revoked, body)).status).toBe(200);
    }
    await gateway.sql`
      update api_keys set revoked_at = now() where account_id = ${accountId} and key_hash <> (
        select key_hash from api_keys where account_id = ${accountId} order by created_at limit 1)`;
    for (const [method, path, body] of routes) {
      // Remembered, yet refused before anything else.
      await expectProblem(await gateway.send(method, path, revoked, body), 401, "KEY_INVALID");
      await expectProblem(await gateway.send(method, path, revoked, "nope"), 401, "KEY_INVALID");
      const foreign = path.replace(feed.id, UNKNOWN_ID);
      await expectProblem(await gateway.send(method, foreign, revoked, {}), 401, "KEY_INVALID");
    }
  });

  test("403 KEY_PERMISSION with a read key", async () => {
    const readKey = await gateway.createKey(accountId, "read");
    for (const [method, path, body] of routes) {
      await expectProblem(await gateway.send(method, path, readKey, body), 403, "KEY_PERMISSION");
    }
  });

  test("400 INVALID_PARAMETER for any query parameter", async () => {
    for (const [method, path, body] of routes) {
      const refused = await gateway.send(method, `${path}?dry=true`, key, body);
      await expectProblem(refused, 400, "INVALID_PARAMETER");
    }
  });

  test("400 BODY_NOT_JSON for what is no JSON, no UTF-8, empty, or broken gzip", async () => {
    for (const [method, path] of routes) {
      for (const body of ["", "{", "name=x", new Uint8Array([0x22, 0xff, 0x22])]) {
        await expectProblem(await gateway.send(method, path, key, body), 400, "BODY_NOT_JSON");
      }
      const broken = await gateway.send(method, path, key, "{}", { "Content-Encoding": "gzip" });
      await expectProblem(broken, 400, "BODY_NOT_JSON");
    }
  });

  test("a gzip body is read", async () => {
    for (const [method, path, body] of routes) {
      const bytes = Bun.gzipSync(Buffer.from(JSON.stringify(body)));
      const response = await gateway.send(method, path, key, bytes, { "Content-Encoding": "gzip" });
      expect(response.status).toBe(200);
    }
  });

  test("415 for another media type or coding, before the body is looked at", async () => {
    for (const [method, path] of routes) {
      for (const headers of [
        { "Content-Type": "text/plain" },
        { "Content-Type": "application/x-ndjson" },
        { "Content-Type": "application/json; charset=latin1" },
        { "Content-Encoding": "br" },
      ]) {
        const refused = await gateway.send(method, path, key, "nope", headers);
        await expectProblem(refused, 415, "UNSUPPORTED_MEDIA_TYPE");
      }
    }
  });

  test("413 above 2 MB, with its hints and a closed connection; exactly 2 MB passes", async () => {
    for (const [method, path, body] of routes) {
      const text = JSON.stringify(body);
      const fits = text.padEnd(REQUEST_BODY_BYTES, " ");
      expect((await gateway.send(method, path, key, fits)).status).toBe(200);
      const refused = await gateway.send(method, path, key, `${fits} `);
      expect(refused.headers.get("connection")).toBe("close");
      const problem = await expectProblem(refused, 413, "PAYLOAD_TOO_LARGE");
      expect(problem).toMatchObject({ limit: "request_body", max_bytes: REQUEST_BODY_BYTES });
    }
  });

  test("429 after 120 saves a minute, create and edit in one window", async () => {
    await newAccount();
    const own = await created();
    const path = `/v1/provider/feed/${own.id}/edit`;
    const answers = await Promise.all(
      Array.from({ length: 119 }, (_, i) =>
        i % 2 === 0
          ? gateway.send("PATCH", path, key, {})
          : gateway.send("POST", CREATE, key, { id: own.id }),
      ),
    );
    // A busy machine may answer 503 to one that it has counted.
    const refused = answers.filter(({ status }) => status !== 200 && status !== 503);
    expect(refused).toEqual([]);
    for (const [method, route] of [
      ["PATCH", path],
      ["POST", CREATE],
    ] as const) {
      // The window comes before the body, so the answer is not 415.
      const refused = await gateway.send(method, route, key, "x", { "Content-Type": "text/plain" });
      expect(refused.headers.get("x-ratelimit-limit")).toBe("120");
      expect(refused.headers.get("x-ratelimit-remaining")).toBe("0");
      expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
      const problem = await expectProblem(refused, 429, "RATE_LIMITED");
      expect(problem.retry_after_ms).toBeGreaterThan(0);
    }
    // The window is the account's, so it comes before the question whose feed it is.
    const foreign = await gateway.send("PATCH", path.replace(own.id, UNKNOWN_ID), key, {});
    await expectProblem(foreign, 429, "RATE_LIMITED");
  });

  test("405 with Allow for another method", async () => {
    for (const [, path] of routes) {
      const response = await fetch(gateway.baseUrl + path, { method: "PUT" });
      expect(response.status).toBe(405);
    }
  });
});
