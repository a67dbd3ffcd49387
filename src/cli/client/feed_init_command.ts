/**
 * `feed init`: looks at the first rows of a file, proposes a feed for them, and creates its draft. Beyond 8.
 *
 * @module
 */

import { basename } from "node:path";
import { isArrayText } from "../../client/json_texts.ts";
import { EndpointPathTakenError, type NewFeed } from "../../client/mod.ts";
import { parseEventTime } from "../../lib/date_time.ts";
import { intervalText } from "../../lib/interval_text.ts";
import { shellWord } from "../../lib/own_process.ts";
import { plainDecimal } from "../../lib/plain_decimal.ts";
import { parseExact } from "../../money/money.ts";
import { RefusedError } from "../command.ts";
import { typed } from "../hints.ts";
import { flag, oneOf, text } from "../options.ts";
import { type Columns, fields, table } from "../output.ts";
import { clientCommand } from "./client_command.ts";
import { notes } from "./feed_edit_command.ts";
import { INTERVAL_OPTION, PRICE_OPTION } from "./feed_options.ts";
import { priceText } from "./find_commands.ts";
import { isObject, type ProposedSchema, proposeSchema, typedTexts } from "./propose_schema.ts";
import {
  type RowSource,
  readJson,
  requireStorable,
  rowSource,
  SOURCE_FORMAT,
  sourceRows,
} from "./row_source.ts";
import { grouped } from "./status.ts";

/** Rows that are looked at. */
const ROWS_MAX = 1_000;
const SLUG_LENGTH_MAX = 80;
const NAME_LENGTH_MAX = 200;
/** The gateway's default. Interface 4.7. */
const INTERVAL_MINUTES = 60;

type Row = Readonly<Record<string, unknown>>;

/** The command `feed init`. */
export const feedInit = clientCommand({
  words: "feed init",
  argument: "FILE",
  about: "propose slug, type, schema and sample for a file of rows, and create the draft of a feed",
  options: {
    format: SOURCE_FORMAT,
    name: text("of the feed; default by the file's name"),
    slug: text("of the feed; default by the file's name", { lengthMax: SLUG_LENGTH_MAX }),
    type: oneOf(["singleton", "collection", "stream"], "default by the rows"),
    price: PRICE_OPTION,
    every: INTERVAL_OPTION,
    lock: flag("refuse rows that the schema does not take"),
    yes: flag("don't ask first; without a terminal, or with --json, nobody is asked"),
  },
  async run({ argument: path, values, output, feedgate, signal }) {
    const source = rowSource(path, values.format);
    const { rows, isDocument } = await firstRows(source);
    const words = basename(path)
      .replace(/\.\w+$/, "")
      .replace(/[^\p{L}\p{N}]+/gu, " ")
      .trim();
    const type = values.type ?? typeOf(rows, isDocument);
    if (type !== "singleton") requireIds(rows, source);
    const schema = proposeSchema(rows);
    const feed = {
      name: values.name ?? nameOf(words),
      endpoint_path: values.slug ?? slugOf(words),
      feed_type: type,
      schema_definition: { ...schema },
      schema_locked: values.lock ?? false,
      sample_response: rows[0],
      ...(values.every !== undefined && { sync_interval_mins: values.every }),
      ...values.price,
    } satisfies NewFeed;
    const proposal = (columns?: number) =>
      [
        fields({
          name: feed.name,
          slug: feed.endpoint_path,
          type,
          price: values.price === undefined ? "free; --price sets one" : priceText(values.price),
          "new data":
            values.every === undefined
              ? `${intervalText(INTERVAL_MINUTES)} unless --every says otherwise`
              : intervalText(values.every),
          schema: values.lock
            ? "locked, so rows that don't meet it are refused"
            : "not locked, so any row is stored; --lock holds rows to it",
          "looked at": `${grouped(rows.length)} ${rows.length === 1 ? "row" : "rows"}; fields of all of them are required`,
        }),
        "",
        table(fieldsOf(schema, rows), FIELD_COLUMNS)(columns),
        "",
      ].join("\n");
    const { confirm } = output;
    if (values.yes !== true && confirm !== undefined) {
      await output.write(`${proposal(output.columns)}\n`);
      if (!confirm("Create this draft?")) throw new RefusedError("nothing was created");
    }
    const made = await feedgate.createFeed(feed, { signal }).catch((error) => {
      if (!(error instanceof EndpointPathTakenError)) throw error;
      throw new RefusedError(
        `the slug ${feed.endpoint_path} is in use; choose another with --slug`,
      );
    });
    const created = fields({
      created: made.id,
      status: made.status,
      ...(values.price === undefined && {
        "price it": typed(`feed edit ${made.endpoint_path} --price 0.5/1k`),
      }),
      "push it": typed(`push ${made.endpoint_path} ${shellWord(path)}`),
      "have it listed": typed(`feed edit ${made.endpoint_path} --request-review`),
    });
    return {
      json: JSON.stringify(made),
      text: (columns) =>
        [
          ...(values.yes === true || confirm === undefined ? [proposal(columns)] : []),
          created,
          ...notes(made),
        ].join("\n"),
    };
  },
});

/** The first rows, with their types. @throws {RefusedError} if there are none */
async function firstRows(
  source: RowSource,
): Promise<{ readonly rows: readonly Row[]; readonly isDocument: boolean }> {
  if (source.format === "json") {
    const text = await readJson(source);
    if (!isArrayText(text)) {
      requireStorable(text, source.name);
      return { rows: [parseExact(text) as Row], isDocument: true };
    }
  }
  const rows: Row[] = [];
  for await (const text of sourceRows(source, undefined)) {
    const row = parseExact(text);
    if (!isObject(row)) {
      throw new RefusedError(
        `row ${rows.length + 1} of ${source.name} is no object: ${text.slice(0, 60)}`,
      );
    }
    rows.push(row);
    if (rows.length === ROWS_MAX) break;
  }
  if (source.format !== "csv") return { rows, isDocument: false };
  return { rows: typedTexts(rows), isDocument: false };
}

function typeOf(rows: readonly Row[], isDocument: boolean): "singleton" | "collection" | "stream" {
  if (isDocument) return "singleton";
  const isStream = rows.every(
    ({ event_timestamp: at }) => typeof at === "string" && parseEventTime(at) !== undefined,
  );
  return isStream ? "stream" : "collection";
}

/** @throws {RefusedError} that names a field which would do */
function requireIds(rows: readonly Row[], { name }: RowSource): void {
  const place = rows.findIndex(({ id }) => idOf(id) === undefined);
  if (place < 0) return;
  const unique = Object.keys(rows[0] ?? {}).find((field) => {
    const ids = new Set(rows.map((row) => idOf(row[field])));
    return ids.size === rows.length && !ids.has(undefined);
  });
  const hint =
    unique === undefined ? "give each row one" : `"${unique}" differs in every row: name it id`;
  throw new RefusedError(`row ${place + 1} of ${name} has no "id", which every row needs; ${hint}`);
}

/** What a value is as an id; undefined if it can be none. */
function idOf(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  return JSON.isRawJSON(value) ? plainDecimal(value.rawJSON) : undefined;
}

function nameOf(words: string): string {
  const [first = ""] = words;
  return (first.toUpperCase() + words.slice(first.length)).slice(0, NAME_LENGTH_MAX) || "My feed";
}

function slugOf(words: string): string {
  const slug = words
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, SLUG_LENGTH_MAX)
    .replace(/^-+|-+$/g, "");
  return slug || "my-feed";
}

interface Field {
  readonly name: string;
  readonly type: string;
  readonly isRequired: boolean;
  readonly example: string;
}

const FIELD_COLUMNS: Columns<Field> = {
  FIELD: { whole: ({ name }) => name },
  TYPE: ({ type }) => type,
  REQUIRED: ({ isRequired }) => (isRequired ? "yes" : "no"),
  EXAMPLE: ({ example }) => example,
};

function fieldsOf(
  { properties = {}, required = [] }: ProposedSchema,
  rows: readonly Row[],
): Field[] {
  return Object.entries(properties).map(([name, { type, format }]) => {
    const value = rows.find((row) => row[name] !== undefined && row[name] !== null)?.[name];
    return {
      name,
      type: [type ?? "any"].flat().join(" or ") + (format === undefined ? "" : ` (${format})`),
      isRequired: required.includes(name),
      example: typeof value === "string" ? value : JSON.stringify(value ?? null),
    };
  });
}
