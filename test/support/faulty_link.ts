/**
 * A link to PostgreSQL that can be cut at the worst moment: when the answer of a statement has come
 * back, so that it is committed, and before the gateway has read it.
 *
 * @module
 */
import type { Socket } from "bun";

export interface FaultyLink {
  /** Of the database behind the link. */
  readonly url: string;
  /** Answers thrown away so far. */
  readonly cuts: number;
  /** The next answer that is as long as a batch's is thrown away, and its connection closed. */
  cutNextAnswer(): void;
  heal(): void;
  stop(): void;
}

interface Side {
  other: Socket<Side> | undefined;
  /** What came before the other side was there, or while it was full. */
  waiting: Uint8Array[];
}

/** No answer but that of an admission batch is as long, under the load of the test. */
const ANSWER_BYTES_MIN = 600;

export function startFaultyLink(databaseUrl: string): FaultyLink {
  const target = new URL(databaseUrl);
  const socketDir = target.searchParams.get("host") ?? "";
  let isCutting = false;
  let cuts = 0;

  function pass(side: Side, bytes: Uint8Array): void {
    side.waiting.push(new Uint8Array(bytes));
    if (side.other !== undefined) flush(side.other, side.waiting);
  }

  const listener = Bun.listen<Side>({
    hostname: "127.0.0.1",
    port: 0,
    socket: {
      open(client) {
        client.data = { other: undefined, waiting: [] };
        Bun.connect<Side>({
          unix: `${socketDir}/.s.PGSQL.${target.port}`,
          socket: {
            open(server) {
              server.data = { other: client, waiting: [] };
              client.data.other = server;
              flush(server, client.data.waiting);
            },
            data(server, bytes) {
              if (isCutting && bytes.length > ANSWER_BYTES_MIN) {
                isCutting = false;
                cuts += 1;
                client.terminate();
                server.terminate();
                return;
              }
              pass(server.data, bytes);
            },
            drain: (server) => flush(server, client.data.waiting),
            close() {
              client.end();
            },
          },
        }).catch(() => client.terminate());
      },
      data: (client, bytes) => pass(client.data, bytes),
      drain(client) {
        const server = client.data.other;
        if (server !== undefined) flush(client, server.data.waiting);
      },
      close(client) {
        client.data.other?.end();
      },
    },
  });
  return {
    url: `postgres://${target.username}@127.0.0.1:${listener.port}${target.pathname}`,
    get cuts() {
      return cuts;
    },
    cutNextAnswer() {
      isCutting = true;
    },
    heal() {
      isCutting = false;
    },
    stop: () => listener.stop(true),
  };
}

function flush(to: Socket<Side>, waiting: Uint8Array[]): void {
  for (let bytes = waiting[0]; bytes !== undefined; bytes = waiting[0]) {
    const written = to.write(bytes);
    if (written < bytes.length) {
      waiting[0] = bytes.subarray(Math.max(0, written));
      return;
    }
    waiting.shift();
  }
}
