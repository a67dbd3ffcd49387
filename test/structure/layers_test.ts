import { describe, expect, test } from "bun:test";
import { dirname, join, relative } from "node:path";
import { Glob } from "bun";

const SRC = Bun.fileURLToPath(new URL("../../src/", import.meta.url));

/** One another's peers, which may not meet. */
const FEATURES = [
  "read/data",
  "read/metadata",
  "read/catalog",
  "read/stream",
  "read/export",
  "skill",
  "push",
  "routes/operator",
  "routes/provider",
  "routes/consumer",
  "routes/webhook_routes.ts",
  "pages/public",
  "pages/docs",
  "pages/console",
  "oauth",
  "topups",
];

/** Folders and files at the top, from the top down. Each may import from itself and from lower layers only. */
const LAYERS: readonly (readonly string[])[] = [
  ["main.ts", "build"],
  ["cli"],
  ["workers"],
  ["server.ts"],
  ["app.ts"],
  ["mcp"],
  FEATURES,
  ["consumer", "provider", "access"],
  ["read/pipeline"],
  ["read/projection"],
  ["services.ts"],
  ["jobs", "push/schema", "push/rows"],
  ["notices"],
  ["people"],
  ["api", "pages/layout"],
  ["operator"],
  ["feeds"],
  ["accounts"],
  ["admission"],
  ["people/mail"],
  ["http"],
  ["postgres"],
  ["shapes.ts"],
  ["config.ts"],
  ["limits.ts"],
  // The client is a package of its own: it knows nothing of ours, and only the command knows it.
  ["money"],
  ["lib", "client"],
];

const files = [...new Glob("**/*.{ts,tsx}").scanSync(SRC)].filter(
  (path) => !path.endsWith(".d.ts"),
);

/** The folder of a layer that a file is in. One layer's folder may be in another's. */
function unitOf(path: string): string {
  const [unit = "", part] = path.split("/");
  return LAYERS.flat().includes(`${unit}/${part}`) ? `${unit}/${part}` : unit;
}

function layerOf(unit: string): number {
  return LAYERS.findIndex((units) => units.includes(unit));
}

function importsOf(path: string, text: string): string[] {
  return [...text.matchAll(/(?:from|import)\s+"(\.{1,2}\/[^"]+\.tsx?)"/g)].map((match) =>
    relative(SRC, join(SRC, dirname(path), match[1] as string)),
  );
}

describe("layers", () => {
  test("every file has a layer", () => {
    expect(files.filter((path) => layerOf(unitOf(path)) < 0)).toEqual([]);
  });

  test("imports point down, and features never meet", async () => {
    const wrong: string[] = [];
    for (const path of files) {
      const from = unitOf(path);
      for (const target of importsOf(path, await Bun.file(SRC + path).text())) {
        const to = unitOf(target);
        if (from === to) continue;
        const isUp = layerOf(to) < layerOf(from);
        const isOfClient = to === "client" && from !== "cli";
        const isPeer = FEATURES.includes(from) && FEATURES.includes(to);
        if (isUp || isPeer || isOfClient || from === "client")
          wrong.push(`${path} imports ${target}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  test("no file imports, over however many others, one that imports it", async () => {
    const remaining = new Map<string, readonly string[]>();
    for (const path of files) {
      remaining.set(path, importsOf(path, await Bun.file(SRC + path).text()));
    }
    // A file without imports among the remaining ones is in no circle.
    for (let known = -1; known !== remaining.size; ) {
      known = remaining.size;
      for (const [path, targets] of remaining) {
        if (!targets.some((target) => remaining.has(target))) remaining.delete(path);
      }
    }
    expect([...remaining.keys()]).toEqual([]);
  });

  test("no two files have the same name", () => {
    // The client is a package of its own.
    const names = files
      .filter((path) => !path.startsWith("client/"))
      .map((path) => path.replace(/^.*\//, "").replace(/\.tsx?$/, ""));
    expect(names.filter((name, place) => names.indexOf(name) !== place)).toEqual([]);
  });

  test("every file opens by saying what it decides", async () => {
    const silent: string[] = [];
    for (const path of files) {
      const text = await Bun.file(SRC + path).text();
      if (!/^(#![^\n]*\n)?\/\*\*[\s\S]*?@module[\s\S]*?\*\//.test(text)) silent.push(path);
    }
    expect(silent).toEqual([]);
  });

  test("a file of pages names its JSX by itself, since Bun finds no tsconfig.json from another folder", async () => {
    const firstLine = "/** @jsxImportSource preact */";
    const lacking: string[] = [];
    for (const path of files) {
      if (!path.endsWith(".tsx")) continue;
      if (!(await Bun.file(SRC + path).text()).startsWith(firstLine)) lacking.push(path);
    }
    expect({ firstLine, lacking }).toEqual({ firstLine, lacking: [] });
  });

  test("what a class keeps to itself is private to the language, too", async () => {
    const open: string[] = [];
    for (const path of files) {
      const text = await Bun.file(SRC + path).text();
      if (/^\s+(?:private|protected) /m.test(text)) open.push(path);
    }
    expect(open).toEqual([]);
  });

  test("no lint or type rule is switched off", async () => {
    const off: string[] = [];
    for (const path of files) {
      const text = await Bun.file(SRC + path).text();
      if (/\bas any\b|@ts-ignore|@ts-expect-error|biome-ignore/.test(text)) off.push(path);
    }
    expect(off).toEqual([]);
  });

  test("no file takes an address's pathname for a path, which it is not where the path has a space", async () => {
    const root = join(SRC, "..");
    const encoded: string[] = [];
    for (const path of new Glob("{src,test}/**/*.ts").scanSync(root)) {
      if (path.includes("node_modules")) continue;
      const text = await Bun.file(join(root, path)).text();
      if (/import\.meta\.url\)\s*\.pathname/.test(text)) encoded.push(path);
    }
    expect(encoded).toEqual([]);
  });
});
