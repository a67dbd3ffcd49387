/**
 * `push`: sends a file of rows, or a document, to a provider's own feed.
 *
 * Rows are imported in one request if the feed is a stream, if it is empty, or with `--batch`, which replaces the whole
 * collection. Without `--batch`, rows are added to a collection that has rows, and replace those with the same id. That
 * takes many pushes, of which the gateway accepts 20 per minute.
 *
 * @module
 */

import { isArrayText } from "../../client/json_texts.ts";
import type { ImportReceipt, PushSummary, WrittenFeed } from "../../client/mod.ts";
import type { Answer } from "../command.ts";
import { InterruptedError, RefusedError } from "../command.ts";
import { typed } from "../hints.ts";
import { flag } from "../options.ts";
import { fields } from "../output.ts";
import { type ClientInput, clientCommand, stopReason } from "./client_command.ts";
import { type RowSource, readJson, rowSource, SOURCE_FORMAT, sourceRows } from "./row_source.ts";
import { rowsOfJson } from "./row_writer.ts";
import { grouped } from "./status.ts";

const OPTIONS = {
  format: SOURCE_FORMAT,
  batch: flag("replace all rows of the collection at once, when the push is complete"),
};

type PushInput = ClientInput<typeof OPTIONS>;

/** The command `push`. */
export const push = clientCommand({
  words: "push",
  argument: "FEED FILE|-",
  argumentCount: 2,
  about: "push a file of rows, or a document, to your feed; - reads standard input",
  options: OPTIONS,
  async run(input) {
    const { arguments: given, values, feedgate, signal } = input;
    const [name = "", path = ""] = given;
    const source = rowSource(path, values.format);
    // An empty edit changes nothing, and returns the feed whatever its status.
    const feed = await feedgate.editFeed(name, {}, { signal });
    const { feed_type: type } = feed;
    if (values.batch === true && (type === "stream" || type === "singleton")) {
      throw new RefusedError(
        `${name} is a ${type}, and only collections have batches; omit --batch`,
      );
    }
    if (source.format === "json") {
      const text = await readJson(source);
      if (!isArrayText(text)) return pushDocument(input, feed, text);
      if (type !== "singleton") return pushFile(input, feed, linesOf(source, text));
    }
    if (type === "singleton") {
      throw new RefusedError(
        `${name} is a singleton, which takes one JSON object; ${path} contains rows`,
      );
    }
    return pushFile(input, feed, source);
  },
});

async function pushDocument(
  { feedgate, signal }: PushInput,
  feed: WrittenFeed,
  text: string,
): Promise<Answer> {
  return summaryAnswer(feed, await feedgate.push(feed.id, text, { signal }));
}

function pushFile(input: PushInput, feed: WrittenFeed, source: RowSource): Promise<Answer> {
  const isAdded = feed.feed_type === "collection" && feed.last_sync_at !== null;
  return isAdded && input.values.batch !== true
    ? addRows(input, feed, source)
    : importRows(input, feed, source);
}

async function importRows(input: PushInput, feed: WrittenFeed, source: RowSource): Promise<Answer> {
  const { feedgate, signal, again } = input;
  const status = input.status.alone;
  const { bytes: size } = source;
  try {
    const receipt = await feedgate.importFile(feed.id, () => source.open(), {
      format: source.format === "csv" ? "csv" : "ndjson",
      isRepeatable: source.isRepeatable,
      signal,
      onProgress: ({ rows, bytes }) => status.show({ rows, share: size && bytes / size }),
    });
    return importAnswer(feed, receipt);
  } catch (error) {
    const reason = stopReason(error);
    if (reason === undefined) throw error;
    const state =
      feed.feed_type === "stream"
        ? "some events may already be stored, and are skipped when the file is sent again"
        : "readers still see the previous rows";
    throw new InterruptedError(`${reason}; ${state}. To send it again: ${again({})}`);
  } finally {
    status.clear();
  }
}

async function addRows(input: PushInput, feed: WrittenFeed, source: RowSource): Promise<Answer> {
  const { feedgate, signal, again } = input;
  const status = input.status.alone;
  let stored = 0;
  try {
    const rows = sourceRows(source, feed.schema_definition);
    const summary = await feedgate.push(feed.id, rows, {
      signal,
      onProgress: ({ rowsReceived }) => {
        stored = rowsReceived;
        status.show({ rows: stored });
      },
    });
    return summaryAnswer(feed, summary);
  } catch (error) {
    const reason = stopReason(error);
    const count = `${grouped(stored)} rows were stored`;
    if (reason !== undefined) {
      throw new InterruptedError(
        `${reason}; ${count}. It is safe to send them again: ${again({})}`,
      );
    }
    if (error instanceof RefusedError) throw new RefusedError(`${error.message}; ${count}`);
    throw error;
  } finally {
    status.clear();
  }
}

/** The rows of a JSON array, as NDJSON. */
function linesOf(source: RowSource, text: string): RowSource {
  const rows = rowsOfJson(text);
  if (rows.length === 0) throw new RefusedError(`${source.name} has no rows`);
  const bytes = Buffer.byteLength(text);
  return {
    ...source,
    format: "ndjson",
    bytes,
    isRepeatable: true,
    open: () => new Blob(rows.map((row) => `${row.replace(/[\r\n]+/g, " ")}\n`)).stream(),
  };
}

function importAnswer(feed: WrittenFeed, receipt: ImportReceipt): Answer {
  return {
    json: JSON.stringify(receipt),
    text: fields({
      pushed: `${counted(receipt.rows_received)} to ${feed.endpoint_path ?? feed.id}`,
      ...countsOf(receipt.rows_inserted, receipt.rows_updated, receipt.rows_duplicate),
      readers: receipt.is_visible ? "see them now" : receipt.detail,
      "to read it": typed(`read ${feed.endpoint_path ?? feed.id}`),
    }),
  };
}

function summaryAnswer(feed: WrittenFeed, summary: PushSummary): Answer {
  const { receipt, rowsReceived, rowsInserted, rowsUpdated, rowsDuplicate } = summary;
  if (receipt === null) throw new Error("a push has a receipt");
  const { row_outcomes: _, ...rest } = receipt;
  const counts = {
    rows_received: rowsReceived,
    rows_inserted: rowsInserted,
    rows_updated: rowsUpdated,
    rows_duplicate: rowsDuplicate,
  };
  return importAnswer(feed, { ...rest, ...counts });
}

function counted(rows: number): string {
  return rows === 1 ? "1 row" : `${grouped(rows)} rows`;
}

function countsOf(inserted: number, updated: number, duplicate: number) {
  return {
    new: grouped(inserted),
    updated: updated > 0 ? grouped(updated) : undefined,
    duplicate: duplicate > 0 ? grouped(duplicate) : undefined,
  };
}
