import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Operator, operatorOf } from "../../cli/support.ts";
import { createAdmin, signIn } from "../../pages/console/support.ts";
import { startTestGateway, type TestGateway } from "../../support/gateway.ts";
import { insertAdminKey } from "../../support/insert_key.ts";
import { seedFeed } from "../../support/seed.ts";
import { callOperator } from "./support.ts";

/** What the steps of a scenario have made, or found, by name. */
type Known = Record<string, string>;

/** One act, by both faces. */
interface Step {
  readonly argv: readonly string[];
  readonly method?: "POST" | "PATCH" | "DELETE";
  readonly path: string;
  readonly body?: object;
  /** Under which name the id of what was made is known from then on. */
  readonly keeps?: string;
}

const ACME = ["--account", "Acme"] as const;
const EXPIRES = "2031-01-01T00:00:00Z";

/** Accounts, keys, credits, promotions, purchases, refunds, payouts, suspensions, and the review of feeds. */
const SCENARIO: readonly ((known: Known) => Step)[] = [
  () => ({
    argv: ["account", "create", "--name", "Acme", "--max-feeds", "4"],
    path: "/accounts",
    body: { name: "Acme", max_feeds_allowed: 4 },
  }),
  () => ({
    argv: ["account", "edit", "Acme", "--max-feeds", "5"],
    method: "PATCH",
    path: "/accounts/Acme",
    body: { max_feeds_allowed: 5 },
  }),
  ({ metered }) => ({
    argv: [
      ...["key", "create", ...ACME, "--permission", "read", "--name", "night", "--daily-credits"],
      ...["10", "--feeds", String(metered)],
    ],
    path: "/keys",
    body: {
      account_id: "Acme",
      permission: "read",
      name: "night",
      daily_credits: 10,
      feed_ids: [metered],
    },
    keeps: "key",
  }),
  ({ key }) => ({
    argv: ["key", "edit", String(key), "--daily-credits", "none", "--expires", EXPIRES],
    method: "PATCH",
    path: `/keys/${key}`,
    body: { daily_credits: null, expires_at: EXPIRES },
  }),
  ({ key }) => ({
    argv: ["key", "rotate", String(key), "--grace", "1h"],
    path: `/keys/${key}/rotate`,
    body: { grace_seconds: 3_600 },
    keeps: "newKey",
  }),
  ({ newKey }) => ({
    argv: ["key", "revoke", String(newKey)],
    path: `/keys/${newKey}/revoke`,
  }),
  () => ({
    argv: [
      ...["credits", "grant", ...ACME, "--credits", "7.125", "--reason", "order"],
      ...["--reference", "order-1"],
    ],
    path: "/credits/grants",
    body: { account_id: "Acme", credits: 7.125, reason: "order", reference: "order-1" },
  }),
  () => ({
    argv: ["credits", "revoke", ...ACME, "--credits", "0.125", "--reason", "too much"],
    path: "/credits/revocations",
    body: { account_id: "Acme", credits: 0.125, reason: "too much" },
  }),
  () => ({
    argv: ["promo", "create", "WELCOME", "--credits", "5", "--max-redemptions", "1"],
    path: "/promotions",
    body: { code: "WELCOME", credits: 5, max_redemptions: 1 },
  }),
  () => ({
    argv: ["promo", "redeem", "WELCOME", ...ACME],
    path: "/promotions/WELCOME/redemptions",
    body: { account_id: "Acme" },
  }),
  ({ sold }) => ({
    argv: ["purchase", "record", ...ACME, "--feed", String(sold), "--reference", "order-2"],
    path: "/purchases",
    body: { account_id: "Acme", feed_id: sold, reference: "order-2" },
  }),
  ({ sold }) => ({
    argv: ["purchase", "undo", ...ACME, "--feed", String(sold), "--reason", "charged back"],
    path: "/purchases/undo",
    body: { account_id: "Acme", feed_id: sold, reason: "charged back" },
  }),
  ({ usage }) => ({
    argv: ["usage", "refund", String(usage), "--reason", "wrong data"],
    path: `/usage/${usage}/refund`,
    body: { reason: "wrong data" },
  }),
  () => ({
    argv: [
      ...["payout", "record", "--account", "Provider", "--usd", "4.000000001", "--allow-above"],
      ...["--reference", "transfer-1"],
    ],
    path: "/payouts",
    body: { account_id: "Provider", usd: 4.000000001, reference: "transfer-1", allow_above: true },
  }),
  () => ({
    argv: ["payout", "undo", "1", "--reason", "typed wrong"],
    path: "/payouts/1/undo",
    body: { reason: "typed wrong" },
  }),
  ({ sold }) => ({
    argv: ["feed", "decline", String(sold), "--reason", "no sample"],
    path: `/feeds/${sold}/decline`,
    body: { reason: "no sample" },
  }),
  ...["publish", "unpublish"].map((act) => ({ sold }: Known) => ({
    argv: ["feed", act, String(sold)],
    path: `/feeds/${sold}/${act}`,
  })),
  ({ sold }) => ({
    argv: ["feed", "suspend", String(sold), "--reason", "licence"],
    path: `/feeds/${sold}/suspend`,
    body: { reason: "licence" },
  }),
  ({ sold }) => ({
    argv: ["feed", "resume", String(sold)],
    path: `/feeds/${sold}/resume`,
  }),
  ({ sold }) => ({
    argv: ["feed", "delete", String(sold), "--yes"],
    method: "DELETE",
    path: `/feeds/${sold}`,
  }),
  () => ({
    argv: ["account", "suspend", "Acme", "--reason", "late"],
    path: "/accounts/Acme/suspend",
    body: { reason: "late" },
  }),
  () => ({ argv: ["account", "resume", "Acme"], path: "/accounts/Acme/resume" }),
];

/** Each with the order of its rows. */
const TABLES = [
  ["accounts", "created_at"],
  ["api_keys", "created_at"],
  ["credit_ledger", "entry_id"],
  ["promotion_codes", "code"],
  ["promotion_redemptions", "code"],
  ["purchases", "account_id"],
  ["payouts", "payout_id"],
  ["feeds", "created_at"],
  ["usage_events", "usage_id"],
  ["audit_events", "event_id"],
] as const;

/** A database of its own for each face. */
const gateways: TestGateway[] = [];
beforeAll(async () => {
  gateways.push(await startTestGateway(), await startTestGateway());
});
afterAll(() => Promise.all(gateways.map((each) => each.stop())));

const gatewayOf = (place: number) => gateways[place] as TestGateway;

/** A provider with a feed of each price, and a reader that was charged once. */
async function setScene(gateway: TestGateway): Promise<Known> {
  const provider = await gateway.createAccount({ name: "Provider" });
  const row = { type: "collection", rows: [{ id: 1 }] } as const;
  const sold = await seedFeed(gateway, provider, { ...row, name: "Sold", oneTimePriceCents: 500 });
  const metered = await seedFeed(gateway, provider, {
    ...row,
    name: "Metered",
    callPriceNanos: 2_000,
  });
  const reader = await gateway.createAccount({ name: "Reader", credits: 10 });
  const read = await gateway.get(
    `/v1/feed/${metered.feedId}`,
    await gateway.createKey(reader, "read"),
  );
  const { _origin } = (await read.json()) as { _origin: { usage_id: string } };
  return { sold: sold.feedId, metered: metered.feedId, usage: _origin.usage_id };
}

/** All rows, with a number for each id and without moments, keys and what is drawn by lot. */
async function rowsOf({ sql }: TestGateway): Promise<Record<string, Record<string, unknown>[]>> {
  const numbers = new Map<string, string>();
  const numberOf = (id: string) => {
    if (!numbers.has(id)) numbers.set(id, `#${numbers.size + 1}`);
    return numbers.get(id) ?? "";
  };
  const dumped: Record<string, Record<string, unknown>[]> = {};
  for (const [table, order] of TABLES) {
    const rows = await sql.unsafe(
      `select to_jsonb(each)::text as row from ${table} as each order by ${order}`,
    );
    dumped[table] = rows.map(
      ({ row }): Record<string, unknown> =>
        JSON.parse(
          String(row)
            .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, numberOf)
            .replaceAll(/"\d{4}-\d\d-\d\dT[^"]*"/g, '"a moment"')
            .replaceAll(/"(key_hash|key_start)": ?"[^"]*"/g, '"$1":"a key"')
            .replaceAll(/"seed-\d+"/g, '"a slug"')
            .replaceAll(/"(generation|version|logged_us)": ?\d+/g, '"$1":0'),
        ),
    );
  }
  return dumped;
}

describe("the command and the API", () => {
  test("run the same scenario and leave the same rows and audit entries, but for the face and who", async () => {
    const faces: readonly ((step: Step) => Promise<Record<string, unknown>>)[] = [
      byCommand(operatorOf(gatewayOf(0).databaseUrl)),
      byApi(gatewayOf(1), (await insertAdminKey(gatewayOf(1))).key),
    ];
    const dumps: Awaited<ReturnType<typeof rowsOf>>[] = [];
    for (const [place, act] of faces.entries()) {
      const known = await setScene(gatewayOf(place));
      for (const stepOf of SCENARIO) {
        const step = stepOf(known);
        const made = await act(step);
        if (step.keeps !== undefined) known[step.keeps] = String(made.id);
      }
      dumps.push(await rowsOf(gatewayOf(place)));
    }
    const [command, api] = dumps.map(({ audit_events: trail = [], ...tables }) => ({
      tables,
      trail: trail.map(({ actor: _, face: __, ...event }) => event),
    }));
    expect(api?.tables).toEqual(command?.tables as NonNullable<typeof command>["tables"]);
    // The API's admin key was made straight in the database.
    const scenes = (trail: readonly Record<string, unknown>[] = []) =>
      trail
        .filter(({ after }) => !JSON.stringify(after).includes('"permission":"admin"'))
        .map(({ event_id: _, ...event }) => event);
    expect(scenes(api?.trail)).toEqual(scenes(command?.trail));
    expect(command?.trail.length).toBeGreaterThan(SCENARIO.length);
    expect(await facesOf(gatewayOf(0))).toEqual([
      { face: "shell", actor: expect.stringMatching(/^operator /) },
    ]);
    expect(await facesOf(gatewayOf(1))).toEqual([
      { face: "api", actor: expect.stringMatching(/^admin key shop \(/) },
    ]);
  });

  test("and the console each leave their own face, which nobody can claim from outside", async () => {
    const gateway = gatewayOf(1);
    const admin = await createAdmin(gateway);
    const account = await gateway.createAccount({ name: "Faces" });
    const provider = await gateway.createKey(account, "write");
    const { feedId } = await seedFeed(gateway, account, { type: "stream", rows: [] });
    await gateway.send("PATCH", `/v1/provider/feed/${feedId}/edit`, provider, { name: "By API" });
    const called = await callOperator(gateway.baseUrl, admin, `/feeds/${feedId}/publish`, {
      method: "POST",
      headers: { "x-feedgate-face": "console", "idempotency-key": "console-1" },
    });
    expect(called.status).toBe(200);
    const visitor = await signIn(gateway.baseUrl, admin);
    await visitor.act(`/feeds/${feedId}`, { act: "unpublish" });
    const trail = await callOperator(gateway.baseUrl, admin, `/audit?feed_id=${feedId}`);
    const { events } = (await trail.json()) as { events: { action: string; face: string }[] };
    expect(events.map(({ action, face }) => [action, face])).toEqual([
      ["feed unpublish", "console"],
      ["feed publish", "api"],
      ["feed edit", "api"],
      ["feed create", null as never],
    ]);
    const page = await (await visitor.get(`/audit?feed_id=${feedId}`)).text();
    expect(page).toContain(`<div class="soft small">in the console</div>`);
    const operator = operatorOf(gateway.databaseUrl);
    await operator.json("feed", "publish", feedId);
    const listed = (await operator.json("audit", "--feed", feedId)) as typeof events;
    expect(listed[0]).toMatchObject({ action: "feed publish", face: "shell" });
  });
});

function byCommand(operator: Operator) {
  return async ({ argv }: Step) => (await operator.json(...argv)) as Record<string, unknown>;
}

function byApi(gateway: TestGateway, key: string) {
  return async ({ method = "POST", path, body }: Step): Promise<Record<string, unknown>> => {
    const response = await callOperator(gateway.baseUrl, key, path, { method, body });
    const answer = (await response.json()) as Record<string, unknown>;
    expect({ path, ok: response.ok, answer }).toMatchObject({ path, ok: true });
    return answer;
  };
}

/** The faces of a trail, each with who came through it, apart from who set the scene. */
function facesOf({ sql }: TestGateway) {
  return sql`
    select face, min(actor) as actor
    from audit_events
    where face is not null and actor <> 'operator test'
    group by face
    order by face`.then((rows: Iterable<object>) => [...rows]);
}
