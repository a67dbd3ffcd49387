/**
 * Who asks for the checks of tests.
 *
 * @module
 */
import type { Caller } from "../../../src/push/schema/worker_queue.ts";

/** One that stays until it is answered, unless its signal says otherwise. */
export function callerOf(
  accountId: string,
  signal: AbortSignal = new AbortController().signal,
): Caller {
  return { accountId, signal };
}

export const CALLER = callerOf("account");

/** A processor that has always time: what a test expects of a time-out is then so on any machine. */
export const IDLE_MACHINE = { processorMs: () => performance.now() };
