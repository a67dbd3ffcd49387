import { afterAll, beforeAll, expect, test } from "bun:test";
import { generateKey, hashKey } from "../../../src/accounts/key_format.ts";
import {
  ACCESS_REQUEST,
  FEED_READER,
  READER_INVITATION,
} from "../../../src/api/reference/examples.ts";
import { present } from "../../../src/lib/assert.ts";
import {
  type ReferenceDocument,
  type Route,
  routesOf,
} from "../../../src/pages/docs/reference_document.ts";
import { curlText, keyOf, sampleAnswer, sampleRequest } from "../../../src/pages/docs/samples.ts";
import { type Contract, loadContract } from "../../support/contract.ts";
import { startTestGateway, type TestGateway } from "../../support/gateway.ts";
import { insertAdminKey } from "../../support/insert_key.ts";
import { STRIPE_ENVIRONMENT, type StripeHost, startStripeHost } from "../../support/stripe_host.ts";

/** What the samples are about, as the examples name it. */
const READER = "Acme agents";
const PROVIDER = "Seismic Data";
const KEY_START = "fg_read_abcd";
const PERSON = "ada@example.com";
const USAGE_ID = "0193a7e4-52d1-7b6e-8c55-6a1f0f7e9d20";
const AGENT_KEY_ID = "b1d4c7e0-93aa-4f5e-8d21-7c0e6a2f4d35";
const TOPUP_ID = "5e0b7c1d-6a2f-4d83-9c70-1f4b8a2e6d05";

let stripe: StripeHost;
let gateway: TestGateway;
let contract: Contract;
const keys = { read: "", write: "", admin: "" };
let readerId: string;
/** Ids that stand in for those of examples, because the database gives them. */
const standIns = new Map<string, string>();

beforeAll(async () => {
  stripe = startStripeHost();
  gateway = await startTestGateway(STRIPE_ENVIRONMENT, { stripePort: stripe.port });
  contract = await loadContract(gateway.baseUrl);
  const providerId = await gateway.createAccount({ name: PROVIDER });
  keys.write = await gateway.createKey(providerId, "write");
  keys.admin = (await insertAdminKey(gateway)).key;
});
afterAll(async () => {
  await gateway.stop();
  await stripe.stop();
});

/** A story in which each operation finds what its sample names. An operation may first need a scene of its own. */
const STORY: readonly (readonly [operationId: string, scene?: () => Promise<unknown>])[] = [
  ["metrics"],
  ["healthz"],
  ["readyz"],
  ["createAccount"],
  ["listAccounts", takeReader],
  ["showAccount"],
  ["editAccount"],
  ["createSignInLink"],
  ["suspendAccount"],
  ["resumeAccount"],
  ["inviteMember"],
  ["listMembers", addPerson],
  ["listPersons"],
  ["showPerson"],
  ["removeMember"],
  ["removePerson"],
  ["grantCredits"],
  ["revokeCredits"],
  ["createPromotion"],
  ["listPromotions"],
  ["redeemPromotion"],
  ["createKey"],
  ["listKeys"],
  ["findKey"],
  ["editKey"],
  ["createFeed"],
  ["pushFeed"],
  ["importFeed"],
  ["listPushes"],
  ["editFeed"],
  ["listProviderFeeds"],
  ["listAllFeeds"],
  ["reviewFeed"],
  ["publishFeed"],
  ["listCatalog"],
  ["searchFeeds"],
  ["readFeedMetadata"],
  ["readFeed"],
  ["followStream"],
  ["exportFeed"],
  ["downloadAgentSkill"],
  ["listAgentSkills"],
  ["requestAccess", () => restrict("by_request")],
  ["listAccessRequests"],
  ["listAllAccessRequests"],
  ["listFeedAccessRequests"],
  ["declineAccess", findRequest],
  ["approveAccess", waitAgain],
  ["setReader"],
  ["listReaders"],
  ["getReader"],
  ["listFeedReaders"],
  ["listAccessGrants"],
  ["removeReader"],
  ["inviteReader"],
  ["listReaderInvitations"],
  ["withdrawReaderInvitation", findInvitation],
  ["getAccount", () => restrict("open")],
  ["listUsage"],
  ["listUsageOf"],
  ["refundUsage", giveUsage],
  ["deleteRows"],
  ["buyFeed", offerForSale],
  ["listPurchases"],
  ["listAllPurchases"],
  ["undoPurchase"],
  ["recordPurchase"],
  ["topUp", () => price("metered")],
  ["getTopUp", () => gateway.sql`update topups set topup_id = ${TOPUP_ID}`],
  ["listAllTopUps"],
  ["reportTopUps"],
  ["settleTopUp", fallShort],
  ["endAgent", connectAgent],
  ["suspendFeed"],
  ["resumeFeed"],
  ["unpublishFeed"],
  ["declineFeed"],
  ["readStats"],
  ["getEarnings"],
  ["reportEarnings"],
  ["listPayouts"],
  ["listAllPayouts"],
  ["recordPayout", owe],
  ["undoPayout", givePayout],
  ["listAuditEvents"],
  ["rotateKey"],
  ["revokeKey"],
  ["deleteFeed"],
  ["deleteAnyFeed"],
  ["closeAccount"],
];

/** Webhooks need an address that answers: `contract_test.ts` and the tests of notices call these, with every status. */
const ELSEWHERE = [
  "createOperatorWebhook",
  "createWebhook",
  "deleteOperatorWebhook",
  "deleteWebhook",
  "editOperatorWebhook",
  "editWebhook",
  "getWebhook",
  "listNoticeDeliveries",
  "listOperatorWebhookDeliveries",
  "listOperatorWebhooks",
  "listWebhookDeliveries",
  "listWebhooks",
  "resendNotice",
  "resendWebhookDelivery",
  "rotateOperatorWebhook",
  "rotateWebhook",
  "showOperatorWebhook",
  "testOperatorWebhook",
  "testWebhook",
];

test("each operation answers its sample request with the status of its sample answer", async () => {
  const routes = new Map(documented().map((route) => [route.operationId, route]));
  const told = [...STORY.map(([id]) => id), ...ELSEWHERE];
  expect(told.toSorted()).toEqual([...routes.keys()].toSorted());
  for (const [operationId, scene] of STORY) {
    await scene?.();
    const route = present(routes.get(operationId));
    const answer = await send(route);
    const { status, body } = sampleAnswer(route);
    expect([
      operationId,
      answer.status,
      answer.status === status ? "" : await answer.clone().text(),
    ]).toEqual([operationId, status, ""]);
    if (body !== undefined) {
      expect([operationId, answer.headers.get("content-type")?.split(";")[0]]).toEqual([
        operationId,
        body.type,
      ]);
    }
    await contract.check(route.method, answer);
  }
});

test("a sample is a command that a shell takes, with a quote in its body", () => {
  const route = present(documented().find(({ operationId }) => operationId === "declineFeed"));
  const request = sampleRequest(route);
  expect(
    curlText(
      { ...request, body: { type: "text/plain", title: undefined, text: "it's" } },
      "https://a.example",
    ),
  ).toBe(`curl -X POST "https://a.example/v1/operator/feeds/quakes/decline" \\
  -H "Authorization: Bearer $FEEDGATE_ADMIN_KEY" \\
  -H "Content-Type: application/json" \\
  --data-binary 'it'\\''s'`);
});

function documented(): readonly Route[] {
  return routesOf(contract.document as unknown as ReferenceDocument);
}

function send(route: Route): Promise<Response> {
  const { method, path, headers, body } = sampleRequest(route);
  const key = keyOf(route);
  const sent = Object.entries(headers).map(([name, value]): [string, string] => [
    name,
    value.replace(/\$\w+/, key === undefined ? "" : keys[key]),
  ]);
  const parts = path.split("/").map((part) => standIns.get(part) ?? part);
  return fetch(gateway.baseUrl + parts.join("/"), {
    method,
    headers: sent,
    ...(body && { body: body.text }),
  });
}

/** The key of the examples is one of the account that was just created. */
async function takeReader(): Promise<void> {
  const [row] = await gateway.sql`select account_id from accounts where name = ${READER}`;
  readerId = row?.account_id;
  keys.read = await gateway.createKey(readerId, "read");
  const key = generateKey("read");
  await gateway.sql`
    insert into api_keys (account_id, key_hash, key_start, permission)
    values (${readerId}, ${hashKey(key)}, ${KEY_START}, 'read')`;
}

/** An owner beside a member, so that the member can be removed. */
async function addPerson(): Promise<void> {
  await gateway.sql`
    with added as (
      insert into persons (address, address_key, name)
      select address, address, 'Ada' from unnest(array[${PERSON}, 'owner@example.com']) as address
      returning person_id, address
    )
    insert into members (account_id, person_id, role)
    select ${readerId}, person_id, case when address = ${PERSON} then 'member' else 'owner' end
    from added`;
}

async function restrict(access: "open" | "by_request"): Promise<void> {
  standIns.set(FEED_READER.account_id, readerId);
  await gateway.sql`update feeds set access = ${access} where endpoint_path = 'quakes'`;
}

async function findRequest(): Promise<void> {
  const [row] = await gateway.sql`select request_id from access_requests`;
  standIns.set(ACCESS_REQUEST.request_id, row?.request_id);
}

async function waitAgain(): Promise<void> {
  await gateway.sql`
    update access_requests set status = 'waiting', reason = null, answered_at = null`;
}

async function findInvitation(): Promise<void> {
  const [row] = await gateway.sql`select invitation_id from access_invitations`;
  standIns.set(READER_INVITATION.id, row?.invitation_id);
}

/** The example's read is the newest one that was charged. Events are kept by their time, which is in their id. */
async function giveUsage(): Promise<void> {
  const [row] = await gateway.sql`
    select usage_id from usage_events where charge_nanos > 0 order by happened_at desc limit 1`;
  standIns.set(USAGE_ID, row?.usage_id);
}

async function givePayout(): Promise<void> {
  const [row] = await gateway.sql`select payout_id from payouts`;
  standIns.set("7", row?.payout_id);
}

/** How the feed is paid for from now on. */
async function price(type: "one_time" | "metered"): Promise<void> {
  await gateway.sql`
    update feeds
    set price_type = ${type}, call_price_nanos = ${type === "metered" ? 1_000 : null},
      one_time_price_cents = ${type === "one_time" ? 500 : null}
    where endpoint_path = 'quakes'`;
}

/** The feed has the price of the example, which the reader can pay. */
async function offerForSale(): Promise<void> {
  await price("one_time");
  const grant = { account_id: READER, credits: 10_000_000, reason: "to buy" };
  const granted = await gateway.send("POST", "/v1/operator/credits/grants", keys.admin, grant);
  expect(granted.status).toBe(201);
}

async function fallShort(): Promise<void> {
  await gateway.sql`update topups set alert = 'The payment fell short.'`;
}

async function connectAgent(): Promise<void> {
  const key = generateKey("read");
  await gateway.sql`
    with made as (
      insert into api_keys (key_id, account_id, key_hash, key_start, permission)
      values (
        ${AGENT_KEY_ID}, ${readerId}, ${hashKey(key)}, 'fg_read_efgh', 'read'
      )
      returning account_id, key_id
    )
    insert into agent_connections (
      code_hash, account_id, client_id, client_name, redirect_uri, challenge, daily_nanos,
      key_ends_at, actor, is_spent, key_id
    )
    select sha256('code'), account_id, 'client', 'Agent', 'https://agent.example/',
      sha256('verifier'), 1000, now(), 'test', true, key_id
    from made`;
}

async function owe(): Promise<void> {
  await gateway.sql`
    insert into earning_days (
      account_id, feed_id, day, reads, paid_reads, purchases, gross_nanos, refunded_nanos, fee_parts
    )
    select account_id, feed_id, current_date, 1, 1, 0, 10000000000, 0, 0
    from feeds
    where endpoint_path = 'quakes'`;
}
