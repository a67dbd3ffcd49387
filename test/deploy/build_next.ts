import { cpSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { VERSION } from "../../src/lib/program_version.ts";
import { nextVersion } from "../release/release.ts";
import { runProgram } from "./run_program.ts";

const ROOT = resolve(import.meta.dir, "../..");
export const NEXT_VERSION = nextVersion(VERSION);

/** Builds an executable of these sources that calls itself by the next version, in a folder. Returns its path. */
export function buildNext(folder: string): string {
  const copy = join(folder, "next");
  for (const name of ["src", "sql", "package.json", "bun.lock", "tsconfig.json", "bunfig.toml"]) {
    cpSync(join(ROOT, name), join(copy, name), { recursive: true });
  }
  symlinkSync(join(ROOT, "node_modules"), join(copy, "node_modules"));
  const path = join(copy, "package.json");
  const text = readFileSync(path, "utf8");
  writeFileSync(path, text.replace(`"version": "${VERSION}"`, `"version": "${NEXT_VERSION}"`));
  runProgram(process.execPath, ["src/build/build.ts"], { cwd: copy });
  return join(copy, "dist/feedgate");
}
