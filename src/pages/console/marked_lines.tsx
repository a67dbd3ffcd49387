/** @jsxImportSource preact */
/**
 * Mistakes in a JSON text that a person has typed, each with the lines around it. It works without JavaScript, because
 * a text area can't highlight lines.
 *
 * @module
 */
import type { FieldError } from "../../lib/field_error.ts";
import { escapeInvisible } from "../../lib/invisible_text.ts";
import { lineOfPointer } from "../../lib/json_place.ts";
import { Text } from "../layout/parts.tsx";

export interface Mark {
  /** Of the text, from 1. */
  readonly line: number;
  readonly message: string;
}

const MARKS_SHOWN = 5;
/** Before the marked line, and after it. */
const LINES_AROUND = 2;
const LINE_CHARS_MAX = 160;

/** Those of the mistakes that are in a field's JSON. Their paths begin with the field's name. */
export function marksIn(
  text: string,
  {
    field,
    errors = [],
  }: { readonly field: string; readonly errors?: readonly FieldError[] | undefined },
): readonly Mark[] {
  const place = `/${field}`;
  return errors
    .filter(({ path }) => path === place || path.startsWith(`${place}/`))
    .slice(0, MARKS_SHOWN)
    .map(({ path, message, line }) => ({
      line: line ?? lineOfPointer(text, path.slice(place.length)),
      message,
    }));
}

interface MarkedLinesProps {
  /** What describes the field, for people who can't see where it stands. */
  readonly id: string;
  readonly text: string;
  readonly marks: readonly Mark[];
}

export function MarkedLines({ id, text, marks }: MarkedLinesProps) {
  const lines = text.split("\n");
  return (
    <div class="marked" id={id}>
      {marks.map(({ line, message }) => {
        const first = Math.max(1, line - LINES_AROUND);
        const around = lines.slice(first - 1, line + LINES_AROUND);
        return (
          <div>
            <p>
              <strong>Line {line}</strong>: <Text of={message} />
            </p>
            <ol class="source" start={first}>
              {around.map((each, place) => (
                <li>{first + place === line ? <mark>{shown(each)}</mark> : shown(each)}</li>
              ))}
            </ol>
          </div>
        );
      })}
    </div>
  );
}

/** An empty line has its height, too. */
function shown(line: string): string {
  const cut = escapeInvisible(line.slice(0, LINE_CHARS_MAX));
  return (cut === line ? cut : `${cut.toWellFormed()}…`) || " ";
}
