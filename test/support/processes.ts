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

export interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly commandLine: string;
}

/** All of the machine. */
export function listProcesses(): Process[] {
  const { stdout } = Bun.spawnSync(["ps", "-eww", "-o", "pid=,ppid=,args="]);
  return stdout
    .toString()
    .split("\n")
    .flatMap((line) => {
      const [, pid, parent, commandLine = ""] = /^\s*(\d+)\s+(\d+) (.*)$/.exec(line) ?? [];
      return pid === undefined ? [] : { pid: Number(pid), parent: Number(parent), commandLine };
    });
}

/** Those whose pid and command line have all of the texts, by pid. */
export function findProcesses(...texts: readonly string[]): number[] {
  return listProcesses()
    .filter(({ pid, commandLine }) => {
      const line = `${pid} ${commandLine}`;
      return texts.every((text) => line.includes(text));
    })
    .map(({ pid }) => pid);
}

/** Signals processes and the children that they have by one command; one that has ended meanwhile is passed over. */
export function signalFamilies(pids: readonly number[], signal: "SIGSTOP" | "SIGCONT" | "SIGKILL") {
  const children = listProcesses().filter(({ parent }) => pids.includes(parent));
  const all = [...pids, ...children.map(({ pid }) => pid)];
  Bun.spawnSync(["kill", "-s", signal.slice("SIG".length), ...all.map(String)]);
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
