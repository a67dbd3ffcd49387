/**
 * Reads of another account during other work: a worker that reads one page repeatedly at a steady pace, and reports the
 * durations. It has its own thread, because the benchmark's is busy.
 *
 * @module
 */
import { percentile } from "./support.ts";

const PACE_MS = 10;

export interface OtherReads {
  readonly count: number;
  readonly p99Ms: number;
  /** Responses that were not a page. */
  readonly refused: number;
}

/** Reads until `stop` is called. */
export async function startReads(url: string, key: string): Promise<() => Promise<OtherReads>> {
  const worker = new Worker(import.meta.url);
  const next = () =>
    new Promise<OtherReads>((resolve) =>
      worker.addEventListener("message", ({ data }) => resolve(data), { once: true }),
    );
  await next();
  worker.postMessage({ url, key });
  return async () => {
    const reads = next();
    worker.postMessage("stop");
    const found = await reads;
    worker.terminate();
    return found;
  };
}

if (!Bun.isMainThread) {
  let isStopped = false;
  const read = async ({ url, key }: { readonly url: string; readonly key: string }) => {
    const times: number[] = [];
    let refused = 0;
    while (!isStopped) {
      const startMs = performance.now();
      const response = await fetch(url, { headers: { "x-api-key": key } });
      await response.arrayBuffer();
      const tookMs = performance.now() - startMs;
      times.push(tookMs);
      if (!response.ok) refused += 1;
      await Bun.sleep(Math.max(0, PACE_MS - tookMs));
    }
    postMessage({ count: times.length, p99Ms: percentile(times, 0.99), refused });
  };
  addEventListener("message", ({ data }: MessageEvent) => {
    if (data === "stop") isStopped = true;
    else void read(data);
  });
  postMessage(undefined);
}
