/**
 * A process of its own that sends requests on sixteen connections, each as soon as the last was answered.
 *
 * Its argument is an `Attack` as JSON. It prints a line when the first answer has come, and at SIGTERM how
 * often each status came, as JSON.
 *
 * @module
 */
export interface Attack {
  readonly method: "GET" | "HEAD";
  /** `{n}` becomes the number of the request, in five digits. */
  readonly urls: readonly string[];
  readonly key: string;
}

const CONNECTIONS = 16;

async function attack({ method, urls, key }: Attack): Promise<void> {
  const statuses: Record<number, number> = {};
  let sent = 0;
  process.on("SIGTERM", () => {
    console.log(JSON.stringify(statuses));
    process.exit(0);
  });
  const send = async () => {
    for (;;) {
      sent += 1;
      const url = urls[sent % urls.length]?.replace("{n}", String(sent).padStart(5, "0")) as string;
      const response = await fetch(url, { method, headers: { "x-api-key": key } });
      await response.arrayBuffer();
      if (Object.keys(statuses).length === 0) console.log("begun");
      statuses[response.status] = (statuses[response.status] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, send));
}

if (import.meta.main) await attack(JSON.parse(process.argv[2] as string) as Attack);
