/**
 * An array in PostgreSQL's text form: `{"a","b \" c",NULL,5}`. PostgreSQL manual, "Array Input and
 * Output Syntax".
 *
 * The driver could write one, too, but it asks each new connection for types and calls a serializer for
 * each element. This costs a fraction of that, and admission sends eleven arrays with every batch.
 *
 * @module
 */

export type ArrayElement = string | number | bigint | boolean | null;

/** Characters that would end a quoted element. */
const SPECIAL = /["\\]/;
const ALL_SPECIAL = /["\\]/g;

/** The server gives it the type that the statement has in its place. */
export function arrayLiteral(elements: readonly ArrayElement[]): string {
  return `{${elements.map(elementLiteral).join(",")}}`;
}

/** Quoted, no text can be taken for null, for a number of elements or for a brace. */
function elementLiteral(element: ArrayElement): string {
  if (typeof element !== "string") return `${element}`;
  return `"${SPECIAL.test(element) ? element.replace(ALL_SPECIAL, "\\$&") : element}"`;
}
