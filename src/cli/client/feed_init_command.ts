/**
 * `feed init`: infers a feed definition from the first rows of a file, and creates the feed as a draft.
 *
 * @module
 */

import { basename } from "node:path";
import { isArrayText } from "../../client/json_texts.ts";
import { EndpointPathTakenError, type NewFeed } from "../../client/mod.ts";
import { intervalText } from "../../lib/interval_text.ts";
import { shellWord } from "../../lib/own_process.ts";
import { SLUG_LENGTH_MAX } from "../../limits.ts";
import { parseExact } from "../../money/money.ts";
import {
  distinctField,
  type ExactRow,
  idOf,
  isRow,
  type ProposedField,
  proposedFields,
  proposeFeed,
} from "../../push/rows/propose_feed.ts";
import { typedTexts } from "../../push/rows/propose_schema.ts";
import { RefusedError } from "../command.ts";
import { typed } from "../hints.ts";
import { flag, oneOf, text } from "../options.ts";
import { type Columns, fields, table } from "../output.ts";
import { clientCommand } from "./client_command.ts";
import { notes } from "./feed_edit_command.ts";
import { INTERVAL_OPTION, PRICE_OPTION } from "./feed_options.ts";
import { priceText } from "./find_commands.ts";
import {
  type RowSource,
  readJson,
  requireStorable,
  rowSource,
  SOURCE_FORMAT,
  sourceRows,
} from "./row_source.ts";
import { grouped } from "./status.ts";

/** Maximum number of rows to examine. */
const ROWS_MAX = 1_000;
/** The gateway's default. */
const INTERVAL_MINUTES = 60;

/** The command `feed init`. */
export const feedInit = clientCommand({
  words: "feed init",
  argument: "FILE",
  about: "derive slug, type, schema and sample from a file of rows, and create a draft feed",
  options: {
    format: SOURCE_FORMAT,
    name: text("name of the feed; default from the file name"),
    slug: text("slug of the feed; default from the file name", { lengthMax: SLUG_LENGTH_MAX }),
    type: oneOf(["singleton", "collection", "stream"], "feed type; default from the rows"),
    price: PRICE_OPTION,
    every: INTERVAL_OPTION,
    lock: flag("refuse rows that don't match the schema"),
    yes: flag("skip the confirmation, which is also skipped with --json or without a terminal"),
  },
  ifLost: () => "if the draft was created nevertheless, its slug is in use",
  async run({ argument: path, values, output, feedgate, signal }) {
    const source = rowSource(path, values.format);
    const { rows, isDocument } = await firstRows(source);
    const proposed = proposeFeed(rows, {
      fileName: basename(path),
      isDocument,
      feedType: values.type,
    });
    const { feedType: type, schema } = proposed;
    if (type !== "singleton") requireIds(rows, source);
    const feed = {
      name: values.name ?? proposed.name,
      endpoint_path: values.slug ?? proposed.slug,
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
          price:
            values.price === undefined ? "free; change it with --price" : priceText(values.price),
          updates:
            values.every === undefined
              ? `${intervalText(INTERVAL_MINUTES)}; change it with --every`
              : intervalText(values.every),
          schema: values.lock
            ? "locked, so rows that don't match it are refused"
            : "not locked, so any row is stored; enforce it with --lock",
          sampled: `${grouped(rows.length)} ${rows.length === 1 ? "row" : "rows"}; fields that are in every row are required`,
        }),
        "",
        table(proposedFields(schema, rows), FIELD_COLUMNS)(columns),
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
        `the slug ${feed.endpoint_path} is already in use; choose another with --slug`,
      );
    });
    const created = fields({
      created: made.id,
      status: made.status,
      ...(values.price === undefined && {
        "set a price": typed(`feed edit ${made.endpoint_path} --price 0.5/1k`),
      }),
      "push the rows": typed(`push ${made.endpoint_path} ${shellWord(path)}`),
      "request a review": typed(`feed edit ${made.endpoint_path} --request-review`),
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

/** The first rows, and their inferred types. @throws {RefusedError} if there are none */
async function firstRows(
  source: RowSource,
): Promise<{ readonly rows: readonly ExactRow[]; readonly isDocument: boolean }> {
  if (source.format === "json") {
    const text = await readJson(source);
    if (!isArrayText(text)) {
      requireStorable(text, source.name);
      return { rows: [parseExact(text) as ExactRow], isDocument: true };
    }
  }
  const rows: ExactRow[] = [];
  for await (const text of sourceRows(source, undefined)) {
    const row = parseExact(text);
    if (!isRow(row)) {
      throw new RefusedError(
        `row ${rows.length + 1} of ${source.name} is not an object: ${text.slice(0, 60)}`,
      );
    }
    rows.push(row);
    if (rows.length === ROWS_MAX) break;
  }
  if (source.format !== "csv") return { rows, isDocument: false };
  return { rows: typedTexts(rows), isDocument: false };
}

/** @throws {RefusedError} if rows have no id; the message suggests a field that could serve as one */
function requireIds(rows: readonly ExactRow[], { name }: RowSource): void {
  const place = rows.findIndex(({ id }) => idOf(id) === undefined);
  if (place < 0) return;
  const unique = distinctField(rows);
  const hint =
    unique === undefined ? "add one to each row" : `"${unique}" is unique: rename it to id`;
  throw new RefusedError(`row ${place + 1} of ${name} has no "id", which every row needs; ${hint}`);
}

const FIELD_COLUMNS: Columns<ProposedField> = {
  FIELD: { whole: ({ name }) => name },
  TYPE: ({ type }) => type,
  REQUIRED: ({ isRequired }) => (isRequired ? "yes" : "no"),
  EXAMPLE: ({ example }) => example,
};
