/**
 * Every statement on a table of rows names one feed, so that it costs what that feed has, and not what all feeds have
 * together.
 *
 * Read from the SQL itself: wherever rows are read or written, the same query has the condition `feed_id = …` with a
 * parameter, or a variable, on the right.
 *
 * @module
 */
import { describe, expect, test } from "bun:test";
import { FUNCTIONS, STATEMENTS } from "../../../src/postgres/generated/statements.ts";

const TABLE = "(?:documents|collection_rows|stream_events)";

/** Text without comments and string literals, at the same length. */
function bare(text: string): string {
  return text.replace(/--.*|'(?:[^']|'')*'/g, (found) => found.replace(/[^\n]/g, " "));
}

/** From the parenthesis or the end of the statement before a place to the one behind it. */
function queryAround(text: string, place: number): string {
  let depth = 0;
  let start = place;
  for (; start > 0; start--) {
    const character = text[start - 1];
    if (character === ")") depth += 1;
    if (character === "(" && depth-- === 0) break;
    if (character === ";" && depth === 0) break;
  }
  depth = 0;
  let end = place;
  for (; end < text.length; end++) {
    const character = text[end];
    if (character === "(") depth += 1;
    if (character === ")" && depth-- === 0) break;
    if (character === ";" && depth === 0) break;
  }
  return text.slice(start, end);
}

/** The same without what is in parentheses: the query itself, not what is nested in it. */
function ownText(query: string): string {
  let depth = 0;
  let own = "";
  for (const character of query) {
    if (character === ")") depth -= 1;
    if (depth === 0) own += character;
    if (character === "(") depth += 1;
  }
  return own;
}

function parametersOf(text: string): string[] {
  const head = /function \w+\(([\s\S]*?)\n?\)\n?returns|function \w+\(([\s\S]*?)\n\)/.exec(text);
  const declared = (head?.[1] ?? head?.[2] ?? "").matchAll(/^ *(?!out )(\w+) /gm);
  return [...declared].map(([, name]) => name as string);
}

/** What is wrong with each mention of a row table. */
function mistakesIn(name: string, raw: string): string[] {
  const text = bare(raw);
  const value = ["\\$\\d+(?:::uuid)?", "(?:batch|feed)\\.feed_id", ...parametersOf(raw)].join("|");
  const mistakes: string[] = [];
  for (const found of text.matchAll(new RegExp(`\\b${TABLE}\\b(?!\\.)`, "g"))) {
    const before = /(\w+)\s+$/.exec(text.slice(0, found.index))?.[1] ?? "";
    const alias = /^\s+as\s+(\w+)/.exec(text.slice(found.index + found[0].length))?.[1];
    const query = queryAround(text, found.index);
    const where = `${name}: ${before} ${found[0]}`;
    if (before === "into") {
      const inserted = new RegExp(
        `^\\s*\\(feed_id,[^)]*\\)\\s*(?:select|values\\s*\\()\\s*(?:${value})\\b`,
      );
      if (!inserted.test(text.slice(found.index + found[0].length))) mistakes.push(where);
      continue;
    }
    const owner = alias ?? found[0];
    const condition = new RegExp(`(?<![\\w.])(?:${owner}\\.)?feed_id = (?:${value})(?![\\w.])`);
    if (!["from", "join", "update"].includes(before) || !condition.test(ownText(query))) {
      mistakes.push(where);
    }
  }
  return mistakes;
}

const texts: [string, string][] = [
  ...Object.entries(STATEMENTS),
  ...FUNCTIONS.map(({ name, text }): [string, string] => [name, text]),
];

describe("statements on rows", () => {
  test("each names one feed, by a parameter", () => {
    const reached = texts.filter(([, text]) => new RegExp(`\\b${TABLE}\\b`).test(bare(text)));
    expect(reached.length).toBeGreaterThan(10);
    expect(reached.flatMap(([name, text]) => mistakesIn(name, text))).toEqual([]);
  });

  test("the reading of them finds what would look through the rows of every feed", () => {
    const wrong = [
      "select payload from stream_events where position > $1",
      "select payload from stream_events as found join feeds on found.feed_id = feeds.feed_id",
      "select (select count(*) from documents) from feeds where feed_id = $1",
      "delete from collection_rows where ctid = any (array(select ctid from collection_rows where feed_id = $1))",
      "update documents set payload = $2 where feed_id <> $1",
      "insert into documents (payload, feed_id) values ($2, $1)",
      "insert into documents (feed_id, payload) select feeds.feed_id, '{}' from feeds",
      "select from feeds, documents where documents.feed_id = $1",
    ];
    for (const text of wrong)
      expect([text, mistakesIn("wrong", text)]).toEqual([text, [expect.any(String)]]);
    const right = [
      "select payload from documents where feed_id = $1",
      "select (select max(position) from stream_events as e where e.feed_id = $1 and e.position > 5)",
      "insert into documents (feed_id, payload) values ($1, $2)",
    ];
    expect(right.flatMap((text) => mistakesIn("right", text))).toEqual([]);
  });
});
