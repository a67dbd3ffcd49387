/**
 * A progress line on the terminal: rows, rate, and remaining time. It is not shown if standard error is not a terminal,
 * or if rows are written to the same terminal.
 *
 * @module
 */
import { MS_PER_SECOND } from "../../lib/time_units.ts";
import type { Output } from "../output.ts";

const REDRAW_MS = 200;
const CLEAR_LINE = "\r\u001b[K";
const SECONDS_PER_MINUTE = 60;

/** Progress of a command. */
export interface Progress {
  readonly rows: number;
  /** Completed share, from 0 to 1, if known. */
  readonly share?: number | undefined;
}

/** The progress line. */
export class Status {
  readonly #output: Output;
  readonly #isShown: boolean;
  readonly #startedMs = performance.now();
  #drawnMs = Number.NEGATIVE_INFINITY;

  constructor(output: Output) {
    this.#output = output;
    this.#isShown = output.statusColumns !== undefined && output.columns === undefined;
  }

  /** A status that is shown even if standard output is the same terminal, for commands that write no rows. */
  get alone(): Status {
    return this.#isShown ? this : new Status({ ...this.#output, columns: undefined });
  }

  /** Draws the progress, at most a few times per second. */
  show(progress: Progress): void {
    const nowMs = performance.now();
    if (nowMs - this.#drawnMs < REDRAW_MS) return;
    this.#drawnMs = nowMs;
    this.#draw(progressText(progress, nowMs - this.#startedMs));
  }

  /** Draws the reason for a pause. */
  wait({ error, waitMs }: { readonly error: unknown; readonly waitMs: number }): void {
    // Too short to notice.
    if (waitMs < MS_PER_SECOND) return;
    const why = error instanceof Error ? error.message : String(error);
    this.#draw(`waiting ${Math.ceil(waitMs / MS_PER_SECOND)} s: ${why}`);
  }

  /** Removes the line. */
  clear(): void {
    if (this.#isShown && this.#drawnMs > Number.NEGATIVE_INFINITY)
      this.#output.status?.(CLEAR_LINE);
    this.#drawnMs = Number.NEGATIVE_INFINITY;
  }

  #draw(text: string): void {
    if (!this.#isShown) return;
    this.#drawnMs = performance.now();
    this.#output.status?.(CLEAR_LINE + text.slice(0, (this.#output.statusColumns ?? 0) - 1));
  }
}

/** `12,000 rows, 3,000 rows/s, 40 %, 8 s left`. */
export function progressText({ rows, share }: Progress, elapsedMs: number): string {
  const rate = rows / Math.max(elapsedMs / MS_PER_SECOND, 0.001);
  const parts = [`${grouped(rows)} rows`, `${grouped(Math.round(rate))} rows/s`];
  if (share !== undefined && share > 0) {
    parts.push(`${Math.floor(Math.min(share, 1) * 100)} %`);
    parts.push(`${timeText((elapsedMs / share) * (1 - Math.min(share, 1)))} left`);
  }
  return parts.join(", ");
}

/** A count with digit grouping. */
export function grouped(count: number): string {
  return count.toLocaleString("en-US");
}

function timeText(ms: number): string {
  const seconds = Math.ceil(ms / MS_PER_SECOND);
  return seconds < SECONDS_PER_MINUTE
    ? `${seconds} s`
    : `${Math.floor(seconds / SECONDS_PER_MINUTE)} min ${seconds % SECONDS_PER_MINUTE} s`;
}
