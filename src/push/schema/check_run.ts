/**
 * The state of one run of a validator over one row: the steps that are left, the way to the value that is
 * being checked, and the mistakes so far.
 *
 * A schema is a stranger's program. A validator spends a step on everything that it does, so a schema that
 * doubles its work at each `$ref` stops at the bound instead of at the end of time.
 *
 * @module
 */
import { boundedPointer, pointerTo } from "../../lib/json_text.ts";
import { ERRORS_LISTED_MAX } from "../../limits.ts";
import type { Resource } from "./read_schema.ts";

/** A mistake in one value. */
export interface ValueError {
  /** RFC 6901, inside the row; "" for the row itself. */
  readonly pointer: string;
  readonly message: string;
}

/**
 * Whether a value meets a part of the schema. Mistakes are noted in the run. `seen` collects what was
 * evaluated of the value, if a schema around asks for it.
 */
export type Validate = (value: unknown, run: CheckRun, seen?: Seen) => boolean;

/** Properties and items of one value that a schema has evaluated. Core 11. */
export class Seen {
  readonly properties = new Set<string>();
  /** All items before this index. */
  itemsEnd = 0;
  /** Others, which `contains` has matched. */
  readonly items = new Set<number>();

  hasItem(index: number): boolean {
    return index < this.itemsEnd || this.items.has(index);
  }

  add(other: Seen, run: CheckRun): void {
    run.spend(other.properties.size + other.items.size);
    for (const key of other.properties) this.properties.add(key);
    for (const index of other.items) this.items.add(index);
    this.itemsEnd = Math.max(this.itemsEnd, other.itemsEnd);
  }
}

/** The steps are used up: an outcome of the schema, not a fault of ours. */
export class StepsSpent extends Error {
  override readonly name = "StepsSpent";
}

/** Steps of one mistake, because its pointer and message are texts. */
const STEPS_PER_ERROR = 10;
/** Characters of one message: a schema may name a property of 200,000. */
const MESSAGE_CHARS_MAX = 300;

export class CheckRun {
  stepsLeft: number;
  /** Whether mistakes are collected. If not, a validator stops at the first. */
  isExplaining: boolean;
  readonly path: (string | number)[] = [];
  /** What messages are about, to stand before them: "" for the value, or its name. */
  subject = "";
  /** Resources of the schema, in the order in which they were entered, for `$dynamicRef`. */
  readonly scope: Resource[] = [];
  /** The first mistakes. */
  readonly errors: ValueError[] = [];
  errorCount = 0;

  constructor(options: { readonly stepsMax: number; readonly isExplaining: boolean }) {
    this.stepsLeft = options.stepsMax;
    this.isExplaining = options.isExplaining;
  }

  /** @throws {StepsSpent} */
  spend(steps: number): void {
    this.stepsLeft -= steps;
    if (this.stepsLeft < 0) throw new StepsSpent("the steps for this push are used up");
  }

  /** Notes a mistake of the value. Returns false, for the validator to return. */
  fail(message: string): false {
    if (!this.isExplaining) return false;
    this.spend(STEPS_PER_ERROR);
    this.errorCount += 1;
    if (this.errors.length >= ERRORS_LISTED_MAX) return false;
    const text = this.subject + message;
    this.errors.push({
      pointer: boundedPointer(pointerTo(...this.path)),
      message: text.length > MESSAGE_CHARS_MAX ? `${text.slice(0, MESSAGE_CHARS_MAX - 1)}…` : text,
    });
    return false;
  }

  /** Takes back the mistakes of a branch that turned out not to matter. */
  takeBack(marked: { readonly errorCount: number; readonly listed: number }): void {
    this.errorCount = marked.errorCount;
    this.errors.length = marked.listed;
  }

  get mark(): { readonly errorCount: number; readonly listed: number } {
    return { errorCount: this.errorCount, listed: this.errors.length };
  }
}
