/**
 * Chooses which of several listeners on one port gets new connections.
 *
 * Listeners that share a port (`SO_REUSEPORT`) each have a queue of their own. Closing one resets the connections that
 * wait in its queue, or whose handshake is not complete. So before a listener is closed, new connections go to the
 * others for a while. The kernel numbers the listeners of a port in the order in which they were opened, and a filter
 * (`SO_ATTACH_REUSEPORT_CBPF`, Linux 4.6) returns the number of the one that gets a connection. If there is no listener
 * of that number, the kernel chooses among all of them. When a listener is closed, the last one gets its number.
 *
 * Other systems choose by themselves, so a few connections may be reset there.
 *
 * @module
 */
import { dlopen, ptr } from "bun:ffi";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";

/** The listeners with the numbers `first` to `first + count - 1`. */
export interface ListenerNumbers {
  readonly first: number;
  readonly count: number;
}

const LIBRARY = "libc.so.6";
/** From the headers of Linux, for all processors that Bun runs on. */
const SOL_SOCKET = 1;
const SO_ATTACH_REUSEPORT_CBPF = 51;
const LISTENING = "0A";
/** `struct sock_filter` and `struct sock_fprog`. */
const INSTRUCTION_BYTES = 8;
const PROGRAM_BYTES = 16;
const PROGRAM_ADDRESS_AT = 8;
/** Instructions of the classic BPF. */
const LOAD_WORD = 0x20;
const MODULO = 0x94;
const ADD = 0x04;
const RETURN_CONSTANT = 0x06;
const RETURN_RESULT = 0x16;
/** The address of a random number: `SKF_AD_OFF + SKF_AD_RANDOM`. */
const RANDOM = 0xff_ff_f0_00 + 56;

const HEX = 16;

/**
 * Sends new connections of a port to some of its listeners, at random. One of them must be this process's.
 * @throws if the system refuses
 */
export function steerConnections(port: number, { first, count }: ListenerNumbers): void {
  if (process.platform !== "linux") return;
  const program =
    count === 1
      ? [[RETURN_CONSTANT, first]]
      : [
          [LOAD_WORD, RANDOM],
          [MODULO, count],
          [ADD, first],
          [RETURN_RESULT, 0],
        ];
  const filter = new DataView(new ArrayBuffer(INSTRUCTION_BYTES * program.length));
  for (const [index, [code = 0, operand = 0]] of program.entries()) {
    filter.setUint16(INSTRUCTION_BYTES * index, code, true);
    filter.setUint32(INSTRUCTION_BYTES * index + 4, operand, true);
  }
  const option = new DataView(new ArrayBuffer(PROGRAM_BYTES));
  option.setUint16(0, program.length, true);
  option.setBigUint64(PROGRAM_ADDRESS_AT, BigInt(ptr(filter.buffer)), true);
  const library = dlopen(LIBRARY, {
    setsockopt: { args: ["i32", "i32", "i32", "ptr", "u32"], returns: "i32" },
  });
  try {
    const listener = listeningDescriptor(port);
    const { setsockopt } = library.symbols;
    const address = ptr(option.buffer);
    if (setsockopt(listener, SOL_SOCKET, SO_ATTACH_REUSEPORT_CBPF, address, PROGRAM_BYTES) !== 0) {
      throw new Error(`the system refuses a filter for connections of port ${port}`);
    }
  } finally {
    library.close();
  }
}

/** Remote ports of the connections of a port. Undefined if they can't be known, as on systems other than Linux. */
export function remotePorts(port: number): ReadonlySet<number> | undefined {
  if (process.platform !== "linux") return undefined;
  const connections = socketsOf(port).filter(({ state }) => state !== LISTENING);
  return new Set(connections.map(({ remotePort }) => remotePort));
}

/** @throws if this process does not listen on the port */
function listeningDescriptor(port: number): number {
  const listeners = socketsOf(port).filter(({ state }) => state === LISTENING);
  const names = new Set(listeners.map(({ inode }) => `socket:[${inode}]`));
  for (const descriptor of readdirSync("/proc/self/fd")) {
    if (names.has(linkOf(`/proc/self/fd/${descriptor}`))) return Number(descriptor);
  }
  throw new Error(`this process does not listen on port ${port}`);
}

/** "" if the descriptor has been closed meanwhile. */
function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}

/** The sockets of a local port, of all processes: `proc_net_tcp` of the kernel's documentation. */
function socketsOf(port: number) {
  const lines = ["tcp", "tcp6"].flatMap((table) => readTable(`/proc/self/net/${table}`));
  return lines.flatMap((line) => {
    const [, local = "", remote = "", state = "", , , , , , inode = ""] = line.trim().split(/\s+/);
    if (portOf(local) !== port) return [];
    return [{ state, inode, remotePort: portOf(remote) }];
  });
}

/** A system without IPv6 has no table of it. */
function readTable(path: string): string[] {
  try {
    return readFileSync(path, "utf8").split("\n").slice(1);
  } catch {
    return [];
  }
}

/** Of `ADDRESS:PORT`, both in hexadecimal. */
function portOf(address: string): number {
  return Number.parseInt(address.split(":")[1] ?? "", HEX);
}
