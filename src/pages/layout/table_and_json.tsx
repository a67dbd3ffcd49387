/** @jsxImportSource preact */
/**
 * Data of a feed in two tabs: as a table and as JSON.
 *
 * @module
 */
import type { ComponentChildren } from "preact";
import { indentJson } from "../../lib/indent_json.ts";
import { escapeInvisible } from "../../lib/invisible_text.ts";
import { type Tab, Tabs } from "./parts.tsx";
import { RowTable } from "./row_table.tsx";
import type { ShownRows } from "./shown_rows.ts";

/** Of JSON, in characters. */
const JSON_CHARS_SHOWN = 4_000;
/** Times the characters shown. */
const JSON_LOOKED_AT = 3;
/** The id of the table that a chart draws. */
export const ROWS_ID = "rows";

interface TableAndJsonProps extends JsonProps {
  readonly shown: ShownRows;
  /** Of the tabs, unique on the page. */
  readonly name: string;
  /** What the table says if it has no columns. */
  readonly empty?: ComponentChildren;
  /** More parts. @default none */
  readonly more?: readonly Tab[];
}

export function TableAndJson({ shown, name, empty, more = [], ...json }: TableAndJsonProps) {
  const table =
    shown.columns.length > 0 ? (
      <RowTable id={ROWS_ID} {...shown} />
    ) : (
      <div class="empty">{empty}</div>
    );
  return (
    <Tabs
      label="View"
      name={name}
      tabs={[{ head: "Table", body: table }, { head: "JSON", body: <Json {...json} /> }, ...more]}
    />
  );
}

interface JsonProps {
  /** Valid JSON. */
  readonly json: string;
  readonly charsMax?: number;
  /** The sentence after a text that is cut. Null: no sentence. */
  readonly rest?: string | null;
}

/** The text on several lines, up to a number of characters. */
export function Json({
  json,
  charsMax = JSON_CHARS_SHOWN,
  rest = "Read the feed for the rest.",
}: JsonProps) {
  // A provider's own white space is left out, so more is looked at than is shown.
  const looked = json.slice(0, JSON_LOOKED_AT * charsMax);
  const lines = escapeInvisible(indentJson(looked));
  const isCut = lines.length > charsMax || looked !== json;
  return (
    <>
      <pre tabIndex={0} class="tall">
        <code>{isCut ? `${lines.slice(0, charsMax).toWellFormed()}\n…` : lines}</code>
      </pre>
      {isCut && rest !== null && <p class="soft small">Truncated. {rest}</p>}
    </>
  );
}
