import { expect, test } from "bun:test";
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { shellWord, typedCommand } from "../../src/lib/own_process.ts";
import { temporaryFolder } from "../support/folders.ts";

/** A program in a folder. */
function programIn(folder: string, name: string): string {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, name);
  writeFileSync(path, "#!/bin/sh\n");
  chmodSync(path, 0o755);
  return path;
}

test("in a checkout a command is Bun's, and npx fetches Bun where a shell finds none", () => {
  const folder = temporaryFolder();
  const script = { isCompiled: false };
  expect(typedCommand({ ...script, path: folder })).toBe(`npx -y bun@${Bun.version} feedgate`);
  // What npx and Bun put before the PATH is not there in a shell.
  const added = [join(folder, "node_modules/.bin"), join(folder, "bun-node-1a2b3c")];
  for (const each of added) programIn(each, "bun");
  expect(typedCommand({ ...script, path: added.join(":") })).toStartWith("npx -y bun@");
  programIn(folder, "bun");
  expect(typedCommand({ ...script, path: [...added, folder].join(":") })).toBe("bun feedgate");
});

test("an executable is its name where a shell finds it, a link included, else its path", () => {
  const folder = temporaryFolder();
  const execPath = programIn(join(folder, "my tools"), "feedgate");
  const compiled = { isCompiled: true, execPath };
  const bin = join(folder, "bin");
  expect(typedCommand({ ...compiled, path: bin })).toBe(shellWord(execPath));
  programIn(bin, "feedgate");
  expect(typedCommand({ ...compiled, path: bin })).toBe(shellWord(execPath));
  const linked = join(folder, "linked");
  mkdirSync(linked);
  symlinkSync(execPath, join(linked, "feedgate"));
  expect(typedCommand({ ...compiled, path: linked })).toBe("feedgate");
});
