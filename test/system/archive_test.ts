import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { connect } from "../../src/postgres/client/connect.ts";
import { startEmbedded } from "../../src/postgres/embedded/start.ts";
import { runProcess } from "../cli/support.ts";
import { temporaryFolder, usedDataDir } from "../support/folders.ts";
import { waitFor } from "../support/processes.ts";
import { type ServedGateway, serveGateway } from "../support/served_gateway.ts";

/** For a segment of WAL to be copied. */
const COPIED_MS_MAX = 30_000;
const READERS = 2;
/** So that they stay below the limit of reads. */
const READ_EVERY_MS = 500;

const files = temporaryFolder();
/** Each character of it means something to a shell, or to PostgreSQL's settings. */
const archive = join(files, `it's "100%" $HOME; archived`);
let source: string;
let serving: ServedGateway;
let reader: string;
let readKey: string;
let writeKey: string;
let feedId: string;

/** In a process of its own, since one process refuses two databases of one origin as a primary and its successor. */
async function run(dataDir: string, ...argv: string[]) {
  return runProcess([...argv, "--data-dir", dataDir], {});
}

async function json<Value>(dataDir: string, ...argv: string[]): Promise<Value> {
  const { stdout, stderr, code } = await run(dataDir, ...argv, "--json");
  expect([code, stderr]).toEqual([0, ""]);
  return JSON.parse(stdout) as Value;
}

/** What a command says when it is refused. */
async function refusal(dataDir: string, ...argv: string[]): Promise<string> {
  const { stderr, code } = await run(dataDir, ...argv);
  expect(code).toBe(1);
  return stderr.trim();
}

function serve(dataDir: string): Promise<ServedGateway> {
  return serveGateway(["serve", "--data-dir", dataDir], {});
}

async function push(rows: readonly object[]): Promise<void> {
  const response = await fetch(`${serving.baseUrl}/v1/provider/feed/${feedId}/push`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Authorization: `Bearer ${writeKey}` },
    body: JSON.stringify({ payload: rows }),
  });
  expect(response.status).toBe(200);
}

async function read(baseUrl: string) {
  const response = await fetch(`${baseUrl}/v1/feed/kept`, { headers: { "x-api-key": readKey } });
  expect(response.status).toBe(200);
  const etag = response.headers.get("etag");
  const body = (await response.json()) as {
    readonly data: readonly { readonly id: number }[];
    readonly _origin: { readonly usage_id: string };
  };
  return { etag, ids: body.data.map(({ id }) => id), usageId: body._origin.usage_id };
}

/** Ends the segment that PostgreSQL writes to, and waits until it is in the archive. */
async function copyWal(): Promise<void> {
  const server = await startEmbedded({ dataDir: source });
  const sql = connect(server, { connectionsMax: 1, statementTimeoutMs: 0 });
  try {
    const [row] = await sql`select pg_walfile_name(pg_switch_wal()) as name`;
    const isCopied = () => readdirSync(join(archive, "wal")).includes(`${row?.name}.gz`);
    expect(await waitFor(async () => isCopied(), COPIED_MS_MAX)).toBe(true);
  } finally {
    await sql.end();
    await server.stop();
  }
}

async function usageIds(dataDir: string, accountId: string): Promise<string> {
  return (await run(dataDir, "usage", "export", "--account", accountId)).stdout;
}

beforeAll(async () => {
  source = await usedDataDir();
  const account = async (name: string) =>
    (await json<{ id: string }>(source, "account", "create", "--name", name)).id;
  const key = async (id: string, permission: string) => {
    const words = ["key", "create", "--account", id, "--permission", permission];
    return (await json<{ key: string }>(source, ...words)).key;
  };
  writeKey = await key(await account("Ann"), "write");
  // Reads that are paid have the higher limit.
  reader = await account("Bob");
  readKey = await key(reader, "read");
  await json(
    source,
    ...["credits", "grant", "--account", reader, "--usd", "5", "--reason", "test"],
  );
  expect(await json<object>(source, "archive", "start", archive)).toMatchObject({
    base: expect.any(String),
  });
  serving = await serve(source);
  const made = await fetch(`${serving.baseUrl}/v1/provider/feed/create`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Authorization: `Bearer ${writeKey}` },
    body: JSON.stringify({ name: "Kept", endpoint_path: "kept", price_per_1k: 1 }),
  });
  feedId = ((await made.json()) as { id: string }).id;
});
afterAll(() => serving?.child.kill("SIGKILL"));

describe("an archived database", () => {
  test("has every usage id that was archived after its disk is lost, and any moment before", async () => {
    await push([{ id: 1 }]);
    const before = await read(serving.baseUrl);
    await Bun.sleep(1_000);
    const moment = new Date().toISOString();
    await Bun.sleep(1_000);
    // A base backup while agents read, from which the restore begins; the moment needs the first one.
    let isOver = false;
    const seen: string[] = [];
    const reading = Array.from({ length: READERS }, async () => {
      while (!isOver) {
        seen.push((await read(serving.baseUrl)).usageId);
        await Bun.sleep(READ_EVERY_MS);
      }
    });
    await push([{ id: 2 }]);
    await json(source, "archive", "base");
    isOver = true;
    await Promise.all(reading);
    await push([{ id: 3 }]);
    seen.push((await read(serving.baseUrl)).usageId);
    await copyWal();
    serving.child.kill("SIGKILL");
    await serving.child.exited;
    // Its PostgreSQL ends by itself, and removes files as well.
    const hasEnded = () => !existsSync(join(source, "pg18", "postmaster.pid"));
    expect(await waitFor(hasEnded, COPIED_MS_MAX)).toBe(true);
    rmSync(source, { recursive: true });

    const target = join(files, "target");
    await json(target, "restore", archive);
    const logged = await usageIds(target, reader);
    expect(seen.length).toBeGreaterThan(READERS);
    expect(seen.filter((each) => !logged.includes(each))).toEqual([]);
    expect((await run(target, "doctor")).stdout).toMatch(/^ok +ledgers/m);
    serving = await serve(target);
    const after = await read(serving.baseUrl);
    expect(after.ids.toSorted()).toEqual([1, 2, 3]);
    await push([{ id: 4 }]);
    await serving.stop();
    // It is not archived itself, until it is.
    expect(await refusal(target, "archive", "base")).toContain("has no archive");
    const second = join(files, "second");
    await json(target, "archive", "start", second);
    await json(target, "account", "create", "--name", "Cid");
    const again = join(files, "again");
    await json(again, "restore", second);
    expect((await run(again, "account", "list")).stdout).toContain("Cid");

    const then = join(files, "then");
    await json(then, "restore", archive, "--until", moment);
    serving = await serve(then);
    const found = await read(serving.baseUrl);
    expect(found.ids).toEqual([1]);
    // Another incarnation, although it has the same rows.
    expect(found.etag).not.toBe(before.etag);
    expect(await usageIds(then, reader)).toContain(before.usageId);
  });

  test("is not restored from what lacks a part, or to a moment that the archive does not have", async () => {
    const fresh = () => join(files, Bun.randomUUIDv7());
    for (const [until, said] of [
      ["2020-01-01", /starts at 20.*choose a later time/],
      ["2099-01-01", /the archive ends before 2099/],
    ] as const) {
      expect(await refusal(fresh(), "restore", archive, "--until", until)).toMatch(said);
    }
    expect(await refusal(join(files, "target"), "restore", archive)).toContain(
      "already contains a database",
    );
    // An interrupted base backup.
    mkdirSync(join(archive, "bases", "2099-01-01T00-00-00.000Z.part"));
    await json(fresh(), "restore", archive);
    const wal = join(archive, "wal");
    const segments = readdirSync(wal).filter((name) => /^[0-9A-F]{24}\.gz$/.test(name));
    const lost = segments.toSorted().at(-2) ?? "";
    renameSync(join(wal, lost), join(files, lost));
    expect(await refusal(fresh(), "restore", archive)).toContain(
      `${lost}, which the restore needs, is missing`,
    );
    renameSync(join(files, lost), join(wal, lost));
    const none = join(files, "none");
    for (const name of ["bases", "wal"]) mkdirSync(join(none, name), { recursive: true });
    expect(await refusal(fresh(), "restore", none)).toContain("no complete base backup");
    const backup = join(files, "a.backup");
    writeFileSync(backup, "");
    const wrong = await run(fresh(), "restore", backup, "--until", "2026-01-01");
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining("--until requires")]);
  });

  test("is made and restored by the commands of the guide", async () => {
    const guide = await Bun.file(
      join(import.meta.dir, "../../src/docs/guides/operators.md"),
    ).text();
    const section = guide.slice(
      guide.indexOf("\n### Archive\n"),
      guide.indexOf("Back up your own"),
    );
    const lines = section.match(/^feedgate .*/gm) ?? [];
    expect(lines).toHaveLength(3);
    const dataDir = await usedDataDir();
    const folder = temporaryFolder();
    const until = async () => {
      await Bun.sleep(1_000);
      const moment = new Date().toISOString();
      await Bun.sleep(1_000);
      await json(dataDir, "account", "create", "--name", "Dan");
      return moment;
    };
    for (const line of lines) {
      const [, ...words] = line.replace(/ &&$/, "").split(" ");
      const moment = line.includes("--until") ? await until() : "";
      const argv = words.map((word) =>
        word
          .replace("/var/backups", folder)
          .replace(/^\/var\/lib\/feedgate$/, dataDir)
          .replace("/var/lib", folder)
          .replace(/^2026-.*Z$/, moment),
      );
      const { code, stderr } = await runProcess(argv, {});
      expect([line, code, stderr]).toEqual([line, 0, ""]);
    }
    const accounts = await run(join(folder, "feedgate-restored"), "account", "list");
    expect(accounts.stdout).not.toContain("Dan");
  });

  test("keeps as many base backups as asked, and the WAL that they need", async () => {
    const dataDir = await usedDataDir();
    const own = join(files, "own");
    await json(dataDir, "archive", "start", own);
    expect(await refusal(dataDir, "archive", "start", own)).toContain("is not empty");
    const { base } = await json<{ base: string }>(dataDir, "archive", "base", "--keep", "1");
    expect(readdirSync(join(own, "bases"))).toEqual([base]);
    const restored = join(files, "restored");
    await json(restored, "restore", own);
    await json(dataDir, "archive", "stop");
    expect(await refusal(dataDir, "archive", "base")).toContain("has no archive");
    expect(await refusal(dataDir, "archive", "stop")).toContain("has no archive");
  });

  test.skipIf(process.getuid?.() !== 0)(
    "is not begun in a folder that PostgreSQL's account can't reach (for root only)",
    async () => {
      const dataDir = await usedDataDir();
      const hidden = join(files, "hidden");
      mkdirSync(hidden, { mode: 0o700 });
      const own = join(hidden, "own");
      expect(await refusal(dataDir, "archive", "start", own)).toContain("can't copy its WAL");
      expect(await refusal(dataDir, "archive", "base")).toContain("has no archive");
      chmodSync(hidden, 0o755);
      await json(dataDir, "archive", "start", own);
    },
  );

  test("is not well while its WAL can't be copied", async () => {
    const dataDir = await usedDataDir();
    const own = join(files, "closed");
    await json(dataDir, "archive", "start", own);
    const gateway = await serve(dataDir);
    expect(await refusal(dataDir, "archive", "start", join(files, "other"))).toContain(
      "is using the",
    );
    const health = async () => {
      const { stdout } = await run(dataDir, "doctor", "--json");
      const { checks } = JSON.parse(stdout) as { checks: { name: string; health: string }[] };
      return checks.find(({ name }) => name === "archive")?.health;
    };
    expect(await health()).toBe("ok");
    renameSync(join(own, "wal"), join(own, "away"));
    mkdirSync(join(own, "wal"));
    chmodSync(join(own, "wal"), 0o555);
    expect(await refusal(dataDir, "archive", "base")).toContain("can't copy its WAL");
    expect(readdirSync(join(own, "bases"))).toHaveLength(1);
    expect(await health()).toBe("bad");
    const metrics = await (await fetch(`${gateway.baseUrl}/metrics`)).text();
    expect(metrics).toContain("\nfeedgate_wal_archive_failing 1\n");
    rmSync(join(own, "wal"), { recursive: true });
    renameSync(join(own, "away"), join(own, "wal"));
    await json(dataDir, "archive", "base");
    expect(await health()).toBe("ok");
    await gateway.stop();
  });
});
