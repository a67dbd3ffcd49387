/**
 * Notifies systemd that the gateway serves, and then, while its event loop runs, that it is still alive. Implements
 * `sd_notify(3)` for units with `Type=notify` and `WatchdogSec`.
 *
 * Bun has no Unix datagram sockets, so `systemd-notify` sends the messages. It is a child process, so the unit needs
 * `NotifyAccess=all`.
 *
 * @module
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { messageOf } from "../lib/error_fields.ts";
import type { Log } from "../lib/log.ts";

const PROGRAM = "systemd-notify";
/** Messages per watchdog interval, after which systemd considers a silent service hung. */
const MESSAGES_A_WATCH = 3;
const MICROSECONDS_PER_MS = 1_000;

interface NotifyOptions {
  /** The process's environment. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly log: Log;
}

/** Sends READY and starts the watchdog messages. Returns a function that stops them. Does nothing without systemd. */
export async function notifySystemd({ environment, log }: NotifyOptions): Promise<() => void> {
  if (!environment.NOTIFY_SOCKET) return () => {};
  const send = async (message: string) => {
    try {
      const child = spawn(PROGRAM, [message], { stdio: "ignore" });
      const [code] = await once(child, "exit");
      if (code !== 0) throw new Error(`exit code ${code}`);
    } catch (error) {
      log.warn(`${PROGRAM} failed, so systemd does not know that the gateway is running`, {
        error: messageOf(error),
      });
    }
  };
  await send("READY=1");
  const watchMs = Number(environment.WATCHDOG_USEC ?? 0) / MICROSECONDS_PER_MS;
  if (!(watchMs > 0)) return () => {};
  const messages = setInterval(() => send("WATCHDOG=1"), watchMs / MESSAGES_A_WATCH);
  return () => clearInterval(messages);
}
