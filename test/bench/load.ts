/**
 * Load on a server from a separate process: `wrk` if it is installed, otherwise a generator in Bun, which is this file
 * run as a program. Both send one request at a time on each of N connections, with a path and a key drawn at random
 * from two files, and print the same figures.
 *
 * @module
 */
import { readFileSync } from "node:fs";
import type { Socket } from "bun";
import { percentile } from "./support.ts";

/** The requests and their target. */
export interface Load {
  readonly port: number;
  readonly connections: number;
  readonly seconds: number;
  /** One key per line. */
  readonly keysFile: string;
  /** Each line is a path to GET, or path, headers (separated by `|`), and body to POST, separated by tabs. */
  readonly pathsFile: string;
}

/** The results. Latencies are in milliseconds. */
export interface LoadFigures {
  readonly requests: number;
  /** Responses other than 2xx and 3xx. */
  readonly refused: number;
  /** Failed connections, and requests without a timely response. */
  readonly failed: number;
  readonly seconds: number;
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly max: number;
  /** Processor time of the generator itself, in seconds. */
  readonly processorSeconds: number;
}

export type Generator = "wrk" | "own";

/** The best generator available on this machine. */
export function generatorHere(): Generator {
  return Bun.which("wrk") === null ? "own" : "wrk";
}

/** Runs one load to completion. */
export async function runLoad(load: Load, generator: Generator): Promise<LoadFigures> {
  const { port, connections, seconds, keysFile, pathsFile } = load;
  const script = Bun.fileURLToPath(new URL("./load.lua", import.meta.url));
  const command =
    generator === "wrk"
      ? [
          ...["wrk", "-t1", `-c${connections}`, `-d${seconds}s`, "--timeout", "20s", "-s", script],
          ...[`http://127.0.0.1:${port}`, "--", keysFile, pathsFile, `${Date.now() % 2 ** 31}`],
        ]
      : [process.execPath, import.meta.path, JSON.stringify(load)];
  const child = Bun.spawn(command, { stdout: "pipe", stderr: "inherit" });
  const text = await new Response(child.stdout).text();
  if ((await child.exited) !== 0) throw new Error(`the load generator failed: ${text}`);
  const line = text.split("\n").find((each) => each.startsWith("{"));
  if (line === undefined) throw new Error(`the load generator printed no figures: ${text}`);
  const processorSeconds = Number(child.resourceUsage()?.cpuTime.total ?? 0n) / 1e6;
  return { ...(JSON.parse(line) as LoadFigures), processorSeconds };
}

interface Exchange {
  sentMs: number;
  /** The current response so far, as Latin-1. */
  received: string;
}

async function generate(load: Load): Promise<Omit<LoadFigures, "processorSeconds">> {
  const lines = (path: string) => readFileSync(path, "latin1").trim().split("\n");
  const requests = lines(load.pathsFile).map(requestOf);
  const keys = lines(load.keysFile).map((key) => `${key}\r\n\r\n`);
  const any = <Item>(list: readonly Item[]) =>
    list[Math.floor(Math.random() * list.length)] as Item;
  const latencies: number[] = [];
  let refused = 0;
  let failed = 0;
  let isOver = false;

  function send(socket: Socket<Exchange>): void {
    if (isOver) return;
    socket.data.sentMs = performance.now();
    // A request is far smaller than a socket's buffer.
    const { head, body } = any(requests);
    socket.write(head + any(keys) + body);
  }
  const open = () =>
    Bun.connect<Exchange>({
      hostname: "127.0.0.1",
      port: load.port,
      data: { sentMs: 0, received: "" },
      socket: {
        open: send,
        data(socket, bytes) {
          const { data } = socket;
          data.received += bytes.toString("latin1");
          if (!isWhole(data.received)) return;
          latencies.push(performance.now() - data.sentMs);
          if (!/^HTTP\/1\.1 [23]/.test(data.received)) refused += 1;
          data.received = "";
          send(socket);
        },
        close() {
          if (!isOver) failed += 1;
        },
      },
    });
  const startedMs = performance.now();
  const sockets = await Promise.all(Array.from({ length: load.connections }, open));
  await Bun.sleep(load.seconds * 1_000);
  isOver = true;
  const seconds = (performance.now() - startedMs) / 1_000;
  for (const socket of sockets) socket.end();
  const at = (share: number) => percentile(latencies, share);
  const figures = { p50: at(0.5), p90: at(0.9), p99: at(0.99), max: at(1) };
  return { requests: latencies.length, refused, failed, seconds, ...figures };
}

/** Splits a request at its key. */
function requestOf(line: string) {
  const [path, headers, body = ""] = line.split("\t");
  const key = "Host: 127.0.0.1\r\nX-Api-Key: ";
  if (headers === undefined) return { head: `GET ${path} HTTP/1.1\r\n${key}`, body };
  const fields = headers.replaceAll("|", "\r\n");
  const length = `Content-Length: ${body.length}`;
  return { head: `POST ${path} HTTP/1.1\r\n${fields}\r\n${length}\r\n${key}`, body };
}

/** Whether a response with a Content-Length, or a chunked one, is complete. */
function isWhole(text: string): boolean {
  const headEnd = text.indexOf("\r\n\r\n");
  if (headEnd < 0) return false;
  const length = /\r\ncontent-length: *(\d+)/i.exec(text.slice(0, headEnd + 2))?.[1];
  return length === undefined
    ? text.endsWith("\r\n0\r\n\r\n")
    : text.length >= headEnd + 4 + Number(length);
}

if (import.meta.main) {
  console.log(JSON.stringify(await generate(JSON.parse(process.argv[2] as string) as Load)));
  process.exit(0);
}
