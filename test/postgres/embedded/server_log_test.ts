import { expect, test } from "bun:test";
import { appendFileSync, closeSync, openSync, readFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { emptyLog } from "../../../src/postgres/embedded/server_log.ts";
import { temporaryFolder } from "../../support/folders.ts";

test("a long log is put aside while its server writes, and the server writes on from its beginning", () => {
  const log = join(temporaryFolder(), "postgres.log");
  const server = openSync(log, "a");
  writeSync(server, "short\n");
  emptyLog(log, 10);
  expect(readFileSync(log, "utf8")).toBe("short\n");
  for (const word of ["first", "second"]) {
    writeSync(server, `${word} long line\n`);
    const before = readFileSync(log, "utf8");
    emptyLog(log, 10);
    expect(readFileSync(log, "utf8")).toBe("");
    expect(readFileSync(`${log}.1`, "utf8")).toBe(before);
  }
  writeSync(server, "next\n");
  expect(readFileSync(log, "utf8")).toBe("next\n");
  closeSync(server);
  // Another one is made at once, as by a user of the server that did the same.
  appendFileSync(log, "and some more\n");
  emptyLog(log, 10);
  expect(readFileSync(`${log}.1`, "utf8")).toBe("next\nand some more\n");
});
