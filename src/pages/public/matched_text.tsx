/** @jsxImportSource preact */
/**
 * Why a search found a feed: the matching words, highlighted in its name and description, and where else they occur.
 *
 * The statement `explain_matches` encloses each matching word in two characters of private use. Untrusted text may
 * contain these characters as well, so those without a counterpart are removed.
 *
 * @module
 */
import { withoutInvisible } from "../../lib/invisible_text.ts";
import type { Row } from "../../postgres/client/database.ts";

/** What a search has found in a feed. */
export type Match = Row<"explain_matches">;

const MARKED = /\ue000([^\ue000\ue001]*)\ue001/;
const FIELDS_NAMED = 6;
/** Characters before the first match that an excerpt keeps. */
const BEFORE_MATCH = 60;

/** A text with its matches marked. */
export function Marked({ of }: { readonly of: string }) {
  return (
    <>
      {of
        .split(MARKED)
        .map((part, place) => (place % 2 === 0 ? shown(part) : <mark>{shown(part)}</mark>))}
    </>
  );
}

/** Without the marks that do not stand in pairs. */
function shown(part: string): string {
  return withoutInvisible(part.replace(/[\ue000\ue001]/g, ""));
}

/** A part of a marked text, in one line, that has the first match. No word of it is cut. */
export function excerptOf(marked: string, length: number): string {
  const line = marked.replace(/\s+/g, " ").trim();
  if (line.length <= length) return line;
  const first = line.indexOf("\ue000");
  const from = first < length - BEFORE_MATCH ? 0 : line.indexOf(" ", first - BEFORE_MATCH) + 1;
  const part = line.slice(from, from + length).toWellFormed();
  const isLast = from + length >= line.length;
  const whole = isLast ? part : part.replace(/\s+\S*$/, "");
  // A match that was cut at the end is no match.
  const unmarked = whole.replace(/\ue000[^\ue001]*$/, (rest) => rest.slice(1));
  return `${from > 0 ? "… " : ""}${unmarked}${isLast ? "" : " …"}`;
}

/** A line that says where the words of a search are. */
export function MatchReasons({ of: match }: { readonly of: Match }) {
  const fields = [...new Set(match.fields?.split(" "))];
  const places = [
    match.name !== null && "name",
    match.description !== null && "description",
    match.category !== null && "category",
  ].filter((place) => place !== false);
  if (places.length === 0 && fields.length === 0) {
    return (
      <p class="small why">
        {match.readme === null ? "Similar name" : <InReadme of={match.readme} />}
      </p>
    );
  }
  return (
    <p class="small why">
      Matches {listed(places)}
      {places.length > 0 && fields.length > 0 && " and "}
      {fields.length > 0 && (
        <>
          {fields.length === 1 ? "field " : "fields "}
          {fields.slice(0, FIELDS_NAMED).map((name, place) => (
            <>
              {place > 0 && ", "}
              <code>
                <mark>{withoutInvisible(name)}</mark>
              </code>
            </>
          ))}
          {fields.length > FIELDS_NAMED && ", …"}
        </>
      )}
    </p>
  );
}

function InReadme({ of }: { readonly of: string }) {
  return (
    <>
      Matches the readme
      {of.includes("\ue000") && (
        <>
          : <Marked of={excerptOf(of, 160)} />
        </>
      )}
    </>
  );
}

/** `name`, `name and description`, `name, description and category`. */
function listed(words: readonly string[]): string {
  const last = words.at(-1) ?? "";
  return words.length < 2 ? last : `${words.slice(0, -1).join(", ")} and ${last}`;
}
