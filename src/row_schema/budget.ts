/**
 * The steps that a provider's schema may still take.
 *
 * Generated validators call `spend` in every function, loop turn and error, so a schema that doubles
 * its work at each `$ref` stops at the bound instead of at the end of time.
 *
 * @module
 */
import { HELD_ERRORS_MAX, STEPS_PER_ERROR } from "./limits.ts";

/** The steps are used up: an outcome of the schema, not a fault of ours. */
export class BudgetSpent extends Error {
  override readonly name = "BudgetSpent";
}

/** A counter that is refilled before each job. */
export class Budget {
  #left = 0;

  refill(steps: number): void {
    this.#left = steps;
  }

  /** Takes `steps`, an integer of at least 1. @throws {BudgetSpent} */
  spend(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) throw new BudgetSpent("the steps for this push are used up");
  }

  /** For an error, with the number that is held at once: they are memory. @throws {BudgetSpent} */
  spendOnError(held: number): void {
    this.spend(STEPS_PER_ERROR);
    if (held > HELD_ERRORS_MAX) throw new BudgetSpent("the rows have too many errors at once");
  }
}
