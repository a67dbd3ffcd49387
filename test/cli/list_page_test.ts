import { beforeAll, describe, expect, test } from "bun:test";
import { failed, linesOf, startOperatedGateway, UNKNOWN_ID } from "./support.ts";

/** Of each list; more than the default page. */
const ROWS = 103;

let accountId: string;
const { gateway, operator } = await startOperatedGateway();
beforeAll(async () => {
  accountId = await gateway.createAccount({ name: "Has many" });
  // Each statement makes all of its rows at one moment, so that only their ids order them.
  await gateway.sql`
    insert into accounts (name, max_feeds_allowed)
    select 'Account ' || number, 1 from generate_series(1, ${ROWS}::int) as number`;
  await gateway.sql`
    insert into api_keys (account_id, key_hash, key_start, permission)
    select ${accountId}, sha256(number::text::bytea), 'fg_read_page', 'read'
    from generate_series(1, ${ROWS}::int) as number`;
  await gateway.sql`
    insert into feeds (account_id, name, endpoint_path, call_price_nanos)
    select ${accountId}, 'Feed ' || number, 'feed-' || number, 0
    from generate_series(1, ${ROWS}::int) as number`;
  await gateway.sql`
    insert into promotion_codes (code, amount_nanos)
    select 'CODE-' || number, 1 from generate_series(1, ${ROWS}::int) as number`;
  await gateway.sql`
    with entries as (
      insert into credit_ledger (
        account_id, kind, feed_id, amount_nanos, balance_before_nanos, balance_after_nanos, reason
      )
      select account_id, 'purchase', feed_id, 0, 0, 0, 'test' from feeds
      returning entry_id, account_id, feed_id
    )
    insert into purchases (entry_id, account_id, feed_id, price_cents)
    select entry_id, account_id, feed_id, 100 from entries`;
  await gateway.sql`
    with webhook as (
      insert into webhooks (account_id, permission, url, types, sealed_secret)
      values (${accountId}, 'read', 'https://example.com', '{feed.updated}', 'x')
      returning webhook_id
    ),
    told as (
      insert into notices (type, permission, data, spread_at)
      select 'feed.updated', 'read', '{}', now() from generate_series(1, ${ROWS}::int)
      returning notice_id
    )
    insert into webhook_deliveries (webhook_id, notice_id, status, created_at)
    select webhook_id, notice_id, 'failed', now() from webhook, told`;
});

type Id = string | number;
/** What names a row of a list is its first member. */
type Listed = Readonly<Record<string, Id>>;

const LISTS = [
  ["account", "list"],
  ["key", "list", "--account", "Has many"],
  ["feed", "list"],
  ["feed", "list", "--account", "Has many", "--unlisted"],
  ["audit"],
  ["audit", "--account", "Has many"],
  ["promo", "list"],
  ["purchase", "list"],
  ["purchase", "list", "--account", "Has many"],
  ["notice", "list"],
  ["notice", "list", "--account", "Has many"],
] as const;

/** What a list goes on behind: a row's id, and for purchases and deliveries also their time, by which they are ordered. */
function cursorOf(row: Listed): string {
  const id = String(row.purchase_id ?? Object.values(row)[0]);
  const time = row.purchased_at ?? ("webhook_id" in row ? row.created_at : undefined);
  return time === undefined ? id : `${time},${id}`;
}

/** A page's ids, what its last row is gone on behind by, and the cursor that standard error tells. */
async function page(argv: readonly string[]): Promise<{ ids: Id[]; last: string; cursor: string }> {
  const { code, stdout, stderr } = await operator.run([...argv, "--json"]);
  expect(code).toBe(0);
  const match = /^feedgate: for more, run .* --after (\S+)\n$/.exec(stderr);
  if (match === null) expect(stderr).toBe("");
  const rows: Listed[] = JSON.parse(stdout);
  return {
    ids: rows.map((row) => Object.values(row)[0] as Id),
    last: cursorOf(rows.at(-1) ?? {}),
    cursor: match?.[1] ?? "",
  };
}

async function walk(argv: readonly string[], limit: string): Promise<Id[][]> {
  const pages: Id[][] = [];
  for (let after: string[] = []; ; ) {
    const { ids, cursor } = await page([...argv, "--limit", limit, ...after]);
    pages.push(ids);
    if (cursor === "") return pages;
    after = ["--after", cursor];
  }
}

describe("a list", () => {
  for (const argv of LISTS) {
    test(`${argv.join(" ")}: its pages give every row once, in the order of the whole`, async () => {
      const whole = await page([...argv, "--limit", "1000"]);
      expect(whole.cursor).toBe("");
      expect(whole.ids.length).toBeGreaterThanOrEqual(ROWS);
      expect(new Set(whole.ids).size).toBe(whole.ids.length);
      const pages = await walk(argv, "60");
      expect(pages.length).toBe(Math.ceil(whole.ids.length / 60));
      expect(pages.flat()).toEqual(whole.ids);
    });

    test(`${argv.join(" ")}: without --limit it gives 100 rows, and says that there are more`, async () => {
      const first = await page(argv);
      expect(first.ids).toHaveLength(100);
      expect(first.cursor).toBe(first.last);
      const readable = await operator.run(argv);
      expect(linesOf(readable.stdout)).toHaveLength(101);
      expect(linesOf(readable.stderr)).toEqual([
        expect.stringContaining(`--after ${first.cursor}`),
      ]);
    });

    test(`${argv.join(" ")}: a wrong --limit is exit code 2`, async () => {
      for (const limit of ["0", "-1", "1001", "1.5", "1e2", "ten", "", "9".repeat(400)]) {
        const run = await operator.run([...argv, "--limit", limit]);
        failed(run, 2, "--limit must be an integer from 1 to 1000");
      }
    });
  }

  test("whose last page is full does not say that there are more", async () => {
    const { ids } = await page(["key", "list", "--account", "Has many", "--limit", "103"]);
    expect(ids).toHaveLength(ROWS);
    const { cursor } = await page(["key", "list", "--account", "Has many", "--limit", "102"]);
    expect(cursor).not.toBe("");
  });

  test("behind its last row is empty", async () => {
    for (const argv of LISTS) {
      const { last } = await page([...argv, "--limit", "1000"]);
      expect(await page([...argv, "--after", last])).toMatchObject({ ids: [], cursor: "" });
    }
  });

  test("that grows while it is walked shows no row twice, and leaves none out", async () => {
    const argv = ["feed", "list", "--account", "Has many"];
    const before = await page([...argv, "--limit", "1000"]);
    const first = await page([...argv, "--limit", "50"]);
    await gateway.sql`
      insert into feeds (account_id, name, endpoint_path, call_price_nanos)
      values (${accountId}, 'New', 'new', 0)`;
    const rest = await page([...argv, "--limit", "1000", "--after", first.cursor]);
    expect([...first.ids, ...rest.ids]).toEqual(before.ids);
    await gateway.sql`delete from feeds where endpoint_path = 'new'`;
  });

  test("goes on behind whatever names such a thing", async () => {
    const [one, two] = (await page(["account", "list"])).ids;
    expect((await page(["account", "list", "--after", "Has many", "--limit", "1"])).ids).toEqual([
      two as string,
    ]);
    expect(one).toBe(accountId);
    const slugs = (await operator.json("feed", "list", "--limit", "1000")) as {
      endpoint_path: string;
    }[];
    const [first, second] = slugs.map((feed) => feed.endpoint_path) as [string, string];
    const { stdout } = await operator.run(["feed", "list", "--after", first, "--limit", "1"]);
    expect(stdout).toContain(` ${second} `);
  });

  test("refuses a cursor that names nothing", async () => {
    for (const [argv, cursor, exitCode] of [
      [["account", "list"], UNKNOWN_ID, 1],
      [["account", "list"], "nobody", 1],
      [["account", "list"], "", 2],
      [["account", "list"], "x".repeat(201), 2],
      [["key", "list", "--account", "Has many"], UNKNOWN_ID, 1],
      [["key", "list", "--account", "Has many"], "fg_read_page", 1],
      [["feed", "list"], "no-such-feed", 1],
      [["audit"], UNKNOWN_ID, 2],
      [["audit"], "0", 2],
      [["audit"], "-1", 2],
      [["audit"], "9".repeat(17), 2],
    ] as const) {
      const run = await operator.run([...argv, "--after", cursor]);
      failed(
        run,
        exitCode,
        exitCode === 1 ? "the cursor must be the value from the previous page" : "--after",
      );
    }
  });
});
