/**
 * Servers as child processes, and the processor time and memory of processes, from /proc.
 *
 * @module
 */
import { readdirSync, readFileSync } from "node:fs";
import type { Subprocess } from "bun";

/** A running server. The first line of its standard output contains its port. */
export interface ServerProcess {
  readonly pid: number;
  readonly port: number;
  stop(): Promise<void>;
}

/** Linux counts processor time in hundredths of a second. */
const TICKS_PER_SECOND = 100;
const BYTES_PER_KIB = 1_024;
const BYTES_PER_MB = 1_000_000;
const START_MS_MAX = 30_000;
const STOP_MS_MAX = 15_000;

/** Starts a server. Its first line is a port, or JSON that contains one. */
export async function startServer(
  command: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<ServerProcess> {
  const child = Bun.spawn([...command], {
    env: { ...process.env, ...environment },
    stdout: "pipe",
    stderr: "inherit",
  });
  const line = await Promise.race([firstLine(child), Bun.sleep(START_MS_MAX)]);
  if (line === undefined || line === "") {
    child.kill("SIGKILL");
    throw new Error(`${command.join(" ")} did not start`);
  }
  const port = line.startsWith("{") ? (JSON.parse(line) as { port: number }).port : Number(line);
  return {
    pid: child.pid,
    port,
    async stop() {
      child.kill("SIGTERM");
      await Promise.race([child.exited, Bun.sleep(STOP_MS_MAX)]);
      child.kill("SIGKILL");
    },
  };
}

async function firstLine(child: Subprocess<"ignore", "pipe", "inherit">): Promise<string> {
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  while (!text.includes("\n")) {
    const { value, done } = await reader.read();
    if (done) break;
    text += value;
  }
  return text.split("\n")[0] ?? "";
}

/** Processor time of a process since its start, in seconds, with that of its ended children. */
export function processorSeconds(pid: number): number {
  const stat = readText(`/proc/${pid}/stat`);
  // Fields 14 to 17 of proc(5), counted after the name, which may contain spaces.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  return Number.isNaN(ticks) ? 0 : ticks / TICKS_PER_SECOND;
}

/** The same for a process and its current children. */
export function familyProcessorSeconds(pid: number): number {
  return [pid, ...childrenOf(pid)].reduce((sum, each) => sum + processorSeconds(each), 0);
}

/** Resident memory of a process, in MB. */
export function residentMb(pid: number): number {
  const kib = /^VmRSS:\s+(\d+) kB/m.exec(readText(`/proc/${pid}/status`))?.[1];
  return (Number(kib ?? Number.NaN) * BYTES_PER_KIB) / BYTES_PER_MB;
}

/** The memory of a process and its children in MB, with shared memory counted once. */
export function familyMb(pid: number): number {
  const kib = [pid, ...childrenOf(pid)].reduce(
    (sum, each) =>
      sum + Number(/^Pss:\s+(\d+) kB/m.exec(readText(`/proc/${each}/smaps_rollup`))?.[1] ?? 0),
    0,
  );
  return (kib * BYTES_PER_KIB) / BYTES_PER_MB;
}

export function childrenOf(pid: number): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((each) => {
      const stat = readText(`/proc/${each}/stat`);
      return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]) === pid;
    });
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    // The process has ended.
    return "";
  }
}
