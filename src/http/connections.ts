/**
 * Bounds the connections of a process below its limit of descriptors.
 *
 * Bun accepts every connection and knows no bound. Without a free descriptor its accept loop takes a whole
 * core, and nobody new is served. So descriptors are counted, a few times a second. Over the bound, idle
 * connections are closed and calls are refused with 503. Clients that never finish a request are not idle to
 * Bun. If they come close to the limit, the listener rests until Bun has timed them out.
 *
 * @module
 */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { present } from "../lib/assert.ts";
import type { Log } from "../lib/log.ts";
import { CONNECTIONS_MAX, DESCRIPTORS_SPARED } from "../limits.ts";

/** What is used of Bun's server. */
export interface Server {
  readonly port: number | undefined;
  stop(isForced?: boolean): Promise<void>;
  closeIdleConnections(): number;
}

export interface DescriptorBounds {
  /** Over it, calls are refused. */
  readonly crowded: number;
  /** Over it, the listener rests. */
  readonly full: number;
}

export interface BoundedListenerOptions {
  /** Listens on the port; undefined: the one that is configured. */
  readonly listen: (port?: number) => Server;
  readonly log: Log;
  /** Undefined: no bounds. @default those of this process, on Linux */
  readonly bounds?: DescriptorBounds | undefined;
}

const LOOK_MS = 100;
const OPEN_FILES = "/proc/self/fd";
/** Of the descriptors for clients, those up to which calls are served. */
const CROWDED_SHARE = 3 / 4;

export class BoundedListener {
  readonly port: number;
  readonly #options: BoundedListenerOptions;
  readonly #timer: Timer | undefined;
  /** Those that accept no more, but have connections. */
  readonly #stopping = new Set<Server>();
  /** Undefined while it rests. */
  #server: Server | undefined;
  #isCrowded = false;

  /** @throws what `listen` throws */
  constructor(options: BoundedListenerOptions) {
    const { listen, bounds = descriptorBounds() } = options;
    this.#options = options;
    this.#server = listen();
    this.port = present(this.#server.port);
    this.#timer = bounds && setInterval(() => this.#look(bounds), LOOK_MS);
  }

  /** Whether there are more connections than are served. */
  get isCrowded(): boolean {
    return this.#isCrowded;
  }

  /** Accepts nothing more; resolves when all connections have ended. `isForced` ends them. */
  async stop(isForced = false): Promise<void> {
    clearInterval(this.#timer);
    if (this.#server !== undefined) this.#stopping.add(this.#server);
    this.#server = undefined;
    await Promise.all([...this.#stopping].map((server) => server.stop(isForced)));
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
    this.#options.log.warn("too many connections: none is accepted until some have ended");
    this.#server = undefined;
    this.#stopping.add(server);
    server.stop().finally(() => this.#stopping.delete(server));
  }

  #listenAgain(): void {
    try {
      this.#server = this.#options.listen(this.port);
    } catch (error) {
      this.#options.log.error("can't listen again, trying on", { error });
    }
  }
}

/** Undefined where descriptors can't be counted: on other systems than Linux. */
export function descriptorBounds(): DescriptorBounds | undefined {
  if (!existsSync(OPEN_FILES)) return undefined;
  const limits = readFileSync("/proc/self/limits", "utf8");
  // Bun raises its limit as far as it may.
  const most = /^Max open files +(\d+)/m.exec(limits)?.[1];
  const full = Math.min(Number(most ?? CONNECTIONS_MAX) - DESCRIPTORS_SPARED, 2 * CONNECTIONS_MAX);
  return { full, crowded: Math.min(CONNECTIONS_MAX, Math.floor(full * CROWDED_SHARE)) };
}

function openDescriptors(): number {
  // The folder's size, since Linux 6.2; before, it is 0.
  return statSync(OPEN_FILES).size || readdirSync(OPEN_FILES).length;
}
