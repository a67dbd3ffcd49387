/**
 * Calls of the operator's API that show each answer that the document has for it.
 *
 * @module
 */
import { expect } from "bun:test";
import { generateKey } from "../../../src/accounts/key_format.ts";
import { present } from "../../../src/lib/assert.ts";
import { OPERATOR_BODY_BYTES_MAX, OPERATOR_LIMIT, WEBHOOKS_MAX } from "../../../src/limits.ts";
import { OPERATOR_ROUTES } from "../../../src/routes/operator/operator_routes.ts";
import { UNKNOWN_ID } from "../../cli/support.ts";
import { callOperator, type OperatorCall } from "../../routes/operator/support.ts";
import type { Contract } from "../../support/contract.ts";
import type { TestGateway } from "../../support/gateway.ts";
import { insertAdminKey } from "../../support/insert_key.ts";
import { seedFeed } from "../../support/seed.ts";

type Method = NonNullable<OperatorCall["method"]>;

/** Every route, with a path that names nothing. */
const EVERY_ROUTE = OPERATOR_ROUTES.map(({ method, path, body }) => ({
  method,
  path: path.replaceAll(/:[a-z_]+/g, UNKNOWN_ID),
  takesBody: method === "POST" || method === "PATCH",
  hasFields: body !== undefined,
}));

/** A call of every route, which is answered by its fault alone if there is one. */
export function operatorCalls({ baseUrl }: TestGateway, key: string) {
  return EVERY_ROUTE.map(({ method, path, takesBody }) => ({
    method,
    path: `/v1/operator${path}`,
    send: () => callOperator(baseUrl, key, path, { method, ...(takesBody && { body: {} }) }),
  }));
}

/** A call by an admin key of its own, held against the document. */
async function callerOf(gateway: TestGateway, contract: Contract): Promise<Call> {
  const admin = await insertAdminKey(gateway);
  return async <Body = Record<string, unknown>>(
    status: number,
    method: Method,
    path: string,
    { key = admin.key, ...options }: OperatorCall & { readonly key?: string | undefined } = {},
  ): Promise<Body> => {
    const response = await callOperator(gateway.baseUrl, key || undefined, path, {
      method,
      ...options,
    });
    const body = await contract.check(method, response);
    expect({ method, path, status: response.status, body }).toMatchObject({ method, path, status });
    return body as Body;
  };
}

type Call = <Body = Record<string, unknown>>(
  status: number,
  method: Method,
  path: string,
  options?: OperatorCall & { readonly key?: string },
) => Promise<Body>;

/** What every route refuses alike. */
export async function refuseOperatorCalls(gateway: TestGateway, contract: Contract) {
  const call = await callerOf(gateway, contract);
  const readKey = await gateway.createKey(await gateway.createAccount(), "read");
  for (const { method, path, takesBody, hasFields } of EVERY_ROUTE) {
    await call(401, method, path, { key: "" });
    await call(401, method, path, { key: generateKey("admin") });
    await call(403, method, path, { key: readKey });
    await call(400, method, `${path}?unknown=1`);
    if (!takesBody) continue;
    await call(400, method, path, { body: "{" });
    await call(413, method, path, { body: "x".repeat(OPERATOR_BODY_BYTES_MAX + 1) });
    await call(415, method, path, { body: "{}", headers: { "Content-Type": "text/plain" } });
    if (hasFields) await call(422, method, path, { body: { unknown: 1 } });
    else await call(422, method, path, { body: [] });
  }
}

/** What each route does, and what it refuses alone. */
export async function exerciseOperatorRoutes(gateway: TestGateway, contract: Contract) {
  const call = await callerOf(gateway, contract);
  const post = <Body = Record<string, unknown>>(
    status: number,
    path: string,
    body: object = {},
    once?: string,
  ) =>
    call<Body>(status, "POST", path, {
      body,
      ...(once !== undefined && { headers: { "Idempotency-Key": once } }),
    });
  const name = { account_id: "Documented" };
  await post(201, "/accounts", { name: "Documented" }, "account");
  await post(409, "/accounts", { name: "Another" }, "account");
  await post(201, "/accounts", { name: "Twins" });
  await post(201, "/accounts", { name: "Twins" });
  await call(200, "GET", "/accounts?limit=1");
  await call(400, "GET", `/accounts?cursor=${UNKNOWN_ID}`);
  await call(400, "GET", "/accounts?cursor=Twins");
  await call(200, "GET", "/accounts/Documented");
  await call(200, "PATCH", "/accounts/Documented", { body: { max_feeds_allowed: 9 } });
  for (const [method, path, body] of [
    ["GET", "", undefined],
    ["PATCH", "", {}],
    ["POST", "/suspend", { reason: "r" }],
    ["POST", "/resume", {}],
    ["POST", "/sessions", { permission: "read" }],
  ] as const) {
    await call(404, method, `/accounts/${UNKNOWN_ID}${path}`, { body });
    await call(409, method, `/accounts/Twins${path}`, { body });
  }
  await post(201, "/accounts/Documented/sessions", { permission: "read" });
  await post(200, "/accounts/Documented/suspend", { reason: "late" });
  await post(403, "/accounts/Documented/sessions", { permission: "read" });
  await post(200, "/accounts/Documented/resume");
  await actOnPeople(gateway, call, post);
  await actOnKeys(call, post);
  await actOnMoney(gateway, call, post);
  await actOnTopups(gateway, call, post);
  await actOnFeeds(gateway, call, post);
  for (const [path, unknown, ambiguous] of [
    ["/stats", undefined, undefined],
    ["/earnings", "/earnings?account_id=none", "/earnings?account_id=Twins"],
    ["/payouts", "/payouts?account_id=none", "/payouts?account_id=Twins"],
    ["/audit", "/audit?account_id=none", "/audit?account_id=Twins"],
  ] as const) {
    await call(200, "GET", path);
    if (unknown !== undefined) await call(404, "GET", unknown);
    if (ambiguous !== undefined) await call(409, "GET", ambiguous);
  }
  await call(200, "GET", "/earnings?format=csv");
  const payout = { ...name, usd: 4, reference: "payout-1", allow_above: true };
  const recorded = await post(201, "/payouts", payout);
  await post(200, "/payouts", payout);
  await post(409, "/payouts", { ...payout, usd: 5 });
  await post(404, "/payouts", { ...payout, account_id: "none" });
  const undo = `/payouts/${recorded.payout_id}/undo`;
  await post(201, undo, { reason: "r" }, "undone");
  await post(200, undo, { reason: "r" });
  await post(409, undo, { reason: "other" }, "undone");
  await post(404, "/payouts/none/undo", { reason: "r" });
}

type Post = <Body = Record<string, unknown>>(
  status: number,
  path: string,
  body?: object,
  once?: string,
) => Promise<Body>;

async function actOnPeople(gateway: TestGateway, call: Call, post: Post): Promise<void> {
  await callWebhooks(call);
  const persons = await gateway.sql<{ person_id: string }[]>`
    insert into persons (address, address_key, name)
    select address, address, 'Ada'
    from unnest(array['owner@documented.com', 'member@documented.com', 'guest@documented.com']) as address
    returning person_id`;
  const [owner, member, guest] = persons.map(({ person_id: id }) => id);
  const account = await post<{ id: string }>(201, "/accounts", { name: "With members" });
  await gateway.sql`
    insert into members (account_id, person_id, role)
    values (${account.id}, ${present(owner)}, 'owner'), (${account.id}, ${present(member)}, 'member')`;
  await call(200, "GET", "/persons?limit=1");
  await call(200, "GET", "/persons/owner@documented.com");
  await call(404, "GET", "/persons/nobody@documented.com");
  await call(409, "DELETE", `/persons/${owner}`);
  await call(200, "DELETE", `/persons/${guest}`);
  await call(404, "DELETE", `/persons/${guest}`);
  const members = `/accounts/${account.id}/members`;
  const invited = { address: "new@documented.com", role: "owner" };
  await post(201, members, invited);
  await post(409, members, { address: "member@documented.com" });
  await post(422, members, { address: "none" });
  await call(200, "GET", members);
  await call(409, "DELETE", `${members}/${owner}`);
  await call(200, "DELETE", `${members}/${member}`);
  await call(404, "DELETE", `${members}/${member}`);
  await post(200, `/accounts/${account.id}/close`);
  await post(409, members, invited);
  await post(409, `/accounts/${account.id}/resume`);
  for (const name of [UNKNOWN_ID, "Twins"]) {
    const status = name === "Twins" ? 409 : 404;
    await call(status, "GET", `/accounts/${name}/members`);
    await post(status, `/accounts/${name}/members`, invited);
    await call(status, "DELETE", `/accounts/${name}/members/owner@documented.com`);
    await post(status, `/accounts/${name}/close`);
  }
}

async function actOnKeys(call: Call, post: Post): Promise<void> {
  const wanted = { account_id: "Documented", permission: "read" };
  const { id, key } = await post<{ id: string; key: string }>(201, "/keys", wanted);
  await post(404, "/keys", { ...wanted, account_id: "none" });
  await post(404, "/keys", { ...wanted, feed_ids: [UNKNOWN_ID] });
  await post(409, "/keys", { ...wanted, account_id: "Twins" });
  await post(422, "/keys", { ...wanted, permission: "write", daily_credits: 1 });
  await call(200, "GET", "/keys?account_id=Documented");
  await call(404, "GET", "/keys?account_id=none");
  await call(409, "GET", "/keys?account_id=Twins");
  await post(200, "/keys/find", { key: key.slice(0, 12) }, "find");
  await post(404, "/keys/find", { key: "fg_read_none" });
  await post(409, "/keys/find", { key: "fg_read_none" }, "find");
  await call(200, "PATCH", `/keys/${id}`, { body: { name: "Edited" } });
  await post(201, `/keys/${id}/rotate`);
  await post(200, `/keys/${id}/revoke`, {}, "revoke");
  await post(409, `/keys/${UNKNOWN_ID}/revoke`, {}, "revoke");
  await post(409, `/keys/${id}/rotate`);
  await call(409, "PATCH", `/keys/${id}`, { body: { name: "Late" } });
  for (const path of ["/revoke", "/rotate"]) await post(404, `/keys/${UNKNOWN_ID}${path}`);
  await call(404, "PATCH", `/keys/${UNKNOWN_ID}`, { body: { name: "None" } });
}

async function actOnMoney(gateway: TestGateway, call: Call, post: Post): Promise<void> {
  const name = { account_id: "Documented" };
  const grant = { ...name, credits: 5, reason: "r", reference: "documented-1" };
  await post(201, "/credits/grants", grant);
  await post(200, "/credits/grants", grant);
  await post(409, "/credits/grants", { ...grant, credits: 6 });
  await post(404, "/credits/grants", { ...grant, account_id: "none" });
  const taken = { ...grant, credits: 1, reference: "documented-2" };
  await post(201, "/credits/revocations", taken);
  await post(200, "/credits/revocations", taken);
  await post(409, "/credits/revocations", { ...taken, credits: 1_000, reference: "documented-3" });
  await post(404, "/credits/revocations", { ...taken, account_id: "none" });
  const code = { code: "DOCUMENTED", credits: 5, max_redemptions: 1 };
  await post(201, "/promotions", code);
  await post(200, "/promotions", code);
  await post(409, "/promotions", { ...code, credits: 6 });
  await call(200, "GET", "/promotions");
  await post(201, "/promotions/DOCUMENTED/redemptions", name);
  await post(409, "/promotions/DOCUMENTED/redemptions", name);
  await post(404, "/promotions/NONE/redemptions", name);
  const owner = await gateway.createAccount({ name: "Seller of what is documented" });
  const one = { type: "collection", rows: [{ id: 1 }] } as const;
  const sold = await seedFeed(gateway, owner, { ...one, oneTimePriceCents: 500 });
  const bought = { ...name, feed_id: sold.slug, reference: "documented-4" };
  await post(201, "/purchases", bought);
  await post(200, "/purchases", bought);
  await post(409, "/purchases", { ...bought, reference: "documented-5" });
  await post(404, "/purchases", { ...bought, feed_id: "none" });
  await call(200, "GET", "/purchases");
  await call(404, "GET", "/purchases?account_id=none");
  await call(409, "GET", "/purchases?account_id=Twins");
  const undone = { ...name, feed_id: sold.slug, reason: "r" };
  await post(201, "/purchases/undo", undone);
  await post(200, "/purchases/undo", undone);
  await post(404, "/purchases/undo", { ...undone, feed_id: "none" });
  await post(409, "/purchases/undo", { ...undone, account_id: "Twins" });
  const metered = await seedFeed(gateway, owner, { ...one, callPriceNanos: 1_000 });
  const reader = await gateway.createAccount({ credits: 2, name: "Reader of what is documented" });
  const read = await gateway.get(
    `/v1/feed/${metered.slug}`,
    await gateway.createKey(reader, "read"),
  );
  const { _origin } = (await read.json()) as { _origin: { usage_id: string } };
  await call(200, "GET", `/usage?account_id=${reader}`);
  await call(404, "GET", "/usage?account_id=none");
  await call(409, "GET", "/usage?account_id=Twins");
  await post(201, `/usage/${_origin.usage_id}/refund`, { reason: "r" });
  await post(200, `/usage/${_origin.usage_id}/refund`, { reason: "r" });
  await post(404, `/usage/${UNKNOWN_ID}/refund`, { reason: "r" });
  const free = await gateway.get("/v1/catalog", await gateway.createKey(reader, "read"));
  const origin = ((await free.json()) as typeof read & { _origin: { usage_id: string } })._origin;
  await post(409, `/usage/${origin.usage_id}/refund`, { reason: "r" });
}

async function actOnTopups(gateway: TestGateway, call: Call, post: Post): Promise<void> {
  const [topup] = await gateway.sql`
    insert into topups (way, amount_nanos, alert, expires_at, due_at)
    values ('card', 1, 'documented', now() + interval '1 day', now() + interval '1 day')
    returning topup_id`;
  await call(200, "GET", "/topups?alerts=true");
  await call(404, "GET", "/topups?account_id=none");
  await call(409, "GET", "/topups?account_id=Twins");
  await call(200, "GET", "/topups/report");
  await post(200, `/topups/${topup?.topup_id}/settle`, { reason: "r" }, "settled");
  await post(409, `/topups/${topup?.topup_id}/settle`, { reason: "other" }, "settled");
  await post(404, `/topups/${UNKNOWN_ID}/settle`, { reason: "r" });
}

async function actOnFeeds(gateway: TestGateway, call: Call, post: Post): Promise<void> {
  const owner = await gateway.createAccount({ name: "Owner of what is documented" });
  const { feedId } = await seedFeed(gateway, owner, { type: "stream", rows: [] });
  await call(200, "GET", "/feeds?limit=1");
  await call(404, "GET", "/feeds?account_id=none");
  await call(409, "GET", "/feeds?account_id=Twins");
  await call(200, "GET", `/feeds/${feedId}`);
  await call(404, "GET", `/feeds/${UNKNOWN_ID}`);
  const acts = [
    ["decline", { reason: "r" }],
    ["publish", {}],
    ["unpublish", {}],
    ["suspend", { reason: "r" }],
    ["resume", {}],
  ] as const;
  await call(200, "GET", `/feeds/${feedId}/readers`);
  await call(404, "GET", `/feeds/${UNKNOWN_ID}/readers`);
  for (const path of ["/access-grants", "/access-requests"]) {
    await call(200, "GET", `${path}?feed_id=${feedId}`);
    await call(404, "GET", `${path}?feed_id=${UNKNOWN_ID}`);
    await call(409, "GET", `${path}?account_id=Twins`);
  }
  for (const [name, body] of acts) {
    await post(200, `/feeds/${feedId}/${name}`, body);
    await post(404, `/feeds/${UNKNOWN_ID}/${name}`, body);
  }
  await call(200, "DELETE", `/feeds/${feedId}`);
  await call(404, "DELETE", `/feeds/${UNKNOWN_ID}`);
  for (const [name, body] of acts) await post(409, `/feeds/${feedId}/${name}`, body);
}

/** Calls that are made beside one of a route: more than the limit takes up again meanwhile. */
const MISTAKES = 10;

/** Every route, by a key that has called too often. */
export async function exceedOperatorLimit(gateway: TestGateway, contract: Contract) {
  const { key } = await insertAdminKey(gateway, "busy");
  // It counts and costs little.
  const mistake = () => callOperator(gateway.baseUrl, key, "/promotions?x");
  for (const { method, path, send } of operatorCalls(gateway, key)) {
    let refused: Response | undefined;
    for (let calls = 0; calls < 4 * OPERATOR_LIMIT && refused === undefined; calls += MISTAKES) {
      const mistakes = Array.from({ length: MISTAKES }, mistake);
      const answer = await send();
      for (const each of await Promise.all(mistakes)) await each.body?.cancel();
      if (answer.status === 429) refused = answer;
      else await answer.body?.cancel();
    }
    expect([method, path, refused?.status]).toEqual([method, path, 429]);
    await contract.check(method, present(refused));
  }
}

/** Every answer of the operators' webhooks, and of everybody's deliveries. */
async function callWebhooks(call: Call): Promise<void> {
  const body = { url: "https://93.184.215.14/hook", types: ["job.failed"] };
  await call(422, "POST", "/webhooks", { body: { ...body, url: "http://example.com" } });
  await call(403, "POST", "/webhooks", { body: { ...body, types: ["feed.late"] } });
  await call(404, "POST", "/webhooks", { body: { ...body, feed_ids: ["none"] } });
  const { id } = await call<{ id: string }>(201, "POST", "/webhooks", { body });
  for (let count = 1; count < WEBHOOKS_MAX; count += 1)
    await call(201, "POST", "/webhooks", { body });
  await call(409, "POST", "/webhooks", { body });
  await call(200, "GET", "/webhooks");
  await call(200, "GET", `/webhooks/${id}`);
  await call(404, "GET", `/webhooks/${UNKNOWN_ID}`);
  await call(200, "PATCH", `/webhooks/${id}`, { body: { is_active: false } });
  await call(404, "PATCH", `/webhooks/${UNKNOWN_ID}`, { body: { is_active: false } });
  const sent = await call<{ delivery_id: string }>(201, "POST", `/webhooks/${id}/test`, {
    body: {},
  });
  await call(404, "POST", `/webhooks/${UNKNOWN_ID}/test`, { body: {} });
  await call(200, "POST", `/webhooks/${id}/rotate`, { body: {} });
  await call(404, "POST", `/webhooks/${UNKNOWN_ID}/rotate`, { body: {} });
  await call(200, "GET", `/webhooks/${id}/deliveries`);
  await call(404, "GET", `/webhooks/${UNKNOWN_ID}/deliveries`);
  await call(200, "GET", "/notices?status=waiting");
  await call(404, "GET", "/notices?account_id=nobody");
  await call(409, "GET", "/notices?account_id=Twins");
  for (const act of [`${id}/test`, `${id}/rotate`, `deliveries/${sent.delivery_id}/resend`]) {
    // Another call has had it.
    const headers = { "Idempotency-Key": "account" };
    await call(409, "POST", `/webhooks/${act}`, { body: {}, headers });
  }
  await call(200, "POST", `/webhooks/deliveries/${sent.delivery_id}/resend`, { body: {} });
  await call(404, "POST", `/webhooks/deliveries/${UNKNOWN_ID}/resend`, { body: {} });
  await call(200, "DELETE", `/webhooks/${id}`);
  await call(404, "DELETE", `/webhooks/${id}`);
}
