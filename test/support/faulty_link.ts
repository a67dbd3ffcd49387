/**
 * A link to PostgreSQL that can be cut at the worst time: after the response to a statement has been sent, so that the
 * statement is committed, but before the gateway has read it. Each chunk counts as a response.
 *
 * @module
 */
import type { Socket } from "bun";

export interface FaultyLink {
  /** The address of the database through the link. */
  readonly url: string;
  /** The number of responses discarded so far. */
  readonly cuts: number;
  /** Discards the next response to a batch of reads that was logged, and closes its connection. */
  cutNextAnswer(): void;
  /** Discards one response of the database, after this many others, and closes its connection. */
  cutAfter(answers: number): void;
  heal(): void;
  stop(): void;
}

interface Side {
  other: Socket<Side> | undefined;
  /** Data that arrived before the other side was connected, or while its buffer was full. */
  waiting: Uint8Array[];
}

/** A row of `log_reads`: `decided_us`, the length of the next column, and the verdicts, all of them `c`. */
const LOGGED = /\d{16}\0\0..c+\0/s;

export function startFaultyLink(databaseUrl: string): FaultyLink {
  const target = new URL(databaseUrl);
  const socketDir = target.searchParams.get("host") ?? "";
  target.searchParams.delete("host");
  let isCutting = false;
  /** The number of responses to forward before one is discarded. */
  let passing = Number.POSITIVE_INFINITY;
  let cuts = 0;

  function isCut(bytes: Uint8Array): boolean {
    const isLogged = isCutting && LOGGED.test(Buffer.from(bytes).toString("latin1"));
    const isNext = passing <= 0;
    passing -= 1;
    return isLogged || isNext;
  }

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
              if (isCut(bytes)) {
                isCutting = false;
                passing = Number.POSITIVE_INFINITY;
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
    url: `postgres://${target.username}@127.0.0.1:${listener.port}${target.pathname}${target.search}`,
    get cuts() {
      return cuts;
    },
    cutNextAnswer() {
      isCutting = true;
    },
    cutAfter(answers) {
      passing = answers;
    },
    heal() {
      isCutting = false;
      passing = Number.POSITIVE_INFINITY;
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
