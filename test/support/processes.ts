/**
 * The machine's processes, as reported by `ps`.
 *
 * @module
 */
const POLL_MS = 20;

/** Whether a process is alive. One that has ended but is not reaped yet is not. */
export function isRunning(pid: number): boolean {
  const stat = Bun.spawnSync(["ps", "-o", "stat=", "-p", `${pid}`]).stdout.toString();
  return stat.trim() !== "" && !stat.startsWith("Z");
}

export interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly commandLine: string;
}

/** All processes of the machine. */
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

/** The processes whose pid and command line contain all of the texts, by pid. */
export function findProcesses(...texts: readonly string[]): number[] {
  return listProcesses()
    .filter(({ pid, commandLine }) => {
      const line = `${pid} ${commandLine}`;
      return texts.every((text) => line.includes(text));
    })
    .map(({ pid }) => pid);
}

/** Signals processes and their children with one command. Processes that have ended are skipped. */
export function signalFamilies(pids: readonly number[], signal: "SIGSTOP" | "SIGCONT" | "SIGKILL") {
  const children = listProcesses().filter(({ parent }) => pids.includes(parent));
  const all = [...pids, ...children.map(({ pid }) => pid)];
  Bun.spawnSync(["kill", "-s", signal.slice("SIG".length), ...all.map(String)]);
}

/** Waits for a condition. Returns whether it was met in time. */
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
