/**
 * Lets so many pieces of work run at once, lets some more wait, and refuses the rest at once.
 *
 * Pieces may have owners. Waiting owners take turns, and each runs at most so many pieces at once, so an
 * owner with many or slow pieces waits for itself and not the others for it.
 *
 * What waits is bounded by time: from the pace of the last pieces the gate knows how long a newcomer
 * would wait, and refuses it if that is too long. A piece that has waited longer than it should all the
 * same, since the pace fell, is refused then.
 *
 * @module
 */
import { assert } from "./assert.ts";

export interface GateOptions {
  /** Pieces that run at once. */
  readonly runningMax: number;
  /** Of them, those of one owner; "" is whoever names none. @default no bound */
  readonly ownerRunningMax?: (owner: string) => number;
  /** Pieces that wait. One owner may wait with as many as it leaves free. */
  readonly waitingMax: number;
  /** Who would wait longer, by the pace of the last pieces, is not let in, in milliseconds. */
  readonly waitMsMax: number;
  /** Pieces that wait whatever the pace. @default 0 */
  readonly waitingFree?: number;
  /** What was let in waits up to this times `waitMsMax`. @default 1 */
  readonly latenessMax?: number;
}

export interface Gate {
  /** Resolves to true once the caller may begin, who then calls `leave`; to false if it may not. */
  enter(owner?: string): Promise<boolean> | boolean;
  /** After the end of what was let in; `ms` is how long it took. */
  leave(ms: number, owner?: string): void;
  readonly running: number;
  readonly waiting: number;
}

interface Line {
  running: number;
  /** How to begin each piece that waits, the first to come first. */
  readonly waiters: Set<() => void>;
}

/** Weight of the newest piece in the average of their times. */
const PACE_WEIGHT = 1 / 16;

export function createGate(options: GateOptions): Gate {
  const { runningMax, waitingMax, waitMsMax, waitingFree = 0, latenessMax = 1 } = options;
  const { ownerRunningMax = () => Number.POSITIVE_INFINITY } = options;
  assert(runningMax > 0, "a gate lets something through");
  /** By owner, in the order of their turns; who neither runs nor waits has none. */
  const lines = new Map<string, Line>();
  let running = 0;
  let waiting = 0;
  let meanMs = 0;

  function lineOf(owner: string): Line {
    let line = lines.get(owner);
    if (line === undefined) {
      line = { running: 0, waiters: new Set() };
      lines.set(owner, line);
    }
    return line;
  }

  function mayRun(owner: string, line: Line): boolean {
    return running < runningMax && line.running < ownerRunningMax(owner);
  }

  function mayWait(owner: string, { waiters }: Line): boolean {
    const left = waitingMax - waiting;
    if (owner === "" ? left < 1 : left < waiters.size + 2) return false;
    return waiting < waitingFree || expectedWaitMs(waiters.size + 1) <= waitMsMax;
  }

  /** Of the piece that is so many-eth in its line. */
  function expectedWaitMs(place: number): number {
    let ahead = 1;
    for (const { waiters } of lines.values()) ahead += Math.min(waiters.size, place);
    return (ahead * meanMs) / runningMax;
  }

  function begin(line: Line): void {
    line.running += 1;
    running += 1;
  }

  function wait(owner: string, line: Line): Promise<boolean> {
    waiting += 1;
    return new Promise((resolve) => {
      const end = (isLetIn: boolean) => {
        clearTimeout(timer);
        line.waiters.delete(letIn);
        waiting -= 1;
        if (isLetIn) begin(line);
        else forgetIdle(owner, line);
        resolve(isLetIn);
      };
      const letIn = () => end(true);
      const timer = setTimeout(() => end(false), waitMsMax * latenessMax);
      line.waiters.add(letIn);
    });
  }

  /** The next owner that may run has its turn, and goes to the end. */
  function passOn(): void {
    for (const [owner, line] of lines) {
      if (running >= runningMax) return;
      if (!mayRun(owner, line)) continue;
      // A set gives back what was put in first.
      const [letIn] = line.waiters;
      if (letIn === undefined) continue;
      lines.delete(owner);
      lines.set(owner, line);
      letIn();
    }
  }

  function forgetIdle(owner: string, line: Line): void {
    if (line.running === 0 && line.waiters.size === 0) lines.delete(owner);
  }

  return {
    enter(owner = "") {
      const line = lineOf(owner);
      if (mayRun(owner, line)) {
        begin(line);
        return true;
      }
      if (mayWait(owner, line)) return wait(owner, line);
      forgetIdle(owner, line);
      return false;
    },
    leave(ms, owner = "") {
      const line = lineOf(owner);
      assert(line.running > 0, "only what was let in can leave");
      line.running -= 1;
      running -= 1;
      meanMs += (ms - meanMs) * PACE_WEIGHT;
      passOn();
      forgetIdle(owner, line);
    },
    get running() {
      return running;
    },
    get waiting() {
      return waiting;
    },
  };
}
