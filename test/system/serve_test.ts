import { describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { connect } from "../../src/postgres/client/connect.ts";
import {
  createOperator,
  firstLine,
  linesOf,
  operatorOf,
  runFeedgate,
  spawnFeedgate,
} from "../cli/support.ts";
import { createTestDatabase } from "../support/database.ts";
import { temporaryFolder, usedDataDir } from "../support/folders.ts";
import { whenBusy } from "../support/pace.ts";
import { findProcesses, waitFor } from "../support/processes.ts";
import { TYPED } from "../support/program.ts";
import { type Announced, serveGateway } from "../support/served_gateway.ts";

/** Whether no process of a data directory is left; the server's keeper ends a moment after it. */
function isLeft(dataDir: string): Promise<boolean> {
  return waitFor(() => findProcesses(dataDir).length === 0, 20_000);
}

describe("serve", () => {
  test("serve prints one line with its address, and ends with 0 at SIGINT", async () => {
    const { databaseUrl } = await createOperator({ opensAnew: true });
    const environment = {
      DATABASE_URL: databaseUrl,
      LOG_LEVEL: "warn",
      FEEDGATE_BASEURL: "https://h",
    };
    const child = spawnFeedgate(["serve", "--port", "0"], environment);
    const line = await firstLine(child.stdout);
    // What is nearly a variable of ours is named.
    expect(await firstLine(child.stderr)).toContain("Did you mean FEEDGATE_BASE_URL?");
    const address = /http:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0];
    expect((await fetch(`${address}/readyz`)).status).toBe(200);
    child.kill("SIGINT");
    expect(await child.exited).toBe(0);
    // Nothing more was printed.
    expect((await child.stdout.getReader().read()).done).toBe(true);
  });

  test("serve of a fresh folder says how to make an account and a key in it", async () => {
    const dataDir = await usedDataDir();
    /** What a start says on standard error, up to a text or to its end. */
    const saidBy = async (more: readonly string[], until?: string) => {
      const argv = ["serve", "--port", "0", "--data-dir", dataDir, ...more];
      const child = spawnFeedgate(argv, {});
      await firstLine(child.stdout);
      let said = "";
      const reading = (async () => {
        const decoder = new TextDecoder();
        for await (const chunk of child.stderr) said += decoder.decode(chunk, { stream: true });
      })();
      if (until !== undefined) expect(await waitFor(() => said.includes(until), 20_000)).toBe(true);
      child.kill("SIGTERM");
      expect(await child.exited).toBe(0);
      await reading;
      return linesOf(said);
    };
    // Whoever reads a journal or a container's log must not be able to sign in: no link there.
    const console = [`To sign in to the console, run: ${TYPED} console --data-dir ${dataDir}`];
    for (const more of [[], ["--workers", "1"]]) {
      expect(await saidBy(more, "To sign in")).toEqual([
        "There are no accounts yet. To create one and a key for it, run in another terminal:",
        `  ${TYPED} account create --name NAME --data-dir ${dataDir}`,
        `  ${TYPED} key create --account ID --permission read --data-dir ${dataDir}`,
        expect.stringMatching(/^How to use a key: http:.*\/docs$/),
        `Stop the gateway with Ctrl-C, or in another terminal with: ${TYPED} stop --data-dir ${dataDir}`,
        ...console,
      ]);
    }
    expect(await saidBy(["--json"])).toEqual([]);
    await runFeedgate(["account", "create", "--name", "A", "--data-dir", dataDir], {});
    expect(await saidBy([], "To sign in")).toEqual(console);
    const admin = ["key", "create", "--permission", "admin", "--name", "A"];
    await runFeedgate([...admin, "--data-dir", dataDir], {});
    expect(await saidBy([])).toEqual([]);
  });

  test("serve on all addresses prints one that works, and warns if clients elsewhere do not get theirs", async () => {
    const { databaseUrl } = await createOperator({ opensAnew: true });
    const servedOn = async (environment: Record<string, string>) => {
      const { child, baseUrl } = await serveGateway(["serve", "--host", "0.0.0.0"], {
        DATABASE_URL: databaseUrl,
        LOG_LEVEL: "warn",
        ...environment,
      });
      const status = baseUrl.includes("127.0.0.1") && (await fetch(`${baseUrl}/readyz`)).status;
      child.kill("SIGTERM");
      return { baseUrl, status, warnings: linesOf(await new Response(child.stderr).text()) };
    };
    expect(await servedOn({})).toEqual({
      baseUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      status: 200,
      warnings: [expect.stringContaining("FEEDGATE_BASE_URL is not set")],
    });
    const known = await servedOn({ FEEDGATE_BASE_URL: "https://feeds.example.com" });
    expect(known).toEqual({ baseUrl: "https://feeds.example.com", status: false, warnings: [] });
  });

  test("serve --json prints one JSON value; at SIGTERM, requests in flight are answered before it ends with 0", async () => {
    const { databaseUrl } = await createOperator({ opensAnew: true });
    const argv = ["serve", "--port", "0", "--json"];
    const child = spawnFeedgate(argv, { DATABASE_URL: databaseUrl });
    const { base_url: baseUrl, port } = JSON.parse(await firstLine(child.stdout));
    expect(baseUrl).toBe(`http://127.0.0.1:${port}`);
    const answers = Array.from({ length: 50 }, () => fetch(`${baseUrl}/readyz`));
    await Promise.race(answers);
    child.kill("SIGTERM");
    for (const answer of await Promise.all(answers)) expect([200, 503]).toContain(answer.status);
    expect(await child.exited).toBe(0);
    expect((await child.stdout.getReader().read()).done).toBe(true);
  });

  test("a drain that can't end is over within 10 seconds", async () => {
    const { url, address } = await createTestDatabase();
    const operator = operatorOf(url, { opensAnew: true });
    const account = (await operator.json("account", "create", "--name", "A")) as { id: string };
    const order = ["key", "create", "--account", account.id, "--permission", "read"];
    const { key } = (await operator.json(...order)) as { key: string };
    const { child, baseUrl } = await serveGateway(["serve"], { DATABASE_URL: url });
    const sql = connect(address, { connectionsMax: 1, statementTimeoutMs: 0 });
    await sql`begin`;
    await sql`select from accounts for update`;
    const answer = fetch(`${baseUrl}/v1/account`, { headers: { "x-api-key": key } }).catch(
      () => {},
    );
    await Bun.sleep(200);
    const startedMs = performance.now();
    child.kill("SIGTERM");
    await child.exited;
    expect(performance.now() - startedMs).toBeLessThan(whenBusy(10_000));
    await answer;
    await sql.end();
  });

  test("serve on a port in use prints one line and ends with 1", async () => {
    const { databaseUrl } = await createOperator({ opensAnew: true });
    const taken = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
    const argv = ["serve", "--port", String(taken.port)];
    const child = spawnFeedgate(argv, { DATABASE_URL: databaseUrl });
    expect(await child.exited).toBe(1);
    const lines = linesOf(await new Response(child.stderr).text());
    expect(lines).toEqual([expect.stringContaining("in use")]);
    taken.stop(true);
  });

  test("serve on a host or a folder that can't be used prints one line that says so", async () => {
    const { databaseUrl } = await createOperator({ opensAnew: true });
    const file = join(temporaryFolder(), "file");
    await Bun.write(file, "");
    const environment = { DATABASE_URL: databaseUrl };
    for (const [argv, given, code, line] of [
      [["--host", "no.such.host.invalid"], environment, 2, "HOST must be"],
      [["--host", "256.1.1.1"], environment, 2, "HOST must be"],
      [["--host", "fe80::1"], environment, 2, "HOST must be"],
      // It may come to the machine later, so the service is started again.
      [["--host", "192.0.2.1"], environment, 1, "HOST must be"],
      [["--host", "not a host", "--workers", "2"], environment, 2, "HOST must be"],
      [["--data-dir", file], {}, 1, "can't be used"],
    ] as const) {
      const child = spawnFeedgate(["serve", "--port", "0", ...argv], given);
      expect([argv, await child.exited]).toEqual([argv, code]);
      const lines = linesOf(await new Response(child.stderr).text());
      expect(lines).toEqual([expect.stringContaining(line)]);
    }
  });

  test("the embedded database is started, joined by commands, and stopped with its last user", async () => {
    const dataDir = await usedDataDir();
    const served = await serveGateway(["serve", "--data-dir", dataDir], {});
    const run = async (...argv: string[]) =>
      JSON.parse((await runFeedgate([...argv, "--json", "--data-dir", dataDir], {})).stdout);
    const account = await run("account", "create", "--name", "Acme");
    const key = await run("key", "create", "--account", account.id, "--permission", "read");
    const { baseUrl } = served;
    const answer = await fetch(`${baseUrl}/v1/account`, { headers: { "x-api-key": key.key } });
    expect(await answer.json()).toMatchObject({ id: account.id });
    await served.stop();
    expect(await isLeft(dataDir)).toBe(true);
    // On its own it starts the database for itself, and stops it.
    expect(await run("account", "list")).toMatchObject([{ id: account.id }]);
    expect(await isLeft(dataDir)).toBe(true);
  });

  test("a link to the console leads to the gateway that serves from the folder, whatever its port", async () => {
    const dataDir = await usedDataDir();
    const environment = { FEEDGATE_ADMIN_PORT: "0" };
    const linkOf = async (...argv: string[]) => {
      const command = ["console", ...argv, "--json", "--data-dir", dataDir];
      const { url } = JSON.parse((await runFeedgate(command, {})).stdout) as { url: string };
      return url;
    };
    const argv = ["account", "create", "--name", "Acme", "--data-dir", dataDir];
    await runFeedgate(argv, {});
    for (const given of [{}, environment]) {
      const served = await serveGateway<Announced & { readonly admin_port?: number }>(
        ["serve", "--data-dir", dataDir],
        given,
      );
      const { base_url: baseUrl, admin_port: adminPort } = served.announced;
      const links = [
        [await linkOf(), adminPort === undefined ? baseUrl : `http://127.0.0.1:${adminPort}`],
        [await linkOf("--account", "Acme", "--permission", "read"), baseUrl],
      ] as const;
      for (const [link, root] of links) {
        expect(link).toStartWith(`${root}/console/link/`);
        expect((await fetch(link)).status).toBe(200);
      }
      await served.stop();
    }
    expect(await linkOf()).toStartWith("http://127.0.0.1:3000/console/link/");
    expect(readdirSync(dataDir).filter((name) => name.startsWith("gateway"))).toEqual([]);
  });

  test("a signal to serve while the database starts leaves nothing behind", async () => {
    for (const delayMs of [50, 400]) {
      const dataDir = temporaryFolder();
      const child = spawnFeedgate(["serve", "--port", "0", "--data-dir", dataDir], {});
      await Bun.sleep(delayMs);
      child.kill("SIGTERM");
      // Before the handlers are there the signal ends it by itself: 143.
      expect([0, 143]).toContain(await child.exited);
      expect(await isLeft(dataDir)).toBe(true);
    }
  });
});
