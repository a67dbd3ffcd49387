/**
 * Parses JSON whose numbers may have more digits than a double.
 *
 * @module
 */

/** What a number becomes, by its text in the document and by its value as a double. */
type NumberOf = (source: string, value: number) => unknown;

/** Parses JSON, and has `numberOf` make each number. */
export function parseJsonNumbers(text: string, numberOf: NumberOf): unknown {
  // The third argument is ECMAScript's own since 2025, and not yet among the types.
  return JSON.parse(text, (_: string, value: unknown, context?: { readonly source?: string }) => {
    const source = context?.source;
    return typeof value === "number" && source !== undefined ? numberOf(source, value) : value;
  });
}
