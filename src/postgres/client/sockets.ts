/**
 * Opens the sockets of a pool: chooses the host, encrypts, and closes dead sockets.
 *
 * Hosts are tried in order, starting with the last good one. If none answers, the connection is refused immediately. A
 * server reports its role while the session starts (`in_hot_standby`, PostgreSQL 14 or newer). If that is not the
 * wanted role, the socket is closed with an error that means that nothing was sent, and the host is skipped for a
 * while. A standby that was promoted reports that after the answer to its next statement. That answer is discarded.
 *
 * If there are several primaries, only the newest is used (`timelines.ts`). Before the driver is notified that a
 * session is ready, the session is asked for its timeline, which costs one round trip per connection. If there are
 * several hosts, all of them are asked before one is chosen (`survey.ts`).
 *
 * If a server or network fails silently, a statement would wait forever. The server limits the time of a statement, so
 * a socket that is silent for longer is closed.
 *
 * @module
 */
import { once } from "node:events";
import { createConnection, isIP, Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import type { DatabaseHost, Encryption, hostsOf, WantedRole } from "./address.ts";
import { OLD_PRIMARY, WRONG_ROLE } from "./failures.ts";
import type { Survey } from "./survey.ts";
import { LINEAGE_QUERY, type Lineage, readLineage, type Timelines } from "./timelines.ts";

export interface SocketsOptions extends Omit<ReturnType<typeof hostsOf>, "url" | "commits"> {
  /** Milliseconds for one attempt at all hosts. */
  readonly connectTimeoutMs: number;
  /** A socket that owes an answer and is silent for this many milliseconds is closed. Undefined for never. */
  readonly silenceMs: number | undefined;
  /** Refuses old primaries. If undefined, accepts them, which only a survey does. */
  readonly timelines?: Timelines | undefined;
  /** Finds the newest primary of several hosts. */
  readonly survey?: Survey | undefined;
}

/** Longer than a survey plus the start of a session on a slow server. Otherwise all tries could go to the same host. */
const PASSED_OVER_MS = 10_000;
const SWEEP_MS = 500;
/** The message that requests encryption. PostgreSQL's protocol, SSLRequest. */
const SSL_REQUEST = new Uint8Array([0, 0, 0, 8, 4, 210, 22, 47]);
const SSL_ACCEPTED = "S".charCodeAt(0);
const QUERY_HEAD_BYTES = 5;
/** A ReadyForQuery message, except for its last byte. */
const READY_HEAD = "Z\0\0\0\x05";
const READY_BYTES = READY_HEAD.length + 1;
/** What a server of the wrong role reports about itself, in a ParameterStatus message. */
const WRONG_MARKS: Readonly<Record<WantedRole, readonly string[]>> = {
  primary: ["in_hot_standby\0on\0", "default_transaction_read_only\0on\0"],
  standby: ["in_hot_standby\0off\0"],
  any: [],
};
/** A mark may start within this many of the previous bytes. */
const MARK_LENGTH_MAX = Math.max(
  ...Object.values(WRONG_MARKS)
    .flat()
    .map((mark) => mark.length),
);

interface Watched {
  readonly socket: Socket;
  /** Since when the server has owed an answer without sending anything. */
  silentSinceMs: number | undefined;
  /** The last bytes that arrived, as many as in a ReadyForQuery message, because it may arrive in pieces. */
  tail: string;
}

/**
 * Returns a function that opens the next socket of a pool. It never rejects: a socket that could not be opened fails
 * later.
 */
export function createSockets(options: SocketsOptions) {
  const { hosts, encryption, wantedRole, connectTimeoutMs, silenceMs, timelines, survey } = options;
  const passedOverUntilMs = new Map<DatabaseHost, number>();
  let lastGood: DatabaseHost = hosts[0];
  const sweep = silenceMs === undefined ? undefined : createSweep(silenceMs);

  function inOrder(): DatabaseHost[] {
    const from = hosts.indexOf(lastGood);
    const turned = [...hosts.slice(from), ...hosts.slice(0, from)];
    const nowMs = performance.now();
    const isGood = (host: DatabaseHost) => (passedOverUntilMs.get(host) ?? 0) <= nowMs;
    // Hosts that were skipped come last. If there is no other, one of them may have been promoted.
    return [...turned.filter(isGood), ...turned.filter((host) => !isGood(host))];
  }

  /**
   * Checks role and timeline while the session starts. A standby's role is also checked later, because it may be
   * promoted.
   */
  function prove(socket: Socket, host: DatabaseHost): void {
    let stage: "starting" | "asked" | "serving" = "starting";
    let seen = "";
    // The end of the message that announces a ready session. The driver gets it once the timeline is known.
    let held: Buffer = Buffer.alloc(0);
    // If the socket ended without an error, the driver would retry immediately, forever.
    const fail = () => socket.destroy(closedEarly());
    const { emit } = socket;
    const refuse = (error: Error) => {
      passedOverUntilMs.set(host, performance.now() + PASSED_OVER_MS);
      socket.destroy(error);
      return true;
    };
    const serve = (bytes: Buffer) => {
      stage = "serving";
      lastGood = host;
      socket.off("end", fail);
      if (wantedRole !== "standby") socket.emit = emit;
      return emit.call(socket, "data", bytes);
    };
    const ask = (bytes: Buffer) => {
      stage = "asked";
      seen = "";
      const at = Math.max(0, bytes.length - READY_BYTES);
      held = bytes.subarray(at);
      if (at > 0) emit.call(socket, "data", bytes.subarray(0, at));
      return socket.write(queryMessage(LINEAGE_QUERY));
    };
    const judge = () => {
      const lineage = readLineage(seen);
      if (timelines === undefined || lineage === undefined) return serve(held);
      const error = keepNewest(socket, host, { lineage, timelines });
      return error === undefined ? serve(held) : refuse(error);
    };
    // Checked before the driver gets the data, because it must not learn that a session with the wrong role is ready.
    const look = (name: string | symbol, ...rest: unknown[]) => {
      const [bytes] = rest;
      if (name !== "data" || !Buffer.isBuffer(bytes)) return emit.call(socket, name, ...rest);
      const before = stage === "serving" ? seen.slice(-MARK_LENGTH_MAX) : seen;
      seen = before + bytes.toString("latin1");
      if (stage === "asked") return isReady(seen) ? judge() : true;
      if (WRONG_MARKS[wantedRole].some((mark) => seen.includes(mark))) {
        return refuse(wrongRole(host, wantedRole));
      }
      if (stage === "serving" || !isReady(seen)) return emit.call(socket, name, ...rest);
      return timelines === undefined || wantedRole === "standby" ? serve(bytes) : ask(bytes);
    };
    Object.assign(socket, { emit: look });
    socket.once("end", fail);
  }

  return async () => {
    let failure: unknown;
    const newest = (await survey?.()) ?? [];
    for (const host of [...newest, ...inOrder().filter((each) => !newest.includes(each))]) {
      try {
        const timeoutMs = connectTimeoutMs / hosts.length;
        const socket = await open(host, { encryption, timeoutMs });
        // The driver includes them in its errors.
        Object.assign(socket, { host: host.host, port: host.port });
        prove(socket, host);
        sweep?.watch(socket);
        return socket;
      } catch (error) {
        failure = error;
      }
    }
    return failingSocket(failure);
  };
}

/** A Query message: its type, its length, the text and a NUL. PostgreSQL's protocol, 54.2.2. */
function queryMessage(text: string): Buffer {
  const body = Buffer.from(`${text}\0`);
  const head = Buffer.alloc(QUERY_HEAD_BYTES);
  head.write("Q");
  head.writeInt32BE(body.length + QUERY_HEAD_BYTES - 1, 1);
  return Buffer.concat([head, body]);
}

/** A socket that fails once the driver listens. Before that, the failure would go unnoticed. */
function failingSocket(failure: unknown): Socket {
  const socket = new Socket();
  // Otherwise the driver's own write would fail first, with a meaningless error.
  socket.write = () => true;
  setTimeout(
    () => socket.destroy(failure instanceof Error ? failure : new Error(String(failure))),
    0,
  );
  return socket;
}

function wrongRole({ host, port }: DatabaseHost, wantedRole: WantedRole): Error {
  const found = wantedRole === "standby" ? "no standby" : "a standby or read-only";
  return coded(WRONG_ROLE, `the database at ${host}:${port} is ${found}`);
}

/** Returns the error if the session is on an old primary. If it becomes old later, the socket is closed. */
function keepNewest(
  socket: Socket,
  host: DatabaseHost,
  { lineage, timelines }: { readonly lineage: Lineage; readonly timelines: Timelines },
): Error | undefined {
  const error = () => oldPrimary(host, lineage, timelines.newestOf(lineage));
  timelines.note(lineage);
  if (timelines.isOld(lineage)) return error();
  socket.once(
    "close",
    timelines.watch(lineage, () => socket.destroy(error())),
  );
  return undefined;
}

function oldPrimary({ host, port }: DatabaseHost, { timeline }: Lineage, newest: number): Error {
  return coded(
    OLD_PRIMARY,
    `the primary at ${host}:${port} is from before a failover (timeline ${timeline}, and ${newest} has begun): stop it, and make it a standby of the new primary`,
  );
}

async function open(
  { host, port }: DatabaseHost,
  { encryption, timeoutMs }: { readonly encryption: Encryption; readonly timeoutMs: number },
): Promise<Socket> {
  const isLocal = host.startsWith("/");
  const socket = isLocal
    ? createConnection(`${host}/.s.PGSQL.${port}`)
    : createConnection(port, host);
  const timer = setTimeout(() => {
    const message = `${host}:${port} did not answer within ${timeoutMs} ms`;
    socket.destroy(coded("CONNECT_TIMEOUT", message));
  }, timeoutMs);
  try {
    await first(socket, "connect");
    return isLocal || encryption.mode === "disable"
      ? socket
      : await encrypt(socket, host, encryption);
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** The first event of this name on a socket that is being opened. Rejects if the socket closes. Leaves no listener. */
async function first(socket: Socket, event: string): Promise<unknown[]> {
  const closed = new AbortController();
  socket.once("close", () => closed.abort());
  try {
    return await once(socket, event, { signal: closed.signal });
  } catch (error) {
    throw closed.signal.aborted ? closedEarly() : error;
  } finally {
    socket.removeAllListeners();
  }
}

async function encrypt(
  socket: Socket,
  host: string,
  { mode, authorities, client }: Encryption,
): Promise<Socket> {
  socket.write(SSL_REQUEST);
  const [answer] = await first(socket, "data");
  if (!Buffer.isBuffer(answer) || answer[0] !== SSL_ACCEPTED) {
    if (mode === "prefer") return socket;
    throw coded("ECONNREFUSED", "the database does not accept encrypted connections");
  }
  // Unencrypted bytes may come from anyone. PostgreSQL's protocol, SSL session encryption.
  if (answer.length > 1)
    throw coded("ECONNREFUSED", "the database sent data before encryption was established");
  const secure = connectTls({
    socket,
    host,
    ...(isIP(host) === 0 && { servername: host }),
    ...(authorities !== undefined && { ca: authorities }),
    ...(client !== undefined && { cert: client.certificate, key: client.key }),
    rejectUnauthorized: mode === "verify-ca" || mode === "verify-full",
    ...(mode === "verify-ca" && { checkServerIdentity: () => undefined }),
  });
  await first(secure, "secureConnect");
  return secure;
}

function closedEarly(): Error {
  return coded("ECONNRESET", "the connection was closed before it was established");
}

/** An error like those of sockets, which `failures.ts` distinguishes by their codes. */
function coded(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}

/** Whether the bytes end with a ReadyForQuery message, after which no answer is owed. */
function isReady(bytes: string): boolean {
  return bytes.slice(0, -1).endsWith(READY_HEAD);
}

/** Closes the silent sockets of a pool. One timer for all costs less than one per statement. */
function createSweep(silenceMs: number) {
  const watched = new Set<Watched>();
  let timer: ReturnType<typeof setInterval> | undefined;

  function sweep(): void {
    const nowMs = performance.now();
    for (const { socket, silentSinceMs } of watched) {
      if (silentSinceMs === undefined || nowMs - silentSinceMs <= silenceMs) continue;
      socket.destroy(coded("ETIMEDOUT", `the database was silent for ${silenceMs} ms`));
    }
  }

  return {
    watch(socket: Socket): void {
      const each: Watched = { socket, silentSinceMs: undefined, tail: "" };
      const { write } = socket;
      const timedWrite = (...written: Parameters<typeof write>) => {
        each.silentSinceMs ??= performance.now();
        return write.apply(socket, written);
      };
      Object.assign(socket, { write: timedWrite });
      socket.on("data", (bytes: Buffer) => {
        const end = bytes.toString("latin1", Math.max(0, bytes.length - READY_BYTES));
        each.tail = (each.tail + end).slice(-READY_BYTES);
        each.silentSinceMs = isReady(each.tail) ? undefined : performance.now();
      });
      socket.once("close", () => {
        watched.delete(each);
        if (watched.size > 0) return;
        clearInterval(timer);
        timer = undefined;
      });
      watched.add(each);
      timer ??= setInterval(sweep, SWEEP_MS).unref();
    },
  };
}
