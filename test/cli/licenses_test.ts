import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { noticesText, withoutNotice } from "../../src/build/notices.ts";
import type { Notice } from "../../src/cli/commands/licenses_command.ts";
import { VERSION } from "../../src/lib/program_version.ts";
import { temporaryFolder } from "../support/folders.ts";
import { runFeedgate } from "./support.ts";

const ROOT = resolve(import.meta.dir, "../..");

describe("licenses", () => {
  test("each package that is bundled has a notice, and no other", async () => {
    const written = readFileSync(join(ROOT, "src/cli/generated/notices.json"), "utf8");
    // If it is stale: bun run generate.
    expect(written).toBe(await noticesText());
  });

  test("the command prints the terms of all parts, also in a folder without a database", async () => {
    const environment = { FEEDGATE_DATA_DIR: join(temporaryFolder(), "none") };
    const { code, stdout, stderr } = await runFeedgate(["licenses"], environment);
    expect([code, stderr]).toEqual([0, ""]);
    const parts = [
      `feedgate ${VERSION} (MIT)`,
      "elysia 1.4.30",
      `Bun ${Bun.version}`,
      "PostgreSQL 18.",
      "OpenSSL",
    ];
    for (const part of parts) expect(stdout).toContain(`\n${part}`);
    expect(stdout).toContain("GNU LIBRARY GENERAL PUBLIC LICENSE");
    expect(stdout).toContain("The PostgreSQL Global Development Group");
    const json = await runFeedgate(["licenses", "--json"], environment);
    const notices: Notice[] = JSON.parse(json.stdout);
    expect(notices.length).toBeGreaterThan(40);
    for (const { name, license, text } of notices) {
      expect([name, license === "undefined", text.length > 60]).toEqual([name, false, true]);
    }
  });

  test("a library of PostgreSQL's package that nobody knows the terms of stops the build", () => {
    const known = [
      "bin/postgres",
      "lib/libpq.so.5.18",
      "lib/libicudata.so.60.2",
      "lib/postgresql/pg_trgm.so",
      "share/timezone/UTC",
    ];
    expect(withoutNotice([...known, "lib/libnew.so.1", "bin/new"])).toEqual([
      "lib/libnew.so.1",
      "bin/new",
    ]);
  });
});
