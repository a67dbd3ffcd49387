/**
 * A number at an index that is known to be valid, which array types can't express.
 *
 * @module
 */

export function numberAt(numbers: ArrayLike<number>, index: number): number {
  // Out of bounds it would be undefined, but the caller assigned the index.
  return numbers[index] as number;
}
