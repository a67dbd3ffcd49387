/**
 * A number at an index that its array is known to have. Array types can't say so.
 *
 * @module
 */

export function numberAt(numbers: ArrayLike<number>, index: number): number {
  // Out of bounds it would be undefined; the caller has given out the index.
  return numbers[index] as number;
}
