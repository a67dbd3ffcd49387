/**
 * Keeps the number of connections below the process's limit of descriptors.
 *
 * Bun accepts every connection, without a limit. If no descriptor is free, its accept loop uses a whole core, and no
 * new client is served. So this module counts the descriptors a few times a second. Above a first limit, it closes idle
 * connections, and calls get 503. Bun does not consider clients idle that never finish a request. If their number
 * reaches a second limit, the listener pauses until Bun has timed them out.
 *
 * @module
 */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import type { Server as BunServer } from "bun";
import { present } from "../../lib/assert.ts";
import type { Log } from "../../lib/log.ts";
import { CONNECTIONS_MAX, DESCRIPTORS_SPARED } from "../../limits.ts";
import { remotePorts } from "./shared_port.ts";

/** The part of Bun's server that is used here. */
type Server = Pick<
  BunServer<unknown>,
  "port" | "stop" | "closeIdleConnections" | "pendingRequests" | "requestIP"
>;

/** A server that another one has replaced. */
interface Replaced {
  readonly server: Server;
  /** Remote ports of its connections, and of some others. Undefined if they can't be known. */
  readonly remotePorts: ReadonlySet<number> | undefined;
}

interface DescriptorBounds {
  /** Above it, calls get 503. */
  readonly crowded: number;
  /** Above it, the listener pauses. */
  readonly full: number;
}

const LOOK_MS = 100;
/** A stopping listener is quiet when no request has been in flight for this long, and how often that is checked. */
const QUIET_MS = 100;
const QUIET_LOOK_MS = 10;
const OPEN_FILES = "/proc/self/fd";
/** Share of the descriptors for clients, up to which calls are served. */
const CROWDED_SHARE = 3 / 4;

export class BoundedListener {
  readonly port: number;
  readonly #listen: (port?: number) => Server;
  readonly #log: Log;
  readonly #timer: Timer | undefined;
  /** Listeners that no longer accept, but still have connections. */
  readonly #stopping = new Set<Server>();
  /** Undefined while it pauses. */
  #server: Server | undefined;
  #replaced: Replaced | undefined;
  #isCrowded = false;

  /** `listen` takes a port, or uses the configured one if it is undefined. @throws what `listen` throws */
  constructor(listen: (port?: number) => Server, log: Log) {
    this.#listen = listen;
    this.#log = log;
    this.#server = listen();
    this.port = present(this.#server.port);
    const bounds = descriptorBounds();
    this.#timer = bounds && setInterval(() => this.#look(bounds), LOOK_MS);
  }

  /** Whether there are more connections than are served. */
  get isCrowded(): boolean {
    return this.#isCrowded;
  }

  /**
   * Whether the connection of a request may be one of a replaced listener. `retire` closes such a connection when it is
   * idle, so its client must know before.
   */
  isLeaving(request: Request): boolean {
    if (this.#replaced === undefined) return false;
    const port = this.#replaced.server.requestIP(request)?.port ?? 0;
    return this.#replaced.remotePorts?.has(port) ?? true;
  }

  /** Listens once more on the port, which must be shared. The previous server serves as well, until `retire`. */
  replace(): void {
    // One that pauses listens anew anyway.
    if (this.#server === undefined) return;
    this.retire();
    const previous = this.#server;
    this.#server = this.#listen(this.port);
    this.#replaced = { server: previous, remotePorts: undefined };
  }

  /** New connections go to the new server from now on, so those that exist are the previous one's. */
  noteConnections(): void {
    if (this.#replaced === undefined) return;
    this.#replaced = { ...this.#replaced, remotePorts: remotePorts(this.port) };
  }

  /** Closes the previous server and its idle connections. Requests in progress are answered. */
  retire(): void {
    if (this.#replaced !== undefined) this.#leave(this.#replaced.server);
    this.#replaced = undefined;
  }

  /**
   * Stops accepting. Resolves when no request is in flight. `isForced` closes all connections at once.
   *
   * Bun considers a connection busy that has not sent anything yet. Browsers and proxies open such connections in
   * advance, so waiting for all of them would delay each restart until they time out.
   */
  async stop(isForced = false): Promise<void> {
    clearInterval(this.#timer);
    for (const server of [this.#server, this.#replaced?.server]) {
      if (server !== undefined) this.#stopping.add(server);
    }
    this.#server = undefined;
    this.#replaced = undefined;
    const servers = [...this.#stopping];
    const ended = Promise.all(servers.map((server) => server.stop(isForced)));
    await (isForced ? ended : Promise.race([ended, untilQuiet(servers)]));
  }

  #look({ crowded, full }: DescriptorBounds): void {
    const open = openDescriptors();
    this.#isCrowded = open > crowded;
    if (this.#isCrowded) this.#server?.closeIdleConnections();
    if (this.#server === undefined) {
      if (!this.#isCrowded) this.#listenAgain();
    } else if (open > full) {
      this.#rest(this.#server);
    }
  }

  #rest(server: Server): void {
    this.#log.warn("too many connections: new ones are not accepted until some close");
    this.#server = undefined;
    this.#leave(server);
  }

  /** Its connections go on. */
  #leave(server: Server): void {
    this.#stopping.add(server);
    server.stop().finally(() => this.#stopping.delete(server));
  }

  #listenAgain(): void {
    try {
      this.#server = this.#listen(this.port);
    } catch (error) {
      this.#log.error("can't listen again; retrying", { error });
    }
  }
}

/** Resolves once no request has been in flight for a while, so that a request that was on its way is read. */
async function untilQuiet(servers: readonly Server[]): Promise<void> {
  let quietMs = 0;
  while (quietMs < QUIET_MS) {
    await Bun.sleep(QUIET_LOOK_MS);
    const isQuiet = servers.every(({ pendingRequests }) => pendingRequests === 0);
    quietMs = isQuiet ? quietMs + QUIET_LOOK_MS : 0;
  }
}

/** Undefined if descriptors can't be counted, as on systems other than Linux. */
function descriptorBounds(): DescriptorBounds | undefined {
  if (!existsSync(OPEN_FILES)) return undefined;
  const limits = readFileSync("/proc/self/limits", "utf8");
  // Bun has raised its soft limit to the hard one.
  const most = /^Max open files +(\d+)/m.exec(limits)?.[1];
  const full = Math.min(Number(most ?? CONNECTIONS_MAX) - DESCRIPTORS_SPARED, 2 * CONNECTIONS_MAX);
  return { full, crowded: Math.min(CONNECTIONS_MAX, Math.floor(full * CROWDED_SHARE)) };
}

function openDescriptors(): number {
  // Since Linux 6.2, the folder's size is its number of entries. Before, it is 0.
  return statSync(OPEN_FILES).size || readdirSync(OPEN_FILES).length;
}
