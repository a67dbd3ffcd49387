/** @jsxImportSource preact */
/**
 * Mistakes in rows, each with its position in the file.
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

/** A mistake with its place. */
export function mistakeText(mistake: FieldError, form: FileForm): string {
  const place = placeOfMistake(mistake, form);
  return place === "" ? mistake.message : `${place}: ${messageOf(mistake)}`;
}

/** Without the place with which some begin: `line 3 has no id` is `has no id` beside its line. */
export function messageOf({ message }: Pick<FieldError, "message">): string {
  return message.replace(/^(?:row|line) \d+ (?=has )/, "");
}
