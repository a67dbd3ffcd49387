/**
 * The state of one run of a validator over one row: the remaining steps, the path to the value that is being checked,
 * and the mistakes so far.
 *
 * Schemas are untrusted programs. A validator spends a step on everything that it does, so a schema that doubles its
 * work with each `$ref` stops at the limit.
 *
 * @module
 */
import { boundedPointer, pointerTo } from "../../lib/json_text.ts";
import { ERRORS_LISTED_MAX } from "../../limits.ts";
import type { Resource } from "./read_schema.ts";

/** A mistake in one value. */
export interface ValueError {
  /** RFC 6901, relative to the row; "" for the row itself. */
  readonly pointer: string;
  readonly message: string;
}

/** Names of the properties, or indexes of the items, that a schema has evaluated of one value. Core 11. */
export type Seen = Set<string | number>;

/**
 * Whether a value meets a part of the schema. Mistakes are noted in the run. `seen` collects what was evaluated of the
 * value, if an enclosing schema needs it.
 */
export type Validate = (value: unknown, run: CheckRun, seen?: Seen) => boolean;

/** The steps are used up. This is an outcome of the schema, not an internal error. */
export class StepsSpent extends Error {
  override readonly name = "StepsSpent";
}

/** Steps charged for one mistake, because its pointer and message must be built. */
const STEPS_PER_ERROR = 10;
/** Characters of one message. A schema may name a property of 200,000 characters. */
const MESSAGE_CHARS_MAX = 300;

export class CheckRun {
  stepsLeft: number;
  /** Whether mistakes are collected. If not, a validator stops at the first one. */
  isExplaining: boolean;
  readonly path: (string | number)[] = [];
  /** The subject that messages begin with: "" for the value itself, or a name. */
  subject = "";
  /** Resources of the schema, in the order they were entered, for `$dynamicRef`. */
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
}
