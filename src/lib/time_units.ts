/**
 * Conversion factors between units of time.
 *
 * @module
 */

export const MS_PER_SECOND = 1_000;
export const MS_PER_DAY = 86_400 * MS_PER_SECOND;
export const US_PER_MS = 1_000;
export const US_PER_SECOND = 1_000_000;
export const US_PER_DAY = 86_400 * US_PER_SECOND;
