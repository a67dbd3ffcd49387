/**
 * Numbers with all their digits: in JSON that a page shows, and as a person types them.
 *
 * @module
 */
import { parseJsonNumbers } from "../../lib/json_numbers.ts";
import { toExactNumber, withoutGroups } from "../../money/money.ts";

/** Numbers that would lose digits stay exact; they show as they stood there. */
export function parseExact<Body>(text: string): Body {
  return parseJsonNumbers(text === "" ? "{}" : text, (source, value) =>
    String(value) === source ? value : toExactNumber(source),
  ) as Body;
}

/** A number as a person typed it, for a JSON body; what is none goes as it is, and the route says so. */
export function typedNumber(typed: string) {
  const text = withoutGroups(typed);
  return /^\d+(\.\d+)?$/.test(text) ? toExactNumber(text.replace(/^0+(?=\d)/, "")) : typed;
}
