/** @jsxImportSource preact */
/**
 * Mistakes of rows, each with its place in the file that had it.
 *
 * @module
 */
import type { FieldError } from "../../lib/field_error.ts";
import { type FileForm, placeOfMistake } from "../../push/rows/read_file.ts";
import { Text } from "../layout/parts.tsx";

interface PlacedMistakesProps {
  readonly of: readonly FieldError[];
  readonly form: FileForm;
}

export function PlacedMistakes({ of, form }: PlacedMistakesProps) {
  if (of.length === 0) return null;
  return (
    <ul>
      {of.map((mistake) => (
        <li>
          <Text of={mistakeText(mistake, form)} />
        </li>
      ))}
    </ul>
  );
}

/** A mistake with its place, unless its message begins with it. */
export function mistakeText(mistake: FieldError, form: FileForm): string {
  const place = placeOfMistake(mistake, form);
  if (place === "" || mistake.message.startsWith(place)) return mistake.message;
  return `${place}: ${mistake.message}`;
}
