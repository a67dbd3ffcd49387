/**
 * Units of money, as whole numbers of nano-dollars.
 *
 * @module
 */

/** 0.01 USD, which is 10,000 credits. */
export const NANOS_PER_CENT = 10_000_000n;
/** A millionth of a dollar. */
export const NANOS_PER_CREDIT = 1_000n;
