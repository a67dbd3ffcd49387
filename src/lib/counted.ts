/**
 * A count with its noun, for messages: `1 row`, `2 rows`.
 *
 * @module
 */

export function counted(count: { toString(): string }, one: string, many = `${one}s`): string {
  const text = String(count);
  return `${text} ${text === "1" ? one : many}`;
}
