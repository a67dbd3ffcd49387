/** Every table of every command, on a terminal of 80 columns. */
import { beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { COMMANDS } from "../../src/cli/command_table.ts";
import { runCommand } from "../../src/cli/run.ts";
import { temporaryFolder } from "../support/folders.ts";
import { countSales } from "../support/run_job.ts";
import { seedFeed } from "../support/seed.ts";
import { type Environment, startOperatedGateway } from "./support.ts";

const COLUMNS = 80;
const LONG = "Office of weather and of everything else that is measured, worldwide";
const SLUG = "temperatures-of-the-air-at-sea-level-hourly-and-by-station";
const PROMOTION = "WELCOME-TO-FEEDGATE-IN-2026";
const REFERENCE = "order-2026-0007";

const { gateway, operator } = await startOperatedGateway();

/** What a command is run with, and what of its table is copied. */
interface Shown {
  readonly argv?: readonly string[];
  readonly copied: readonly string[];
  /** @default titles in capitals */
  readonly header?: RegExp;
  readonly environment?: Environment;
}

let keyStart = "";
let webhookId = "";
let shown: Readonly<Record<string, readonly Shown[] | "no table">>;

beforeAll(async () => {
  const json = async (...argv: readonly string[]) =>
    (await operator.json(...argv)) as Readonly<Record<string, string>>;
  const { id: owner = "" } = await json("account", "create", "--name", LONG);
  const { id: agent = "" } = await json("account", "create", "--name", `Agent of the ${LONG}`);
  await json("credits", "grant", "--account", agent, "--credits", "123456789", "--reason", "test");
  const keyOf = (accountId: string, permission: string) => {
    const settings = ["--permission", permission, "--name", "the key of the nightly job"];
    const expires = ["--expires", "2030-01-01T00:00:00.123Z", "--daily-credits", "90000000"];
    return json("key", "create", "--account", accountId, ...settings, ...expires);
  };
  const read = await keyOf(agent, "read");
  const write = await json("key", "create", "--account", owner, "--permission", "write");
  keyStart = read.key?.slice(0, 12) ?? "";
  const rows = [{ id: 1, temperature_at_two_metres: 1.5, place: LONG, remark: LONG }];
  const feed = { type: "collection", rows, name: LONG, isPublic: true } as const;
  const metered = await seedFeed(gateway, owner, { ...feed, callPriceNanos: 12_500_000 });
  const sold = await seedFeed(gateway, owner, { ...feed, oneTimePriceCents: 1_999 });
  const schema = {
    properties: { temperature_at_two_metres: { type: "number", description: LONG } },
  };
  await gateway.sql`
    update feeds
    set endpoint_path = ${SLUG}, schema_definition = ${JSON.stringify(schema)},
      sync_interval_mins = 60, last_sync_at = now() - interval '2 days'
    where feed_id = ${metered.feedId}`;
  await gateway.sql`
    update feeds set endpoint_path = ${`${SLUG}2`} where feed_id = ${sold.feedId}`;
  expect((await gateway.get(`/v1/feed/${SLUG}`, read.key)).status).toBe(200);
  const refused = await gateway.send(
    "POST",
    `/v1/provider/feed/${metered.feedId}/push`,
    write.key,
    [{ n: 1 }],
  );
  expect(refused.status).toBe(422);
  await json(
    "purchase",
    "record",
    "--account",
    agent,
    "--feed",
    sold.feedId,
    "--reference",
    REFERENCE,
  );
  await json(
    "promo",
    "create",
    PROMOTION,
    "--credits",
    "1000000",
    "--expires",
    "2030-01-01T00:00:00Z",
  );
  const admin = await json(
    "key",
    "create",
    "--permission",
    "admin",
    "--name",
    "the office's laptop",
  );
  await gateway.send("POST", "/v1/operator/accounts", admin.key, { name: "Made by the API" });
  await json(
    "payout",
    "record",
    "--account",
    owner,
    "--usd",
    "1.5",
    "--reference",
    REFERENCE,
    "--allow-above",
  );
  await gateway.sql`
    insert into topups (account_id, way, amount_nanos, expires_at, due_at, status, ended_at, alert)
    values (${agent}, 'card', 25000000000, now(), now(), 'expired', now(), ${LONG})`;
  await countSales(gateway.sql);
  const terms = { expires_at: "2030-01-01T00:00:00.123Z", note: LONG };
  const granted = `/v1/provider/feed/${sold.feedId}/readers/${agent}`;
  expect((await gateway.send("PUT", granted, write.key, terms)).status).toBe(200);
  await gateway.sql`
    insert into access_requests (account_id, feed_id, message, status, reason, answered_at)
    values (${agent}, ${sold.feedId}, ${LONG}, 'declined', ${LONG}, now())`;
  const file = join(temporaryFolder(), "stations.csv");
  await Bun.write(file, `id,name_of_the_station_and_place,remark\n1,"${LONG}","${LONG}"\n`);
  const agents = { FEEDGATE_URL: gateway.baseUrl, FEEDGATE_KEY: read.key };
  const providers = { FEEDGATE_URL: gateway.baseUrl, FEEDGATE_KEY: write.key };
  const slugs = [`${SLUG} `, `${SLUG}2 `];
  const [delivery] = await gateway.sql`
    with webhook as (
      insert into webhooks (account_id, permission, url, types, sealed_secret)
      values (
        ${agent}, 'read', ${`https://example.com/${SLUG}/${SLUG}`},
        '{feed.updated, feed.changed, feed.gone, balance.low, budget.spent, credits.granted}', ''
      )
      returning webhook_id
    ),
    notice as (
      insert into notices (type, permission, data, spread_at)
      values ('feed.updated', 'read', '{}', now()) returning notice_id
    )
    insert into webhook_deliveries (webhook_id, notice_id, status, code, error)
    select webhook_id, notice_id, 'failed', 500, ${LONG} from webhook, notice
    returning webhook_id, delivery_id`;
  webhookId = delivery?.webhook_id;
  await gateway.sql`
    insert into persons (address, address_key, name)
    values (${`${"a".repeat(60)}@example.com`}, ${`${"a".repeat(60)}@example.com`}, ${LONG})`;
  shown = {
    "account list": [{ copied: [] }],
    "person list": [{ copied: [] }],
    "key list": [{ argv: ["--account", agent], copied: [keyStart] }],
    "promo list": [{ copied: [PROMOTION] }],
    "purchase list": [{ copied: [`${SLUG}2 `, REFERENCE] }],
    "payout list": [{ copied: [REFERENCE] }],
    "notice list": [{ copied: [] }],
    "topup list": [{ copied: [] }],
    "report topups": [{ copied: [] }],
    "feed init": [
      { argv: [file, "--yes"], copied: ["name_of_the_station_and_place"], environment: providers },
    ],
    "feed list": [{ copied: slugs }],
    "feed readers": [{ argv: [sold.feedId], copied: [] }],
    "access list": [
      { copied: [`${SLUG}2 `, "declined"] },
      { argv: ["--grants"], copied: [`${SLUG}2 `] },
    ],
    "access mine": [{ copied: [`${SLUG}2 `, "declined"], environment: agents }],
    "feed show": [{ argv: [metered.feedId], copied: ["VALIDATION_FAILED"] }],
    "report stats": [{ copied: [] }, { argv: ["--by", "minute"], copied: [] }],
    "report top": [{ copied: [`${SLUG} `] }],
    "report stale": [{ copied: [`${SLUG} `] }],
    "report revenue": [{ copied: slugs }],
    "report earnings": ["day", "month", "feed", "account"].map((by) => ({
      argv: ["--by", by],
      copied: [],
    })),
    "report errors": [{ copied: [`${SLUG} `, "VALIDATION_FAILED"] }],
    audit: [{ copied: ["admin key the office's laptop ", "operator ", "account create "] }],
    search: [{ argv: ["weather"], copied: slugs, environment: agents }],
    describe: [{ argv: [SLUG], copied: ["temperature_at_two_metres"], environment: agents }],
    "webhook list": [{ copied: [webhookId], environment: agents }],
    "webhook deliveries": [
      { argv: [webhookId], copied: [delivery?.delivery_id], environment: agents },
    ],
    read: [
      { argv: [SLUG], header: /^id /, copied: ["temperature_at_two_metres"], environment: agents },
    ],
    // They print what they did, what they found, or nothing.
    ...Object.fromEntries(
      [
        ...["serve", "demo", "stop", "migrate", "grants", "console", "backup", "restore", "doctor"],
        ...["archive start", "archive base", "archive stop"],
        ...["account create", "account edit", "account show", "account suspend", "account resume"],
        ...["account close", "person find", "person remove", "member invite", "member remove"],
        ...["key create", "key edit", "key rotate", "key find", "key revoke", "credits grant"],
        ...["credits revoke", "promo create", "promo redeem", "purchase record", "purchase undo"],
        ...[
          "payout record",
          "payout undo",
          "notice resend",
          "topup settle",
          "feed publish",
          "feed unpublish",
          "feed decline",
        ],
        ...[
          "feed suspend",
          "feed resume",
          "feed delete",
          "feed edit",
          "usage export",
          "usage refund",
        ],
        ...["mail test", "buy", "push", "licenses", "access request"],
        ...["webhook add", "webhook edit", "webhook remove", "webhook test"],
        ...["webhook rotate", "webhook resend"],
      ].map((words) => [words, "no table" as const]),
    ),
  };
});

/** What the command writes on a terminal. */
async function screen(
  argv: readonly string[],
  { environment = {}, columns }: { environment?: Environment | undefined; columns?: number },
): Promise<string> {
  let text = "";
  const { PATH, HOME } = process.env;
  const code = await runCommand(argv, {
    environment: {
      PATH,
      HOME,
      DATABASE_URL: gateway.databaseUrl,
      LOG_LEVEL: "silent",
      ...environment,
    },
    streams: {
      async write(part) {
        text += part;
      },
      complain(line) {
        text += line;
      },
      columns,
    },
  });
  expect({ argv, code, text }).toEqual({ argv, code: 0, text });
  return text;
}

/** Titles of columns. */
const HEADER = /^[A-Z]+( [A-Z]+)*( {2,}[A-Z]+( [A-Z]+)*)+$/;

/** Lines of the tables in a text, headers first; a table ends at an empty line. */
function tablesOf(text: string, header: RegExp): string[][] {
  const tables: string[][] = [];
  let table: string[] | undefined;
  for (const line of text.split("\n")) {
    if (line === "") table = undefined;
    else if (table === undefined && header.test(line)) {
      table = [];
      tables.push(table);
    }
    table?.push(line);
  }
  return tables;
}

describe("on a terminal of 80 columns", () => {
  test("every command is known here, with the table that it prints", () => {
    expect(Object.keys(shown).sort()).toEqual(COMMANDS.map(({ words }) => words).sort());
  });

  for (const { words } of COMMANDS) {
    test(`${words} has no line of a table that is wider, and cuts nothing that is copied`, async () => {
      const runs = shown[words] ?? [];
      if (runs === "no table") return;
      for (const { argv = [], copied, environment, header = HEADER } of runs) {
        const text = await screen([...words.split(" "), ...argv], {
          environment,
          columns: COLUMNS,
        });
        const tables = tablesOf(text, header);
        expect({ text, tables: tables.length }).not.toEqual({ text, tables: 0 });
        for (const lines of tables) {
          // A header alone would show nothing.
          expect({ text, lines: lines.length }).not.toEqual({ text, lines: 1 });
          for (const line of lines) {
            expect({ line, isWide: Bun.stringWidth(line) > COLUMNS }).toEqual({
              line,
              isWide: false,
            });
            expect(line).not.toMatch(/\d\d:\d\d:\d\d\.\d/);
          }
        }
        for (const each of copied) expect(`${tables.flat().join(" \n")} `).toContain(each);
      }
    });
  }

  test("help has no line that is wider, and every word of it", async () => {
    for (const words of ["", ...COMMANDS.map((command) => command.words)]) {
      const argv = [...words.split(" ").filter((word) => word !== ""), "--help"];
      const fitted = await screen(argv, { columns: COLUMNS });
      for (const line of fitted.split("\n")) {
        expect({ line, isWide: Bun.stringWidth(line) > COLUMNS }).toEqual({ line, isWide: false });
      }
      const whole = await screen(argv, {});
      expect(fitted.split(/\s+/)).toEqual(whole.split(/\s+/));
    }
  });

  test("a pipe gets the same if COLUMNS says how wide lines may be, and whole lines without it", async () => {
    const piped = { environment: { COLUMNS: String(COLUMNS) } };
    for (const argv of [
      ["account", "list"],
      ["feed", "list"],
      ["serve", "--help"],
    ]) {
      expect(await screen(argv, piped)).toBe(await screen(argv, { columns: COLUMNS }));
      const whole = await screen(argv, { environment: { COLUMNS: "none" } });
      expect(Math.max(...whole.split("\n").map((line) => line.length))).toBeGreaterThan(COLUMNS);
    }
  });
});
