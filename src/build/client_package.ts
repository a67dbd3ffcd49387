/**
 * `bun run build client`: builds the client as an npm package, with JavaScript modules and type declarations.
 *
 * @module
 */
import { copyFileSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Glob } from "bun";

const ROOT = join(import.meta.dir, "../..");
const SOURCES = join(ROOT, "src/client");

/** Node 20, and browsers of its time, support everything that these options emit. */
const COMPILER_OPTIONS = [
  "--target",
  "es2022",
  "--lib",
  "es2023,dom,dom.iterable",
  "--module",
  "nodenext",
  "--rewriteRelativeImportExtensions",
  "--declaration",
  "--strict",
  "--exactOptionalPropertyTypes",
  "--noUncheckedIndexedAccess",
  "--skipLibCheck",
  // Only the types of the language and of browsers.
  "--typeRoots",
  "./none",
];

/** Builds the package in a folder, and replaces what is there. Returns the folder. */
export async function buildClient(folder: string): Promise<string> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const { version, license, description } = JSON.parse(
    readFileSync(join(ROOT, "package.json"), "utf8"),
  );
  const entry = { types: "./mod.d.ts", default: "./mod.js" };
  const info = {
    name: "feedgate",
    version,
    description: `Client of Feedgate. ${description}`,
    license,
    type: "module",
    sideEffects: false,
    keywords: ["agents", "data", "feeds", "feedgate", "json", "mcp", "streams"],
    ...repositoryOf(process.env),
    engines: { node: ">=20" },
    exports: { ".": entry, "./client": entry, "./package.json": "./package.json" },
    files: ["**/*.js", "**/*.d.ts", "examples"],
    publishConfig: { access: "public" },
  };
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(info, null, 2)}\n`);
  copyFileSync(join(ROOT, "LICENSE"), join(folder, "LICENSE"));
  copyFileSync(join(SOURCES, "README.md"), join(folder, "README.md"));
  cpSync(join(SOURCES, "examples"), join(folder, "examples"), { recursive: true });
  const compiler = join(ROOT, "node_modules/typescript/bin/tsc");
  const child = Bun.spawn(
    [process.execPath, compiler, ...COMPILER_OPTIONS, "--outDir", folder, join(SOURCES, "mod.ts")],
    { cwd: folder, stdio: ["ignore", "inherit", "inherit"] },
  );
  if ((await child.exited) !== 0) throw new Error("the client does not compile");
  // The compiler rewrites imports in modules, but not in declarations.
  for (const file of new Glob("**/*.d.ts").scanSync(folder)) {
    const text = readFileSync(join(folder, file), "utf8");
    const rewritten = text.replace(/(?<=["'])(\.\.?\/[\w/]+)\.ts(?=["'])/g, "$1.js");
    writeFileSync(join(folder, file), rewritten);
  }
  return folder;
}

/** The repository, in GitHub's form. npm compares it with the provenance. */
function repositoryOf({ GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: name }: NodeJS.ProcessEnv) {
  if (server === undefined || name === undefined) return {};
  const repository = { type: "git", url: `git+${server}/${name}.git`, directory: "src/client" };
  return { homepage: `${server}/${name}#readme`, repository };
}
