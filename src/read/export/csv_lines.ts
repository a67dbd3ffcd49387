/**
 * Converts rows to CSV (RFC 4180).
 *
 * A value appears as it was pushed: a string without its quotes, a number with all its digits, an object or an array as
 * JSON text. Null and missing values are empty. Fields without a column are JSON in the last column.
 *
 * @module
 */
import { scanJson, stringOf, textOf } from "../../lib/json_text.ts";
import { JSON_DEPTH_MAX } from "../../limits.ts";

const OTHER = "_other";
const END = "\r\n";
const QUOTED = /[",\r\n]/;

/** The columns of a feed, based on the names in its schema or its rows. */
export function csvColumns(names: readonly string[], isStream: boolean): readonly string[] {
  const first = isStream ? ["id", "event_timestamp"] : ["id"];
  // A field of this name gets no column of its own, because there would be two.
  const others = names.filter((name) => !first.includes(name) && name !== OTHER);
  return [...first, ...others];
}

export function csvHeader(columns: readonly string[]): string {
  return [...columns, OTHER].map(quoted).join(",") + END;
}

/** Returns a function that converts a row, which is a compact JSON object, to a line. */
export function csvLines(columns: readonly string[]): (row: string) => string {
  const placeOf = new Map(columns.map((name, place) => [name, place]));
  return (row) => {
    const json = scanJson(row, { spanDepth: 1, heightMax: JSON_DEPTH_MAX });
    const fields: string[] = columns.map(() => "");
    const others: string[] = [];
    for (const { key, value } of json.root.members ?? []) {
      const place = placeOf.get(key);
      if (place === undefined) others.push(`${JSON.stringify(key)}:${textOf(json, value)}`);
      else if (value.kind === "string") fields[place] = quoted(stringOf(json, value));
      else if (value.kind !== "null") fields[place] = quoted(textOf(json, value));
    }
    const other = others.length === 0 ? "" : quoted(`{${others.join(",")}}`);
    return `${fields.join(",")},${other}${END}`;
  };
}

function quoted(value: string): string {
  return QUOTED.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}
