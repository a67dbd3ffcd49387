/**
 * A separate process that sends requests on sixteen connections, each as soon as the previous one was answered.
 *
 * Its argument is an `Attack` as JSON. Each line of its input starts a burst of that many milliseconds. After the last
 * response, it prints the number of responses by status, as JSON.
 *
 * @module
 */
import { createInterface } from "node:readline";

export interface Attack {
  readonly method: "GET" | "HEAD" | "POST";
  /** `{n}` is replaced by the number of the request, in five digits. */
  readonly urls: readonly string[];
  /** The body of a POST, with `{n}` as in `urls`. */
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly key: string;
}

const CONNECTIONS = 16;

async function attack({ method, urls, body, headers, key }: Attack): Promise<void> {
  let sent = 0;
  for await (const durationMs of createInterface({ input: process.stdin })) {
    const statuses: Record<number, number> = {};
    const endMs = performance.now() + Number(durationMs);
    const send = async () => {
      while (performance.now() < endMs) {
        sent += 1;
        const number = String(sent).padStart(5, "0");
        const url = urls[sent % urls.length]?.replace("{n}", number) as string;
        const response = await fetch(url, {
          method,
          headers: { ...headers, "x-api-key": key },
          ...(body !== undefined && { body: body.replace("{n}", number) }),
        });
        await response.arrayBuffer();
        statuses[response.status] = (statuses[response.status] ?? 0) + 1;
      }
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, send));
    console.log(JSON.stringify(statuses));
  }
}

if (import.meta.main) await attack(JSON.parse(process.argv[2] as string) as Attack);
