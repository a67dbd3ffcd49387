import { expect, test } from "bun:test";
import { dirname, join, relative } from "node:path";

const SRC = Bun.fileURLToPath(new URL("../../src/", import.meta.url));
/** Statements that are left in the program: types are not. */
const LOADED = /^(?:import|export)(?! type\b)[^;]*?from "([^"]+)"/gm;

test("a command of agents and providers loads neither the server nor the database's driver", async () => {
  const { files, packages } = await loadedFrom("main.ts");
  const servers =
    /^(?:server|app|services)\.ts$|^(?:api|http|admission|jobs|read|mcp|docs|console|site)\//;
  expect(files.filter((path) => servers.test(path))).toEqual([]);
  expect(files.filter((path) => path.startsWith("postgres/client/"))).toEqual([]);
  const installed = packages.filter((name) => !/^(?:node|bun):/.test(name));
  expect(installed).toEqual(["@sinclair/typebox"]);
  // What is loaded is small, whatever it does.
  expect(files.length).toBeLessThan(90);
});

/** What a start loads before the command runs. */
async function loadedFrom(entry: string) {
  const files = new Set<string>();
  const packages = new Set<string>();
  async function visit(path: string): Promise<void> {
    if (files.has(path)) return;
    files.add(path);
    if (!/\.tsx?$/.test(path)) return;
    const text = await Bun.file(join(SRC, path)).text();
    for (const [, name = ""] of text.matchAll(LOADED)) {
      if (name.startsWith(".")) await visit(relative(SRC, join(SRC, dirname(path), name)));
      else packages.add(name);
    }
  }
  await visit(entry);
  return { files: [...files], packages: [...packages] };
}
