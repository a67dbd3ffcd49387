/**
 * What an operator may send by mistake: each is a problem that names the field, and nothing is done, not even half.
 *
 * @module
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { OPERATOR_ROUTES } from "../../../src/routes/operator/operator_routes.ts";
import { UNKNOWN_ID } from "../../cli/support.ts";
import { type Contract, loadContract } from "../../support/contract.ts";
import { startTestGateway, type TestGateway } from "../../support/gateway.ts";
import { insertAdminKey } from "../../support/insert_key.ts";
import { seedFeed } from "../../support/seed.ts";
import { callOperator, type OperatorCall } from "./support.ts";

const MB = 1_024 * 1_024;

/** Values that no field of any body takes, whatever its type; a flag takes `true`. */
const TAKEN_BY_NONE: readonly unknown[] = [
  {},
  true,
  [[]],
  "",
  " \n",
  "x".repeat(10_000),
  "a\0b",
  -1,
  1e-10,
  1e300,
];
/** Values of parameters of a query that are wrong, or name nothing. */
const QUERY_VALUES = ["", "%20", "%00", "%ff", "x".repeat(3_000)];

let gateway: TestGateway;
let contract: Contract;
/** Each may call so often a minute. */
let keys: readonly string[];
let calls = 0;

beforeAll(async () => {
  gateway = await startTestGateway();
  contract = await loadContract(gateway.baseUrl);
  keys = await Promise.all(
    Array.from({ length: 8 }, async () => (await insertAdminKey(gateway)).key),
  );
});
afterAll(() => gateway.stop());

interface Refusal {
  readonly code: string;
  readonly detail: string;
  readonly errors?: readonly { readonly path: string; readonly message: string }[];
}

/** A call that must be refused; its problem, held against the document. */
async function refused(
  status: number,
  method: NonNullable<OperatorCall["method"]>,
  path: string,
  body?: unknown,
): Promise<Refusal> {
  calls += 1;
  const key = keys[calls % keys.length];
  const response = await callOperator(gateway.baseUrl, key, path, {
    method,
    ...(body !== undefined && { body }),
  });
  const problem = await contract.check(method, response);
  const sent = JSON.stringify(body)?.slice(0, 200);
  expect({ method, path, sent, status: response.status, problem }).toMatchObject({ status });
  return problem as Refusal;
}

/** All that an operator's call could change. */
async function everything(): Promise<string> {
  const [row] = await gateway.sql`
    select to_json(state)::text as text from (select
      (select json_agg(each order by account_id) from (
        select account_id, name, max_feeds_allowed, suspension_reason, balance_nanos from accounts
      ) as each) as accounts,
      (select json_agg(each order by key_id) from (
        select key_id, name, expires_at, revoked_at, daily_nanos, feed_ids from api_keys
      ) as each) as keys,
      (select json_agg(each order by feed_id) from (
        select feed_id, is_public, review, suspension_reason, deleted_at from feeds
      ) as each) as feeds,
      (select count(*) from credit_ledger) as entries,
      (select count(*) from promotion_codes) as codes,
      (select count(*) from promotion_redemptions) as redemptions,
      (select count(*) from purchases) as purchases,
      (select count(*) from payouts) as payouts,
      (select count(*) from sign_in_links) as links,
      (select count(*) from audit_events) as events,
      (select count(*) from operator_calls) as calls
    ) as state`;
  return String(row?.text);
}

describe("every field of every body", () => {
  test("refuses what it can't be, by its name, and nothing is done", async () => {
    const before = await everything();
    let fields = 0;
    for (const { method, path, body } of OPERATOR_ROUTES) {
      const named = path.replaceAll(/:[a-z_]+/g, UNKNOWN_ID);
      for (const field of Object.keys(body?.properties ?? {})) {
        fields += 1;
        for (const value of TAKEN_BY_NONE) {
          if (value === true && body?.properties[field]?.type === "boolean") continue;
          const { errors } = await refused(422, method, named, { [field]: value });
          const at = `/${field}`;
          // A NUL is found while the text is read, before anybody knows the fields.
          expect([path, field, value, errors?.some(({ path }) => path.startsWith(at))]).toEqual([
            path,
            field,
            value,
            true,
          ]);
        }
      }
    }
    expect(fields).toBeGreaterThan(40);
    expect(await everything()).toBe(before);
  });

  test("of another name is refused with the nearest one", async () => {
    for (const { method, path, body } of OPERATOR_ROUTES) {
      const named = path.replaceAll(/:[a-z_]+/g, UNKNOWN_ID);
      const [field] = Object.keys(body?.properties ?? {});
      if (field === undefined) continue;
      const { errors } = await refused(422, method, named, { [`${field}x`]: "v" });
      expect(JSON.stringify(errors)).toContain(`use \\"${field}\\"`);
    }
  });

  test("of 2 MB is 413 on every route that takes a body, and 422 deep inside", async () => {
    const before = await everything();
    for (const { method, path } of OPERATOR_ROUTES) {
      if (method !== "POST" && method !== "PATCH") continue;
      const named = path.replaceAll(/:[a-z_]+/g, UNKNOWN_ID);
      const { code } = await refused(413, method, named, { name: "x".repeat(2 * MB) });
      expect(code).toBe("PAYLOAD_TOO_LARGE");
    }
    await refused(422, "POST", "/accounts", `{"name":${"[".repeat(50_000)}${"]".repeat(50_000)}}`);
    await refused(422, "POST", "/accounts", '{"name":"a","name":"b"}');
    expect(await everything()).toBe(before);
  });
});

describe("every parameter of a query", () => {
  test("is refused by 400, or names nothing", async () => {
    for (const { method, path, query } of OPERATOR_ROUTES) {
      const named = path.replaceAll(/:[a-z_]+/g, UNKNOWN_ID);
      for (const name of Object.keys(query.properties)) {
        for (const value of QUERY_VALUES) {
          calls += 1;
          const response = await callOperator(
            gateway.baseUrl,
            keys[calls % keys.length],
            `${named}?${name}=${value}`,
            { method },
          );
          const place = [path, name, value, response.status];
          expect([place, [400, 404].includes(response.status)]).toEqual([place, true]);
          await contract.check(method, response);
        }
      }
    }
  });
});

describe("what is well formed and can't be done", () => {
  let account: string;
  let suspended: string;
  let sold: string;
  let free: string;
  let gone: string;
  let freeRead: string;

  beforeAll(async () => {
    account = await gateway.createAccount({ credits: 10, name: "Payer" });
    suspended = await gateway.createAccount({ name: "Suspended" });
    await gateway.sql`
      update accounts set suspension_reason = 'late' where account_id = ${suspended}`;
    await gateway.createAccount({ name: "Twin" });
    await gateway.createAccount({ name: "Twin" });
    const owner = await gateway.createAccount({ name: "Owner" });
    const one = { type: "collection", rows: [{ id: 1 }] } as const;
    sold = (await seedFeed(gateway, owner, { ...one, oneTimePriceCents: 500 })).feedId;
    free = (await seedFeed(gateway, owner, { ...one, isPublic: true })).feedId;
    gone = (await seedFeed(gateway, owner, one)).feedId;
    await gateway.sql`update feeds set deleted_at = now() where feed_id = ${gone}`;
    const key = await gateway.createKey(account, "read");
    const read = await gateway.get(`/v1/feed/${free}`, key);
    freeRead = ((await read.json()) as { _origin: { usage_id: string } })._origin.usage_id;
    const post = (path: string, body: object) =>
      callOperator(gateway.baseUrl, keys[0], path, { method: "POST", body });
    await post("/credits/grants", { ...grant(), reference: "order-1" });
    await post("/promotions", { code: "FULL", credits: 1, max_redemptions: 1 });
    await post("/promotions/FULL/redemptions", { account_id: "Owner" });
    await post("/promotions", { code: "OVER", credits: 1, expires_at: "2020-01-01T00:00:00Z" });
    const payout = { account_id: "Owner", usd: 1, reference: "transfer-1" };
    await post("/payouts", { ...payout, allow_above: true });
  });

  const grant = (changes: object = {}) => ({
    account_id: account,
    credits: 5,
    reason: "r",
    ...changes,
  });

  test("tells an amount as it was sent", async () => {
    for (const [path, body, told] of [
      ["/credits/grants", grant({ credits: -1 }), "got -1"],
      ["/credits/revocations", grant({ credits: 0 }), "got 0"],
      ["/payouts", { account_id: account, usd: -1.5, reference: "a" }, "got -1.5"],
    ] as const) {
      const { detail, errors } = await refused(422, "POST", path, body);
      expect(detail).toContain(`${told}. `);
      expect(errors?.[0]?.message).toEndWith(told);
    }
  });

  test("is refused by its own code, or by the field, and nothing is done", async () => {
    const before = await everything();
    const of = { account_id: account };
    const table: readonly (readonly [
      status: number,
      told: string,
      method: "POST" | "PATCH" | "DELETE",
      path: string,
      body?: object,
    ])[] = [
      [404, "ACCOUNT_NOT_FOUND", "POST", "/credits/grants", grant({ account_id: UNKNOWN_ID })],
      [404, "ACCOUNT_NOT_FOUND", "POST", "/credits/grants", grant({ account_id: "nobody" })],
      [409, "REFERENCE_AMBIGUOUS", "POST", "/credits/grants", grant({ account_id: "Twin" })],
      [422, "/credits", "POST", "/credits/grants", grant({ credits: 0.0001 })],
      [422, "/credits", "POST", "/credits/grants", grant({ credits: 5.1234 })],
      [422, "/credits", "POST", "/credits/grants", grant({ credits: 0 })],
      [422, "/credits", "POST", "/credits/grants", grant({ credits: -5 })],
      [422, "/credits", "POST", "/credits/grants", grant({ credits: 1e15 + 1 })],
      [422, "/credits", "POST", "/credits/grants", grant({ credits: 1e22 })],
      [422, "/credits", "POST", "/credits/grants", grant({ credits: "5" })],
      [422, "/credits", "POST", "/credits/grants", grant({ credits: null })],
      [422, "/reason", "POST", "/credits/grants", grant({ reason: "x".repeat(501) })],
      [422, "/reference", "POST", "/credits/grants", grant({ reference: "refund:1" })],
      [422, "/reference", "POST", "/credits/grants", grant({ reference: "x".repeat(201) })],
      [
        409,
        "REFERENCE_TAKEN",
        "POST",
        "/credits/grants",
        grant({ credits: 6, reference: "order-1" }),
      ],
      [
        409,
        "REFERENCE_TAKEN",
        "POST",
        "/credits/grants",
        grant({ account_id: "Owner", reference: "order-1" }),
      ],
      [409, "REFERENCE_TAKEN", "POST", "/credits/revocations", grant({ reference: "order-1" })],
      [409, "BALANCE_TOO_LOW", "POST", "/credits/revocations", grant({ credits: 15.001 })],
      [422, "/usd", "POST", "/payouts", { ...of, usd: 1e10, reference: "a" }],
      [422, "/usd", "POST", "/payouts", { ...of, usd: 1e-10, reference: "a" }],
      [422, "/usd", "POST", "/payouts", { ...of, usd: -1, reference: "a" }],
      [409, "PAYOUT_ABOVE_OWED", "POST", "/payouts", { ...of, usd: 1, reference: "a" }],
      [404, "PAYOUT_NOT_FOUND", "POST", "/payouts/none/undo", { reason: "r" }],
      [
        409,
        "REFERENCE_TAKEN",
        "POST",
        "/payouts",
        { account_id: "Owner", usd: 2, reference: "transfer-1" },
      ],
      [422, "/code", "POST", "/promotions", { code: "a b", credits: 1 }],
      [
        422,
        "/max_redemptions",
        "POST",
        "/promotions",
        { code: "A", credits: 1, max_redemptions: 0 },
      ],
      [
        422,
        "/max_redemptions",
        "POST",
        "/promotions",
        { code: "A", credits: 1, max_redemptions: 2 ** 31 },
      ],
      [409, "PROMOTION_TAKEN", "POST", "/promotions", { code: "FULL", credits: 2 }],
      [409, "PROMOTION_EXHAUSTED", "POST", "/promotions/FULL/redemptions", of],
      [409, "PROMOTION_EXPIRED", "POST", "/promotions/OVER/redemptions", of],
      [404, "PROMOTION_NOT_FOUND", "POST", "/promotions/NONE/redemptions", of],
      [404, "FEED_NOT_FOUND", "POST", "/purchases", { ...of, feed_id: UNKNOWN_ID }],
      [409, "FEED_DELETED", "POST", "/purchases", { ...of, feed_id: gone }],
      [409, "FEED_NOT_FOR_SALE", "POST", "/purchases", { ...of, feed_id: free }],
      [409, "FEED_NOT_FOR_SALE", "POST", "/purchases", { account_id: "Owner", feed_id: sold }],
      [
        409,
        "REFERENCE_TAKEN",
        "POST",
        "/purchases",
        { ...of, feed_id: sold, reference: "order-1" },
      ],
      [404, "PURCHASE_NOT_FOUND", "POST", "/purchases/undo", { ...of, feed_id: sold, reason: "r" }],
      [404, "USAGE_NOT_FOUND", "POST", `/usage/${UNKNOWN_ID}/refund`, { reason: "r" }],
      [404, "USAGE_NOT_FOUND", "POST", "/usage/none/refund", { reason: "r" }],
      [409, "NOTHING_CHARGED", "POST", `/usage/${freeRead}/refund`, { reason: "r" }],
      [404, "KEY_NOT_FOUND", "POST", `/keys/${UNKNOWN_ID}/revoke`],
      [404, "KEY_NOT_FOUND", "PATCH", `/keys/${UNKNOWN_ID}`, { name: "x" }],
      [
        404,
        "FEED_NOT_FOUND",
        "POST",
        "/keys",
        { ...of, permission: "read", feed_ids: [UNKNOWN_ID] },
      ],
      [409, "FEED_DELETED", "POST", "/keys", { ...of, permission: "read", feed_ids: [gone] }],
      [422, "/permission", "POST", "/keys", { ...of, permission: "admin" }],
      [422, "/expires_at", "POST", "/keys", { ...of, permission: "read", expires_at: "tomorrow" }],
      [
        422,
        "KEY_NOT_FOR_READING",
        "POST",
        "/keys",
        { ...of, permission: "write", daily_credits: 1 },
      ],
      [403, "ACCOUNT_SUSPENDED", "POST", `/accounts/${suspended}/sessions`, { permission: "read" }],
      [422, "/permission", "POST", `/accounts/${account}/sessions`, { permission: "admin" }],
      [422, "/name", "PATCH", `/accounts/${account}`, { name: "", max_feeds_allowed: 5 }],
      [
        422,
        "/max_feeds_allowed",
        "PATCH",
        `/accounts/${account}`,
        { name: "x", max_feeds_allowed: 0 },
      ],
      [409, "FEED_DELETED", "POST", `/feeds/${gone}/publish`],
      [409, "FEED_DELETED", "POST", `/feeds/${gone}/suspend`, { reason: "r" }],
      [409, "FEED_LISTED", "POST", `/feeds/${free}/decline`, { reason: "r" }],
      [404, "FEED_NOT_FOUND", "DELETE", `/feeds/${UNKNOWN_ID}`],
    ];
    for (const [status, told, method, path, body] of table) {
      const { code, errors } = await refused(status, method, path, body);
      const found = told.startsWith("/") ? errors?.map((each) => each.path) : [code];
      expect([path, body, found]).toEqual([path, body, [told]]);
    }
    expect(await everything()).toBe(before);
  });
});
