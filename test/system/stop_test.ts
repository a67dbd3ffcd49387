import { afterAll, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { typedCommand } from "../../src/lib/own_process.ts";
import { linesOf, refused, runFeedgate, spawnFeedgate } from "../cli/support.ts";
import { temporaryFolder, usedDataDir } from "../support/folders.ts";
import { findProcesses, isRunning, waitFor } from "../support/processes.ts";
import { PROGRAM } from "../support/program.ts";
import { serveGateway } from "../support/served_gateway.ts";

const stop = (dataDir: string, ...more: readonly string[]) =>
  runFeedgate(["stop", "--data-dir", dataDir, ...more], {});

/** The files by which gateways are found. */
const notesIn = (dataDir: string) =>
  readdirSync(dataDir).filter((name) => name.startsWith("gateway-"));

/** Gateways that a test has started: none outlives a test that fails. */
const started: number[] = [];
afterAll(() => {
  for (const pid of started.filter(isRunning)) process.kill(pid);
});

describe("stop", () => {
  test("stop ends a gateway whose parents have gone, and its PostgreSQL; a second stop finds none", async () => {
    const dataDir = await usedDataDir();
    const serve = [...PROGRAM, "serve", "--port", "0"].map((part) => `'${part}'`).join(" ");
    // As npx leaves it behind: the shell that started it is killed, and passes nothing on.
    const shell = Bun.spawn(["sh", "-c", `${serve} & wait`], {
      env: { ...process.env, FEEDGATE_DATA_DIR: dataDir, LOG_LEVEL: "silent" },
      stdout: "ignore",
      stderr: "ignore",
    });
    expect(await waitFor(() => notesIn(dataDir).length > 0, 10_000)).toBe(true);
    shell.kill();
    await shell.exited;
    const pid = Number(/\d+/.exec(notesIn(dataDir)[0] ?? "")?.[0]);
    started.push(pid);
    expect(isRunning(pid)).toBe(true);
    const { code, stdout, stderr } = await stop(dataDir);
    expect([code, stdout, stderr]).toEqual([0, `stopped the gateway with pid ${pid}\n`, ""]);
    expect(isRunning(pid)).toBe(false);
    expect(await waitFor(() => findProcesses(dataDir).length === 0, 20_000)).toBe(true);
    expect((await stop(dataDir, "--json")).stdout).toBe('{"stopped":[]}\n');
    expect((await stop(dataDir)).stdout).toBe(`no gateway is running with ${dataDir}\n`);
  });

  test("stop ends all gateways of a folder, workers included, after the requests in flight", async () => {
    const dataDir = await usedDataDir();
    const environment = { FEEDGATE_DATA_DIR: dataDir };
    const one = await serveGateway(["serve"], environment);
    const several = await serveGateway(["serve", "--workers", "2"], environment);
    const pids = [one.child.pid, several.child.pid];
    started.push(...pids);
    const { stdout } = await stop(dataDir, "--json");
    expect(JSON.parse(stdout).stopped.sort()).toEqual(pids.sort());
    expect([await one.child.exited, await several.child.exited]).toEqual([0, 0]);
    expect(notesIn(dataDir)).toEqual([]);
  });

  test("what a killed gateway has left behind is not taken for one, even if its pid is another's now", async () => {
    const dataDir = await usedDataDir();
    const stranger = Bun.spawn(["sleep", "60"]);
    writeFileSync(join(dataDir, `gateway-${stranger.pid}@${hostname()}.lock`), "");
    expect((await stop(dataDir, "--json")).stdout).toBe('{"stopped":[]}\n');
    expect(isRunning(stranger.pid)).toBe(true);
    stranger.kill();
    expect(notesIn(dataDir)).toEqual([]);
    const child = spawnFeedgate(["serve", "--port", "0"], { FEEDGATE_DATA_DIR: dataDir });
    await waitFor(() => notesIn(dataDir).length > 0, 10_000);
    child.kill("SIGKILL");
    await child.exited;
    expect((await stop(dataDir, "--json")).stdout).toBe('{"stopped":[]}\n');
  });

  test("what only has the name of a gateway's file stops no stop, and one that can't be locked is named", async () => {
    const dataDir = await usedDataDir();
    const named = (pid: number) => join(dataDir, `gateway-${pid}@${hostname()}.lock`);
    mkdirSync(named(1));
    symlinkSync("/nowhere", named(2));
    expect((await stop(dataDir, "--json")).stdout).toBe('{"stopped":[]}\n');
    writeFileSync(
      named(3),
      "a note of somebody else, which is longer than the head of a database\n".repeat(9),
    );
    refused(await stop(dataDir), named(3), "remove the file");
  });

  test("stop refuses a folder without a database, and DATABASE_URL, which has no folder", async () => {
    const empty = temporaryFolder();
    refused(await stop(empty), "no database found", `${typedCommand()} serve`);
    expect(existsSync(join(empty, "pg18"))).toBe(false);
    refused(await runFeedgate(["stop"], { DATABASE_URL: "postgres://127.0.0.1:1/d" }), "SIGTERM");
  });
});

test("a start is logged with the version, and a graceful stop when it begins and when it is over", async () => {
  const dataDir = await usedDataDir();
  const { child } = await serveGateway(["serve"], {
    FEEDGATE_DATA_DIR: dataDir,
    LOG_LEVEL: "info",
  });
  child.kill("SIGTERM");
  const lines = linesOf(await new Response(child.stderr).text());
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({
      level: "info",
      message: expect.stringMatching(/^agents can connect by OAuth only from this machine/),
    }),
    expect.objectContaining({
      level: "info",
      message: "serving",
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    }),
    expect.objectContaining({
      level: "info",
      message: expect.stringMatching(/^stopping/),
      signal: "SIGTERM",
    }),
    expect.objectContaining({ level: "info", message: "stopped" }),
  ]);
});
