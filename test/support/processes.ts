/**
 * Processes of the machine, as `ps` tells them.
 *
 * @module
 */
const POLL_MS = 20;

/** Whether a process lives; one that has ended and is not yet reaped does not. */
export function isRunning(pid: number): boolean {
  const stat = Bun.spawnSync(["ps", "-o", "stat=", "-p", `${pid}`]).stdout.toString();
  return stat.trim() !== "" && !stat.startsWith("Z");
}

/** Those whose command line has all of the texts, by pid. */
export function findProcesses(...texts: readonly string[]): number[] {
  const lines = Bun.spawnSync(["ps", "-eww", "-o", "pid=,args="]).stdout.toString().split("\n");
  return lines
    .filter((line) => texts.every((text) => line.includes(text)))
    .map((line) => Number.parseInt(line, 10));
}

/** Waits until the condition holds, and tells whether it did in time. */
export async function waitFor(
  condition: () => boolean | Promise<boolean>,
  waitMs: number,
): Promise<boolean> {
  const until = Date.now() + waitMs;
  while (!(await condition())) {
    if (Date.now() > until) return false;
    await Bun.sleep(POLL_MS);
  }
  return true;
}
