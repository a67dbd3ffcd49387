import { afterAll, beforeAll, expect, test } from "bun:test";
import { createLog } from "../../../src/lib/log.ts";
import { createDatabase } from "../../../src/postgres/client/database.ts";
import {
  alertTopup,
  type Book,
  beginTopup,
  expireTopup,
  grantTopup,
  takeBackTopup,
} from "../../../src/topups/store_topup.ts";
import { operatorOf } from "../../cli/support.ts";
import { type Contract, loadContract } from "../../support/contract.ts";
import { startTestGateway, type TestGateway } from "../../support/gateway.ts";
import { insertAdminKey } from "../../support/insert_key.ts";
import { waitFor } from "../../support/processes.ts";
import { callDocumented, type OperatorCall } from "./support.ts";

const USD = 1_000_000_000n;

let gateway: TestGateway;
let contract: Contract;
let admin: { readonly key: string };
let operator: ReturnType<typeof operatorOf>;
let book: Book;
let accountId: string;
/** Granted and in part taken back, granted, expired, waiting. */
let ids: string[];

beforeAll(async () => {
  gateway = await startTestGateway();
  contract = await loadContract(gateway.baseUrl);
  admin = await insertAdminKey(gateway);
  operator = operatorOf(gateway.databaseUrl);
  book = { database: createDatabase(gateway.sql), log: createLog({ level: "silent" }) };
  accountId = await gateway.createAccount({ name: "Payer" });
  const ways = ["card", "x402", "card", "card"] as const;
  ids = [];
  for (const [place, way] of ways.entries()) {
    const begun = await beginTopup(
      book.database,
      {
        accountId,
        keyId: null,
        way,
        amountNanos: 5n * USD,
        lifetimeMs: 3_600_000,
        paymentId: `p${place}`,
      },
      { accountDayNanos: undefined, dayNanos: undefined },
    );
    if (begun.kind === "begun") ids.push(begun.topup.topup_id);
  }
  const [card = "", chain = "", late = ""] = ids;
  await grantTopup(book, card, { reference: "stripe:cs_1", paidNanos: 5n * USD });
  await grantTopup(book, chain, { reference: "x402:eip155:1:0xa", paidNanos: 5n * USD });
  await expireTopup(book, late);
  await takeBackTopup(book, card, { source: "refunds", rank: 0, totalNanos: 2n * USD });
  await alertTopup(book, card, "look at it");
});
afterAll(() => gateway.stop());

const call = <Body = Record<string, unknown>>(
  status: number,
  path: string,
  options: OperatorCall = {},
) => callDocumented<Body>({ gateway, contract, key: admin.key }, status, path, options);

interface Listed {
  readonly topups: { readonly topup_id: string }[];
  readonly next_cursor: string | null;
}

async function idsOf(path: string): Promise<string[]> {
  return (await call<Listed>(200, path)).topups.map(({ topup_id: id }) => id);
}

test("top-ups are listed newest first, by account, way, state and alert, a page at a time, by both faces", async () => {
  expect(await idsOf("/topups")).toEqual(ids.toReversed());
  expect(await idsOf("/topups?way=x402")).toEqual([ids[1] as string]);
  expect(await idsOf("/topups?status=waiting&account_id=Payer")).toEqual([ids[3] as string]);
  expect(await idsOf("/topups?alerts=true")).toEqual([ids[0] as string]);
  const first = await call<Listed>(200, "/topups?limit=3");
  expect(await idsOf(`/topups?limit=3&cursor=${first.next_cursor}`)).toEqual([ids[0] as string]);
  await call(400, "/topups?cursor=x");
  await call(400, "/topups?way=cash");
  await call(404, "/topups?account_id=nobody");
  const listed = await operator.json("topup", "list");
  expect(listed).toEqual((await call<Listed>(200, "/topups")).topups as never);
  expect(listed).toMatchObject([
    { status: "waiting", alert: null },
    { status: "expired" },
    { status: "granted", reference: "x402:eip155:1:0xa", usd: 5, credits: 5_000_000 },
    { status: "granted", reference: "stripe:cs_1", taken_back_usd: 2, alert: "look at it" },
  ]);
  const { stdout } = await operator.run(["topup", "list", "--way", "card", "--status", "granted"]);
  expect(stdout).toContain("look at it");
});

test("the report sums up what came in by each way, by day, by both faces", async () => {
  const report = await call(200, "/topups/report");
  expect(report).toMatchObject({
    ways: [
      { way: "card", granted: 1, paid_usd: 5, taken_back_usd: 2, unrecovered_usd: 0, expired: 1 },
      { way: "x402", granted: 1, paid_usd: 5, taken_back_usd: 0, expired: 0, alerts: 0 },
    ],
  });
  expect(await operator.json("report", "topups")).toEqual(report as never);
  expect(await call(200, "/topups/report?from=2020-01-01&to=2020-01-31")).toMatchObject({
    ways: [],
  });
  await call(400, "/topups/report?from=2020-02-01&to=2020-01-01");

  // Money came in, and nothing was granted, so it waits on.
  const alert = (text: string | null) =>
    gateway.sql`update topups set alert = ${text} where topup_id = ${ids[3] as string}`;
  const alerts = async () => {
    const { ways } = await call<{ ways: { alerts: number }[] }>(200, "/topups/report");
    return ways.reduce((sum, way) => sum + way.alerts, 0);
  };
  expect(await alerts()).toBe(1);
  await alert("another amount");
  expect(await alerts()).toBe(2);
  await alert(null);
});

test("an alert is in the metrics and in doctor until it is settled, and who settled it is in the audit trail", async () => {
  const alerts = async () => {
    const text = await (await gateway.get("/metrics")).text();
    return /^feedgate_topup_alerts (\d+)$/m.exec(text)?.[1];
  };
  const settle = `/topups/${ids[0]}/settle`;
  expect(await alerts()).toBe("1");
  const body = { reason: "paid by transfer" };
  expect(await call(200, settle, { method: "POST", body })).toMatchObject({ is_settled: true });
  expect(await call(200, settle, { method: "POST", body })).toMatchObject({ is_settled: false });
  expect(
    await operator.json("topup", "settle", ids[1] as string, "--reason", "nothing"),
  ).toMatchObject({ is_settled: false });
  for (const id of ["x", crypto.randomUUID()]) {
    await call(404, `/topups/${id}/settle`, { method: "POST", body });
  }
  // A scrape may have the findings of the one before.
  expect(await waitFor(async () => (await alerts()) === "0", 10_000)).toBe(true);
  const [event] = await gateway.sql`
    select action, face, account_id, before, after from audit_events where action = 'topup settle'`;
  expect(event).toMatchObject({ face: "api", account_id: accountId });
  expect(JSON.parse(event?.before)).toEqual({ topup_id: ids[0], alert: "look at it" });
  expect(JSON.parse(event?.after)).toEqual({ reason: "paid by transfer" });
});
