import { type SpawnSyncOptions, spawnSync } from "node:child_process";

/** Runs a program to its end, with its output shown. @throws if it fails. */
export function runProgram(
  program: string,
  argv: readonly string[],
  options: SpawnSyncOptions = {},
): void {
  const { status, error } = spawnSync(program, argv, { stdio: "inherit", ...options });
  if (status !== 0) throw new Error(`${program} ${argv.join(" ")}: ${error ?? status}`);
}
