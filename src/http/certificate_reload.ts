/**
 * Replaces the certificate of running listeners, without refusing or breaking a connection.
 *
 * Bun can't change the certificate of a listener. So each gateway process of a port opens a second listener with the
 * new certificate, and all new connections go to the new ones (`load/shared_port.ts`). The old ones keep their
 * connections. Answers on them ask the client to close the connection, and after the time in which idle connections
 * end, the old listeners are closed: by then, only those with a request in progress are left, which it does not affect.
 *
 * @module
 */
import { X509Certificate } from "node:crypto";
import type { TlsFiles } from "../config.ts";
import type { Log } from "../lib/log.ts";
import { IDLE_SECONDS_MAX } from "../limits.ts";
import { readTls, type Tls } from "./listener.ts";
import type { ListenerNumbers } from "./load/shared_port.ts";

/** The listeners of one gateway process. */
export interface CertificateHolder {
  /** Opens listeners with another certificate, beside those that serve. */
  open(tls: Tls): Promise<void>;
  /** Sends new connections to some of the port's listeners. */
  steer(to: ListenerNumbers): Promise<void>;
  /** The connections of the replaced listeners are those of now. Answers on them ask the client to close them. */
  noteConnections(): Promise<void>;
  /** Closes the listeners that `open` has replaced. */
  retire(): Promise<void>;
}

/** Bun looks for idle connections every few seconds. */
const IDLE_MARGIN_MS = 5_000;
const RETIRE_AFTER_MS = 1_000 * IDLE_SECONDS_MAX + IDLE_MARGIN_MS;

interface ReloadOptions {
  /** Undefined without TLS. */
  readonly files: TlsFiles | undefined;
  readonly log: Log;
  /** The processes of the port that serve now. */
  readonly holders: () => readonly CertificateHolder[];
  /** Called with the new certificate, before it is used. */
  readonly onRead?: (tls: Tls) => void;
}

/** Returns a function that reads the files again. Calls during a replacement are one more replacement after it. */
export function createCertificateReload(options: ReloadOptions): () => Promise<void> {
  const { files, log } = options;
  let current: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  const run = () => {
    const running = reload({ ...options, files }).catch((error) => {
      log.error("certificate not replaced: the previous one stays in use", { error });
    });
    current = running.finally(() => {
      current = undefined;
    });
    return current;
  };
  return () => {
    if (current === undefined) return run();
    next ??= current.then(() => {
      next = undefined;
      return run();
    });
    return next;
  };
}

async function reload({ files, log, holders, onRead }: ReloadOptions): Promise<void> {
  if (files === undefined) {
    log.info(
      "nothing to reload: there is no certificate, and other settings are read only at startup",
    );
    return;
  }
  const tls = await readTls(files);
  onRead?.(tls);
  const all = holders();
  try {
    await Promise.all(all.map((holder) => holder.open(tls)));
    const { serialNumber, validTo } = new X509Certificate(tls.cert);
    await steer(all, { first: all.length, count: all.length }, log);
    await Promise.all(all.map((holder) => holder.noteConnections()));
    log.info("certificate replaced", { serial: serialNumber, valid_to: validTo });
    await Bun.sleep(RETIRE_AFTER_MS);
  } finally {
    await retire(all, log);
  }
}

/**
 * Closes the old listeners one after the other. Each time, new connections go to listeners whose numbers stay the same,
 * so that none goes to one that is about to be closed. The last one of all numbers moves to the free one.
 */
async function retire(all: readonly CertificateHolder[], log: Log): Promise<void> {
  for (const [index, holder] of all.entries()) {
    const count = Math.max(1, all.length - index - 1);
    await steer(all, { first: all.length, count }, log);
    await holder.retire();
  }
}

async function steer(
  [holder]: readonly CertificateHolder[],
  to: ListenerNumbers,
  log: Log,
): Promise<void> {
  await holder?.steer(to).catch((error) => {
    log.warn("new connections can't be directed to the new listeners: some may be reset", {
      error,
    });
  });
}
