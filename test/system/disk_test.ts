/** A gateway whose embedded PostgreSQL has a small disk, which fills up. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type ExportPart, Feedgate, type JsonObject } from "../../src/client/mod.ts";
import { METRICS_TEXT_MS } from "../../src/limits.ts";
import { type Run, runProcess } from "../cli/support.ts";
import { temporaryFolder } from "../support/folders.ts";
import { whenBusy } from "../support/pace.ts";
import { waitFor } from "../support/processes.ts";
import { type ServedGateway, serveGateway } from "../support/served_gateway.ts";

const DISK_BYTES = 256 * 1_024 * 1_024;
const CHUNK = new Uint8Array(1_024 * 1_024);
const RECOVERY_MS_MAX = 20_000;
/** What a file is imported into: less than the file takes with its log and its indexes. */
const ROOM_BYTES = 32 * 1_024 * 1_024;
const FILE_ROWS = 150_000;
const ROWS_AGAIN = 20_000;
/** A gateway gives a feed free so long after it has lost its import. */
const LEASE_MS_MAX = 20_000;
const PRICE_PER_1K = 0.1;
const CREDITS = 1_000_000;

const disk = join(temporaryFolder(), "disk");
mkdirSync(disk);
const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", `size=${DISK_BYTES}`, "tmpfs", disk]);
const IS_MOUNTED = mounted.status === 0;
if (!IS_MOUNTED) console.log("skipped: no file system can be mounted here, which must be small");
// Folders are removed when the file ends, and a mounted one can't be.
process.on("exit", () => spawnSync("umount", ["-l", disk]));

describe.skipIf(!IS_MOUNTED)("a full disk", () => {
  const dataDir = join(disk, "data");
  const filler = join(disk, "filler");
  let gateway: ServedGateway;
  let key: string;
  let writeKey: string;

  const command = (...argv: string[]): Promise<Run> =>
    runProcess([...argv, "--json", "--data-dir", dataDir], {});

  beforeAll(async () => {
    gateway = await serveGateway(["serve", "--data-dir", dataDir], {});
    const keyOf = async (name: string, permission: string) => {
      const account = JSON.parse((await command("account", "create", "--name", name)).stdout);
      const grant = ["--credits", `${CREDITS}`, "--reason", "test"];
      expect((await command("credits", "grant", "--account", account.id, ...grant)).code).toBe(0);
      const made = ["key", "create", "--account", account.id, "--permission", permission];
      return JSON.parse((await command(...made)).stdout).key as string;
    };
    key = await keyOf("Agent", "read");
    writeKey = await keyOf("Provider", "write");
  });
  afterAll(async () => {
    await gateway.stop();
    spawnSync("umount", ["-l", disk]);
  });

  /** As many whole pieces as fit. */
  function fill(): void {
    writeFileSync(filler, "");
    try {
      for (;;) writeFileSync(filler, CHUNK, { flag: "a" });
    } catch (error) {
      expect((error as { code?: string }).code).toBe("ENOSPC");
    }
  }

  /** Frees what was filled, and waits until the gateway is ready again. */
  async function makeRoom(): Promise<void> {
    rmSync(filler);
    const untilMs = performance.now() + whenBusy(RECOVERY_MS_MAX);
    while ((await ready()).status !== 200) {
      expect(performance.now()).toBeLessThan(untilMs);
      await Bun.sleep(100);
    }
  }

  async function metric(name: string): Promise<number> {
    const text = await (await fetch(`${gateway.baseUrl}/metrics`)).text();
    return Number(new RegExp(`^${name} (.*)$`, "m").exec(text)?.[1]);
  }

  const ready = () => fetch(`${gateway.baseUrl}/readyz`);

  test("readyz says that the disk is full, the metrics say how full, and both are well again when there is room", async () => {
    expect((await ready()).status).toBe(200);
    const free = await metric("feedgate_disk_free_bytes");
    expect(free).toBeGreaterThan(CHUNK.length);
    expect(free + (await metric("feedgate_disk_used_bytes"))).toBe(DISK_BYTES);

    fill();
    const response = await ready();
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({
      code: "UNAVAILABLE",
      detail: expect.stringContaining("disk is full"),
    });
    // A text of the metrics serves all who ask within a second.
    const isShown = async () => (await metric("feedgate_disk_free_bytes")) < CHUNK.length;
    expect(await waitFor(isShown, whenBusy(METRICS_TEXT_MS + 1_000))).toBe(true);

    await makeRoom();
    const read = await fetch(`${gateway.baseUrl}/v1/catalog`, { headers: { "x-api-key": key } });
    expect(read.status).toBe(200);
  });

  function post(path: string, body: string, type = "application/json"): Promise<Response> {
    const headers = { Authorization: `Bearer ${writeKey}`, "Content-Type": type };
    return fetch(gateway.baseUrl + path, { method: "POST", headers, body });
  }

  /** A feed with a row; its id. */
  async function createFeed(slug: string, type: "collection" | "stream", price = {}) {
    const fields = { name: slug, endpoint_path: slug, feed_type: type, ...price };
    const made = await post("/v1/provider/feed/create", JSON.stringify(fields));
    expect(made.status).toBe(201);
    const { id } = (await made.json()) as { id: string };
    const pushed = await post(`/v1/provider/feed/${id}/push`, '[{"id":"before"}]');
    expect(pushed.status).toBe(200);
    return id;
  }

  /** The last line of the import's answer; of a refusal before the first row, it as a problem. */
  async function importRows(feedId: string, count: number): Promise<Outcome> {
    const response = await post(
      `/v1/provider/feed/${feedId}/import`,
      Array.from({ length: count }, (_, row) => fileLine(row)).join(""),
      "application/x-ndjson",
    );
    const last = JSON.parse((await response.text()).trimEnd().split("\n").at(-1) ?? "");
    return response.status === 200 ? last : { problem: last };
  }

  /** The receipt of a short file. The gateway may still hold the feed for an import that the full disk ended. */
  async function importWhenFree(feedId: string): Promise<Outcome["receipt"]> {
    const untilMs = performance.now() + whenBusy(LEASE_MS_MAX);
    for (;;) {
      const { receipt, problem } = await importRows(feedId, ROWS_AGAIN);
      if (receipt !== undefined) return receipt;
      expect(["IMPORT_RUNNING", "UNAVAILABLE"]).toContain(problem?.code as string);
      expect(performance.now()).toBeLessThan(untilMs);
      await Bun.sleep(1_000);
    }
  }

  /** Ids of all rows. */
  function idsOf(feedId: string): Promise<unknown[]> {
    return collected(new Feedgate({ url: gateway.baseUrl, key }).exportRows(feedId));
  }

  async function balance(): Promise<number> {
    const response = await fetch(`${gateway.baseUrl}/v1/account`, {
      headers: { "x-api-key": key },
    });
    return ((await response.json()) as { balance: { credits: number } }).balance.credits;
  }

  const fileIds = Array.from({ length: FILE_ROWS }, (_, row) => row);

  test("an import that fills it leaves a collection as it was, and says how far a stream came; both take the file when there is room", async () => {
    const collection = await createFeed("disk-collection", "collection");
    const stream = await createFeed("disk-stream", "stream");
    for (const feedId of [stream, collection]) {
      fill();
      truncateSync(filler, Bun.file(filler).size - ROOM_BYTES);
      const { problem } = await importRows(feedId, FILE_ROWS);
      expect(problem).toMatchObject({ status: 503, code: "UNAVAILABLE" });
      await makeRoom();
      const ids = await idsOf(feedId);
      if (feedId === collection) {
        expect(ids).toEqual(["before"]);
        continue;
      }
      const stored = ids.length - 1;
      expect(ids).toEqual(["before", ...fileIds.slice(0, stored)]);
      expect(stored).toBeGreaterThan(0);
      // The answer to the last part may have been lost with the database.
      expect(stored).toBeGreaterThanOrEqual(problem?.rows_inserted ?? Number.NaN);
    }
    const rows_received = ROWS_AGAIN;
    expect(await importWhenFree(stream)).toMatchObject({ rows_received });
    expect(await importWhenFree(collection)).toMatchObject({
      rows_received,
      rows_inserted: rows_received,
    });
    expect(await idsOf(collection)).toEqual(fileIds.slice(0, ROWS_AGAIN));
    expect((await idsOf(stream)).slice(0, ROWS_AGAIN + 1)).toEqual([
      "before",
      ...fileIds.slice(0, ROWS_AGAIN),
    ]);
  }, 300_000);

  test("exports while it is full give each row once and are charged once, now or when there is room", async () => {
    const price = { price_type: "metered", price_per_1k: PRICE_PER_1K };
    const feedId = await createFeed("disk-export", "collection", price);
    expect(await importWhenFree(feedId)).toMatchObject({ rows_inserted: ROWS_AGAIN });
    const before = await balance();
    let failures = 0;
    const feedgate = new Feedgate({
      url: gateway.baseUrl,
      key,
      retries: 1_000,
      onRetry: () => {
        failures += 1;
      },
    });
    const begun = feedgate.exportRows(feedId);
    const first = (await begun.next()).value?.rows ?? [];
    fill();
    const late = collected(feedgate.exportRows(feedId));
    let isLateDone = false;
    const done = late.finally(() => {
      isLateDone = true;
    });
    const isMet = () => isLateDone || failures > 0;
    expect(await waitFor(isMet, whenBusy(RECOVERY_MS_MAX))).toBe(true);
    const rest = collected(begun);
    await makeRoom();
    expect([...first.map(({ id }) => id), ...(await rest)]).toEqual(fileIds.slice(0, ROWS_AGAIN));
    expect(await done).toEqual(fileIds.slice(0, ROWS_AGAIN));
    // A credit is a millionth of a dollar, and a hundred rows are a call.
    const credits = ((ROWS_AGAIN / 100) * PRICE_PER_1K * 1_000_000) / 1_000;
    expect(before - (await balance())).toBe(2 * credits);
  }, 300_000);
});

async function collected(parts: AsyncIterable<ExportPart<JsonObject>>): Promise<unknown[]> {
  const ids: unknown[] = [];
  for await (const { rows } of parts) ids.push(...rows.map(({ id }) => id));
  return ids;
}

interface Outcome {
  readonly receipt?: Readonly<Record<string, unknown>>;
  readonly problem?: { readonly code?: string; readonly rows_inserted?: number };
}

function fileLine(id: number): string {
  return `${JSON.stringify({ id, filler: "x".repeat(200) })}\n`;
}
