/** Files of 2 GB by the command: one clear line, and memory that does not grow with the file. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Environment, linesOf, runProcess } from "../cli/support.ts";
import { temporaryFolder, usedDataDir } from "../support/folders.ts";
import { PROGRAM } from "../support/program.ts";
import { type ServedGateway, serveGateway } from "../support/served_gateway.ts";

const FILE_BYTES = 2 * 1_024 ** 3;
const IMPORT_BYTES = 1_024 ** 3;
const LINE_BYTES = 100_000;
/** A process that held the file, or the part of it that an import may have, would have far more. */
const MEMORY_BYTES_MAX = 600 * 1_024 ** 2;

const folder = temporaryFolder();
let gateway: ServedGateway;
let environment: Environment;

beforeAll(async () => {
  const dataDir = await usedDataDir();
  gateway = await serveGateway(["serve", "--data-dir", dataDir], {});
  const command = async (...argv: string[]) => {
    const { code, stdout, stderr } = await runProcess(
      [...argv, "--json", "--data-dir", dataDir],
      {},
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    return JSON.parse(stdout);
  };
  const { id } = await command("account", "create", "--name", "Provider");
  const { key } = await command("key", "create", "--account", id, "--permission", "write");
  environment = { FEEDGATE_URL: gateway.baseUrl, FEEDGATE_KEY: key };
  for (const type of ["collection", "stream"]) {
    const made = await fetch(`${gateway.baseUrl}/v1/provider/feed/create`, {
      method: "POST",
      headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
      body: JSON.stringify({ name: type, endpoint_path: `large-${type}`, feed_type: type }),
    });
    expect(made.status).toBe(201);
  }
});
afterAll(() => gateway.stop());

/** The most memory that a process ever had; undefined where Linux does not tell. */
function peakBytes(pid: number): number | undefined {
  const status = `/proc/${pid}/status`;
  if (!existsSync(status)) return undefined;
  const [, kilobytes] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(status, "latin1")) ?? [];
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1_024;
}

test("rows that come without an end are refused at the limit of an import, whatever the file's size", async () => {
  const child = Bun.spawn([...PROGRAM, "push", "large-stream", "-", "--format", "ndjson"], {
    env: { PATH: process.env.PATH, ...environment } as Record<string, string>,
    stdin: "pipe",
    stdout: "pipe",
    stderr: "pipe",
  });
  // A stream skips an event that it has, so nothing is stored but the first one.
  const line = Buffer.from(`{"id":1${" ".repeat(LINE_BYTES)}}\n`);
  let childPeak = 0;
  let sent = 0;
  const isRunning = () => child.exitCode === null && child.signalCode === null;
  while (isRunning() && sent < FILE_BYTES) {
    child.stdin.write(line);
    sent += line.length;
    // The pipe has closed when the command has ended.
    await Promise.resolve(child.stdin.flush()).catch(() => {});
    childPeak = Math.max(childPeak, peakBytes(child.pid) ?? 0);
  }
  await Promise.resolve(child.stdin.end()).catch(() => {});
  expect(await child.exited).toBe(1);
  const said = linesOf(await new Response(child.stderr).text());
  expect(said).toEqual([
    expect.stringContaining(`The file is larger than the import limit of ${IMPORT_BYTES} bytes.`),
  ]);
  expect(await new Response(child.stdout).text()).toBe("");
  expect(childPeak).toBeLessThan(MEMORY_BYTES_MAX);
  expect(peakBytes(gateway.child.pid) ?? 0).toBeLessThan(MEMORY_BYTES_MAX);
}, 600_000);

for (const [extension, message] of [
  ["ndjson", "line 1: the line is longer than"],
  ["csv", "line 1: the record is larger than a row may be"],
  ["json", "exceeds 256 MB, the limit for a JSON file"],
] as const) {
  test(`2 GB of zeros named ${extension} are refused at their beginning`, async () => {
    const path = join(folder, `large.${extension}`);
    writeFileSync(path, "");
    truncateSync(path, FILE_BYTES);
    const { code, stdout, stderr } = await runProcess(
      ["push", "large-collection", path],
      environment,
    );
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(linesOf(stderr)).toEqual([expect.stringContaining(message)]);
  });
}
