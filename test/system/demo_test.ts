import { beforeAll, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { DEMO_FEEDS, GOLD_BY_YEAR } from "../../src/cli/demo/demo_feeds.ts";
import { pushBodies } from "../../src/cli/demo/fill.ts";
import { LIMITS_DEFAULT } from "../../src/limits.ts";
import { type Connections, connect } from "../../src/postgres/client/connect.ts";
import { firstLine, runFeedgate, spawnFeedgate } from "../cli/support.ts";
import { createTestDatabase } from "../support/database.ts";
import { temporaryFolder, usedDataDir } from "../support/folders.ts";
import { whenBusy } from "../support/pace.ts";
import { type Announced, serveGateway } from "../support/served_gateway.ts";

interface Sheet extends Announced {
  read_key: string;
  write_key: string;
  consumer_account_id: string;
  feeds: { id: string; endpoint_path: string; feed_type: string }[];
  curl: string[];
}

type Environment = Record<string, string>;

/** Runs the demo while `work` looks at it. */
async function withDemo<Result>(
  environment: Environment,
  work: (sheet: Sheet) => Promise<Result>,
): Promise<Result> {
  const demo = await serveGateway<Sheet>(["demo"], environment);
  return await work(demo.announced).finally(demo.stop);
}

/** What a line prints when it is pasted into a shell. */
async function paste(line: string): Promise<Record<string, unknown>> {
  const shell = Bun.spawn(["sh", "-c", line], { stdout: "pipe", stderr: "pipe" });
  const text = await new Response(shell.stdout).text();
  expect(await shell.exited).toBe(0);
  return JSON.parse(text);
}

async function rowCounts(sql: Connections): Promise<Record<string, number>> {
  const rows = await sql`
    select
      feeds.endpoint_path as slug,
      case feeds.feed_type
        when 'singleton' then (
          select count(*) from documents where documents.feed_id = feeds.feed_id
        )
        when 'collection' then (
          select count(*)
          from collection_rows
          where collection_rows.feed_id = feeds.feed_id
            and collection_rows.batch_number = feeds.current_batch
        )
        else (select count(*) from stream_events where stream_events.feed_id = feeds.feed_id)
      end::int as total
    from feeds
    order by feeds.endpoint_path`;
  return Object.fromEntries(rows.map((row) => [row.slug, row.total]));
}

const EXPECTED_COUNTS = Object.fromEntries(
  [...DEMO_FEEDS, GOLD_BY_YEAR].map((feed) => [feed.definition.endpoint_path, feed.rows.length]),
);

describe("demo", () => {
  /** Filled by the first start, and started again by other tests. */
  let dataDir: string;
  let environment: Environment;
  beforeAll(async () => {
    dataDir = await usedDataDir();
    environment = { FEEDGATE_DATA_DIR: dataDir };
  });

  async function operate<Value>(...argv: string[]): Promise<Value> {
    const { code, stdout } = await runFeedgate([...argv, "--json"], environment);
    expect(code).toBe(0);
    return JSON.parse(stdout) as Value;
  }

  test("the demo's curl lines work as printed; another start has the same keys and feeds, and pushes nothing", async () => {
    const feedsNow = () => operate<{ is_public: boolean; last_sync_at: string }[]>("feed", "list");
    const first = await withDemo(environment, async (sheet) => {
      const rows = await feedsNow();
      const [search, metadata, page, follow, push] = sheet.curl as [
        string,
        string,
        string,
        string,
        string,
      ];
      expect(sheet.curl).toHaveLength(5);
      const found = (await paste(search)) as { results: { endpoint_path: string }[] };
      expect(found.results[0]?.endpoint_path).toBe("gold-prices");
      expect(await paste(metadata)).toMatchObject({ price_type: "metered", price_per_1k: 0.001 });
      const second = (await paste(page)) as { data: { id: string }[]; next_cursor: string };
      const airports = DEMO_FEEDS.find((each) => each.definition.endpoint_path === "airports");
      const ids = airports?.rows.map((row) => JSON.parse(row).id as string);
      expect(second.data.map((row) => row.id)).toEqual(ids?.slice(2, 4) as string[]);
      expect(second.next_cursor).toBeTruthy();
      const following = Bun.spawn(["sh", "-c", follow], { stdout: "pipe", stderr: "pipe" });
      const told = following.stdout.pipeThrough(new TextDecoderStream()).getReader();
      let events = (await told.read()).value ?? "";
      while (!events.includes("id: ")) events += (await told.read()).value ?? "";
      expect(await paste(push)).toMatchObject({ rows_inserted: 1 });
      while (!events.includes("event: rows\n")) events += (await told.read()).value ?? "";
      expect(events).toContain('"id":"my-first-event"');
      following.kill();
      const read = await fetch(`${sheet.base_url}/v1/feed/earthquakes?limit=1`, {
        headers: { "x-api-key": sheet.read_key },
      });
      expect(await read.json()).toMatchObject({ data: [{ id: "my-first-event" }] });
      expect(await paste(push)).toMatchObject({ rows_inserted: 0, rows_duplicate: 1 });
      return { sheet, rows, after: await feedsNow() };
    });
    // One waits for its review.
    const listed = first.rows.filter((row) => row.is_public);
    expect([first.rows.length, listed.length]).toEqual([DEMO_FEEDS.length + 1, DEMO_FEEDS.length]);
    expect(statSync(join(dataDir, "demo-keys.json")).mode & 0o777).toBe(0o600);
    await withDemo(environment, async (sheet) => {
      expect(sheet.feeds).toEqual(first.sheet.feeds);
      expect([sheet.read_key, sheet.write_key]).toEqual([
        first.sheet.read_key,
        first.sheet.write_key,
      ]);
      expect(await feedsNow()).toEqual(first.after);
      const account = await fetch(`${sheet.base_url}/v1/account`, {
        headers: { "x-api-key": sheet.read_key },
      });
      // The day of the demo has read gold prices twelve times, once and not again.
      expect(await account.json()).toMatchObject({ balance: { credits: 9_999_988 } });
    });
  });

  test("its mails are files in the data folder, and it prints the code of each", async () => {
    const { url, ownUrl } = await createTestDatabase();
    const folder = temporaryFolder();
    const demo = spawnFeedgate(["demo", "--port", "0"], {
      DATABASE_URL: url,
      FEEDGATE_DATA_DIR: folder,
    });
    const sql = connect({ url: ownUrl }, { connectionsMax: 1, statementTimeoutMs: 0 });
    await firstLine(demo.stdout);
    // Whatever the subject has, it is one line that a terminal may show.
    const subject = "Your sign-in code is 12345678\r\n\u001b[2J";
    await sql`select queue_mail(null, 'ada@example.com', ${subject}, 'text', '<p>', '10 minutes')`;
    await sql.end();
    const printed = await firstLine(demo.stderr);
    demo.kill("SIGTERM");
    expect(await demo.exited).toBe(0);
    expect(printed).toBe("mail to ada@example.com: Your sign-in code is 12345678 \\u001b[2J");
    const [file = "", ...others] = readdirSync(join(folder, "mail"));
    expect(others).toEqual([]);
    expect(file).toMatch(/^\d{4}-\d\d-\d\dT[\d-]+Z-[0-9a-f-]{36}\.eml$/);
    const mail = readFileSync(join(folder, "mail", file), "utf8");
    expect(mail).toContain("From: Feedgate demo <demo@feedgate.invalid>\n");
    expect(mail).toContain("To: ada@example.com\n");
    expect(statSync(join(folder, "mail", file)).mode & 0o777).toBe(0o600);
  });

  test("a demo that was killed or stopped while it started is finished by the next start", async () => {
    const { url, address } = await createTestDatabase();
    const sql = connect(address, { connectionsMax: 1, statementTimeoutMs: 0 });
    const fresh = { DATABASE_URL: url, FEEDGATE_DATA_DIR: temporaryFolder() };
    for (const [signal, feedCount] of [
      ["SIGKILL", 1],
      ["SIGTERM", 2],
      ["SIGKILL", 3],
    ] as const) {
      const child = spawnFeedgate(["demo", "--port", "0"], fresh);
      while ((await sql`select from feeds`).length < feedCount) await Bun.sleep(1);
      const startedMs = performance.now();
      child.kill(signal);
      expect(await child.exited).toBe(signal === "SIGTERM" ? 0 : 137);
      // The time that a stop may take.
      expect(performance.now() - startedMs).toBeLessThan(whenBusy(10_000));
    }
    await withDemo(fresh, async (sheet) => {
      expect(sheet.feeds).toHaveLength(DEMO_FEEDS.length);
      expect(await rowCounts(sql)).toEqual(EXPECTED_COUNTS);
      const accounts = await sql`select name from accounts order by name`;
      expect(accounts.map((row) => row.name)).toEqual([
        "Atlas Travel",
        "Demo consumer",
        "Demo provider",
        "Harbour Insurance",
        "Ledger Labs",
      ]);
    });
    await sql.end();
  });

  test("the demo has a day of reads, refusals and a purchase, a feed that waits, and balanced ledgers", async () => {
    await withDemo(environment, async (sheet) => {
      const [shown, waiting, purchases, errors, payouts] = await Promise.all([
        operate<{ ledger: object }>("account", "show", sheet.consumer_account_id),
        operate<{ endpoint_path: string; review: string }[]>("feed", "list", "--unlisted"),
        operate<{ endpoint_path: string }[]>("purchase", "list"),
        operate<{ endpoint_path: string; code: string }[]>("report", "errors"),
        operate<{ usd: number }[]>("payout", "list"),
      ]);
      expect(shown.ledger).toMatchObject({ is_balanced: true });
      expect(waiting).toMatchObject([{ endpoint_path: "gold-by-year", review: "waiting" }]);
      expect(purchases).toMatchObject([{ endpoint_path: "territory-names" }]);
      expect(errors).toMatchObject([{ endpoint_path: "gold-by-year", code: "VALIDATION_FAILED" }]);
      expect(payouts).toMatchObject([{ usd: 2 }]);
    });
  });

  test("the demo replaces keys that were lost or revoked", async () => {
    const first = await withDemo(environment, async (sheet) => {
      const keys = await operate<{ id: string; key_start: string }[]>(
        ...["key", "list", "--account", sheet.consumer_account_id],
      );
      const key = keys.find(({ key_start: start }) => sheet.read_key.startsWith(start));
      await operate("key", "revoke", key?.id ?? "");
      return sheet;
    });
    await withDemo(environment, async (sheet) => {
      expect(sheet.write_key).toBe(first.write_key);
      expect(sheet.read_key).not.toBe(first.read_key);
      await paste(sheet.curl[0] as string);
    });
    rmSync(join(dataDir, "demo-keys.json"));
    await withDemo(environment, async (sheet) => {
      expect(sheet.feeds).toEqual(first.feeds);
      expect(sheet.write_key).not.toBe(first.write_key);
    });
  });

  test("a demo starts without feeds that were deleted, and with those that were suspended", async () => {
    const own = { FEEDGATE_DATA_DIR: await usedDataDir() };
    const run = (...argv: string[]) => runFeedgate(argv, own);
    await withDemo(own, async ({ curl }) => expect(curl).toHaveLength(5));
    for (const slug of ["airports", "gold-prices"]) {
      expect((await run("feed", "delete", slug)).code).toBe(0);
    }
    const slugsOf = (sheet: Sheet) => sheet.feeds.map((feed) => feed.endpoint_path);
    await withDemo(own, async (sheet) => {
      expect(slugsOf(sheet)).toEqual(["euro-rates", "earthquakes", "territory-names"]);
      expect(sheet.curl).toHaveLength(3);
      for (const line of [sheet.curl[0], sheet.curl[2]]) await paste(line as string);
    });
    for (const slug of ["earthquakes", "euro-rates"]) {
      expect((await run("feed", "suspend", slug, "--reason", "a complaint")).code).toBe(0);
    }
    await withDemo(own, async (sheet) => expect(slugsOf(sheet)).toHaveLength(3));
  });

  test("what the demo prints for a reader names address, docs, both keys, and five curl lines", async () => {
    const child = spawnFeedgate(["demo", "--port", "0"], environment);
    const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    while (!text.includes("Ctrl-C")) text += (await reader.read()).value ?? "";
    expect(text).toMatch(/Address +http:\/\/127\.0\.0\.1:\d+\n/);
    expect(text).toMatch(/Docs +http:\/\/127\.0\.0\.1:\d+\/docs\n/);
    expect(text).toMatch(/Read key +fg_read_/);
    expect(text).toMatch(/Write key +fg_write_/);
    expect(text.match(/^ {2}curl /gm)).toHaveLength(5);
    child.kill("SIGINT");
    expect(await child.exited).toBe(0);
  });
});

test("the sample of each demo feed is part of a row that the feed has", () => {
  for (const { definition, rows } of DEMO_FEEDS) {
    const parsed = rows.map((row) => JSON.parse(row));
    const { sample_response: sample } = definition;
    const matches = (row: unknown) => {
      try {
        expect(row).toMatchObject(sample as object);
        return true;
      } catch {
        return false;
      }
    };
    expect([definition.endpoint_path, parsed.some(matches)]).toEqual([
      definition.endpoint_path,
      true,
    ]);
  }
});

describe("pushBodies", () => {
  test("pushBodies keeps within any deployment's limits, and loses no row", () => {
    const limits = { ...LIMITS_DEFAULT, rows: 100, requestBodyBytes: 60_000 };
    for (const feed of DEMO_FEEDS) {
      const bodies = pushBodies(feed, limits);
      const payloads = bodies.map((body) => JSON.parse(body).payload);
      if (feed.definition.feed_type !== "singleton") {
        for (const [index, body] of bodies.entries()) {
          expect(Buffer.byteLength(body)).toBeLessThanOrEqual(60_000);
          expect(payloads[index].length).toBeLessThanOrEqual(100);
        }
      }
      expect(payloads.flat().map((row) => JSON.stringify(row))).toEqual(
        feed.rows.map((row) => JSON.stringify(JSON.parse(row))),
      );
    }
  });
});
