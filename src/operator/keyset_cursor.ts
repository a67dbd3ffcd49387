/**
 * Cursors of lists whose rows change position while a client pages through them: several values separated by commas.
 *
 * @module
 */
import { parseEventTime } from "../lib/date_time.ts";
import { parseUuid } from "../lib/uuid.ts";
import { Refused } from "./refused.ts";

/** Whether a text is such a part. */
type Part = (text: string) => boolean;

const BIGINT_END = 2n ** 63n;

export const timePart: Part = (text) => parseEventTime(text) !== undefined;
export const uuidPart: Part = (text) => parseUuid(text) !== undefined;
/** An id that grows with time. */
export const numberPart: Part = (text) => /^\d{1,15}$/.test(text);
/** An amount of nano-dollars, which may be beyond what a double holds. */
export const amountPart: Part = (text) => /^\d{1,19}$/.test(text) && BigInt(text) < BIGINT_END;

export interface CursorForm {
  isCursor(text: string): boolean;
  /** Its parts; none of them for the first page. @throws {Refused} */
  parse(text: string | undefined): readonly string[];
  write(...parts: readonly (string | bigint)[]): string;
}

export function defineCursor(...parts: readonly Part[]): CursorForm {
  const isCursor = (text: string) => {
    const values = text.split(",");
    return values.length === parts.length && parts.every((is, place) => is(values[place] ?? ""));
  };
  return {
    isCursor,
    parse(text) {
      if (text === undefined) return [];
      if (!isCursor(text)) throw cursorInvalid(text);
      return text.split(",");
    },
    write: (...values) => values.join(","),
  };
}

/** A single id that grows with time. */
export const NUMBER_CURSOR = defineCursor(numberPart);

export function cursorInvalid(text: string): Refused {
  return new Refused(
    "CURSOR_INVALID",
    `the cursor must be the value from the previous page, got "${text}"`,
  );
}
