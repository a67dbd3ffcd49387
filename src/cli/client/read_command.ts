/**
 * `read`: prints one page of a feed, all of its rows, or new rows as they arrive.
 *
 * @module
 */
import { exportStart, isExportResume, isExportStart } from "../../client/export.ts";
import type { ExportPart } from "../../client/mod.ts";
import { keysOf } from "../../lib/records.ts";
import { PAGE_LIMIT_MAX } from "../../limits.ts";
import { InterruptedError, type Option, UsageError } from "../command.ts";
import { flag, integer, list, oneOf, text } from "../options.ts";
import { type ClientInput, clientCommand, stopReason } from "./client_command.ts";
import { maxCredits, propertiesOf } from "./find_commands.ts";
import { type RowFormat, type RowWriter, rowWriter } from "./row_writer.ts";
import { grouped } from "./status.ts";

/** Free reads of one minute cover this many rows. */
const PAGED_ROWS_MAX = 1_000;
/** Prefix of a cursor that is a stream offset. */
const OFFSET_PREFIX = "stream.";
const CURSOR_LENGTH_MAX = 4_096;
const FIELDS_LENGTH_MAX = 10_000;

/** `--filter f=v`, repeatable. */
const FILTERS: Option<Readonly<Record<string, string>>> = {
  placeholder: "F=V",
  about: "only rows whose field F equals V; can be repeated",
  isRequired: false,
  isRepeated: true,
  read(given, name, before = {}) {
    const [, field, value] = /^([^=]+)=(.*)$/s.exec(given) ?? [];
    if (field === undefined || value === undefined) {
      throw new UsageError(
        `${name} must be a field and a value, such as city=Lima, got "${given}"`,
      );
    }
    if (Object.hasOwn(before, field)) {
      throw new UsageError(`${name} was given more than once for ${field}`);
    }
    return { ...before, [field]: value };
  },
};

const FIELD_LIST = list("only these fields, in this order", {
  placeholder: "A,B",
  lengthMax: FIELDS_LENGTH_MAX,
});

/** `--fields a,b`. A row is an object, which has each field once. */
const FIELDS: Option<readonly string[]> = {
  ...FIELD_LIST,
  read(given, name) {
    const fields = FIELD_LIST.read(given, name);
    const repeated = fields.find((field, place) => fields.indexOf(field) < place);
    if (repeated === undefined) return fields;
    throw new UsageError(`${name} names ${repeated} more than once`);
  },
};

const FORMATS = {
  ndjson: "one row per line",
  json: "one array",
  csv: "a header, then one row per line",
  table: "fits the terminal",
} as const;

const OPTIONS = {
  all: flag("all rows of one version, oldest first; with a filter, limit or time, page by page"),
  follow: flag("all events of a stream, oldest first, then new ones as they arrive, until Ctrl-C"),
  filter: FILTERS,
  fields: FIELDS,
  format: oneOf(keysOf(FORMATS), "output format; default table on a terminal, else ndjson"),
  limit: integer("rows per page; default 20, or 100 with --all and --follow", {
    least: 1,
    most: PAGE_LIMIT_MAX,
  }),
  since: text("only events of a stream from this time on, RFC 3339"),
  until: text("only events of a stream up to this time, RFC 3339"),
  cursor: text("resume an interrupted read at this cursor", {
    placeholder: "CURSOR",
    lengthMax: CURSOR_LENGTH_MAX,
  }),
  offset: text("with --follow: start, now, or the offset at which it stopped", {
    placeholder: "OFFSET",
    lengthMax: CURSOR_LENGTH_MAX,
  }),
  "max-credits": maxCredits(
    "refuse a page that costs more; with --all, the whole export, or each page if read page by page",
  ),
};

type ReadInput = ClientInput<typeof OPTIONS>;

/** The command `read`. */
export const read = clientCommand({
  words: "read",
  argument: "FEED",
  about: "read a page of a feed, all rows (--all), or new events as they arrive (--follow)",
  options: OPTIONS,
  async run(input) {
    const { values, output } = input;
    checkTogether(input);
    const format = values.format ?? defaultFormat(input);
    const { feedgate, argument: feed, signal } = input;
    const isTabular = format === "csv" || format === "table";
    // Following outlasts an outage of minutes. A gateway that can't be reached at the start ends the command within
    // seconds, because its address may be wrong.
    const schema =
      isTabular || values.follow === true
        ? (await feedgate.describe(feed, { signal })).schema_definition
        : undefined;
    const writer = rowWriter(format, {
      output,
      fields: values.fields,
      schemaFields: propertiesOf(schema).map(({ name }) => name),
      isContinued: isContinued(values),
    });
    if (values.follow === true) await followFeed(input, writer);
    else if (values.all === true) await readAll(input, { writer, format });
    else await readOne(input, writer);
    return undefined;
  },
});

/** Whether the output continues earlier output, which already has rows and, in CSV, the header. */
function isContinued({ cursor, offset = "start" }: ReadInput["values"]): boolean {
  return offset !== "start" || (cursor !== undefined && !isExportStart(cursor));
}

function defaultFormat({ values, output }: ReadInput): RowFormat {
  if (output.isJson) return "json";
  return output.columns === undefined || values.follow === true ? "ndjson" : "table";
}

/** @throws {UsageError} if options are mutually exclusive */
function checkTogether({ values, output }: ReadInput): void {
  const { all, follow, format, filter, cursor, offset, since, until } = values;
  if (output.isJson && format !== undefined && format !== "json") {
    throw new UsageError(`--json and --format ${format} can't be combined; omit one`);
  }
  if (follow !== true) {
    if (offset !== undefined)
      throw new UsageError("--offset requires --follow; otherwise use --cursor");
    return;
  }
  if (all === true) throw new UsageError("--all and --follow can't be combined; omit one");
  if (output.isJson || format === "json" || format === "table") {
    throw new UsageError("--follow supports only ndjson and csv, because its output has no end");
  }
  const given = { filter, cursor, since, until };
  const [name] = Object.entries(given).find(([, value]) => value !== undefined) ?? [];
  if (name !== undefined) {
    throw new UsageError(`--follow returns every event; omit --${name}`);
  }
}

function readOptions({ values, signal }: ReadInput) {
  return {
    filters: values.filter,
    startTime: values.since,
    endTime: values.until,
    cursor: values.cursor,
    maxCredits: values["max-credits"],
    signal,
  };
}

async function readOne(input: ReadInput, writer: RowWriter): Promise<void> {
  const { feedgate, argument: feed, values, output, again } = input;
  const page = await feedgate.read(feed, { ...readOptions(input), limit: values.limit });
  await writer.write(page.rows);
  await writer.end();
  if (page.nextCursor !== null) {
    output.note(`feedgate: for more rows, run: ${again({ cursor: page.nextCursor })}\n`);
  }
}

/** Rows, and the cursor after them. The cursor is undefined after the last row. */
interface Part {
  readonly rows: readonly string[];
  readonly next: string | undefined;
  /** Total number of rows, if known. */
  readonly rowCount?: number | undefined;
}

async function readAll(
  input: ReadInput,
  { writer, format }: { readonly writer: RowWriter; readonly format: RowFormat },
): Promise<void> {
  const { status, again } = input;
  const { parts, start } = await walkOf(input);
  let rows = 0;
  let cursor = start;
  try {
    for await (const part of parts) {
      await writer.write(part.rows);
      rows += part.rows.length;
      cursor = part.next;
      status.show({ rows, share: part.rowCount && rows / part.rowCount });
    }
  } catch (error) {
    const reason = stopReason(error);
    if (reason === undefined || cursor === undefined) throw error;
    status.clear();
    const count = `${reason}: ${grouped(rows)} rows written`;
    throw format === "json" && rows > 0
      ? new InterruptedError(
          `${count}, and the array is incomplete: use --format ndjson, which can be resumed, or start over: ${again({ cursor: start })}`,
        )
      : new InterruptedError(`${count}; to resume: ${again({ cursor })}`);
  }
  await writer.end();
}

interface Walk {
  readonly parts: AsyncIterable<Part>;
  /** The starting cursor. Undefined means the beginning, which has no cursor. */
  readonly start: string | undefined;
}

/**
 * Selects how to read all rows. An export is fastest, but is limited to 6 per feed and hour, so small feeds are read
 * page by page. A stream is in order of arrival either way.
 */
async function walkOf(input: ReadInput): Promise<Walk> {
  const { feedgate, argument: feed, values, signal } = input;
  const { cursor, filter, limit, since, until } = values;
  if (cursor !== undefined) {
    if (isExportResume(cursor)) return exported(input, cursor);
    const parts = cursor.startsWith(OFFSET_PREFIX) ? caughtUp(input) : paged(input);
    return { parts, start: cursor };
  }
  const isPart = [filter, limit, since, until].some((given) => given !== undefined);
  if (isPart) return { parts: paged(input), start: undefined };
  const { consumer_type: type, row_count: rowCount } = await feedgate.describe(feed, { signal });
  if (type !== "singleton" && rowCount > PAGED_ROWS_MAX) return exported(input, exportStart());
  const parts = type === "stream" ? caughtUp(input, rowCount) : paged(input, rowCount);
  return { parts, start: undefined };
}

async function* caughtUp(input: ReadInput, rowCount?: number): AsyncGenerator<Part, void, void> {
  const { feedgate, argument: feed, values, signal } = input;
  const offset = values.cursor?.slice(OFFSET_PREFIX.length);
  const options = { offset, maxCredits: values["max-credits"], isLive: false, signal };
  for await (const { rows, nextOffset, isUpToDate } of feedgate.follow(feed, options)) {
    yield { rows, next: isUpToDate ? undefined : OFFSET_PREFIX + nextOffset, rowCount };
  }
}

function exported({ feedgate, argument: feed, values, signal }: ReadInput, start: string): Walk {
  const options = { resume: start, maxCredits: values["max-credits"], signal };
  return { parts: partsOf(feedgate.exportRows(feed, options)), start };
}

async function* partsOf(
  parts: AsyncIterable<ExportPart<string>>,
): AsyncGenerator<Part, void, void> {
  for await (const { rows, rowCount, resume: next } of parts) yield { rows, rowCount, next };
}

async function* paged(input: ReadInput, rowCount?: number): AsyncGenerator<Part, void, void> {
  const { feedgate, argument: feed, values } = input;
  const { limit } = values;
  const pages = feedgate.pages(feed, {
    ...readOptions(input),
    ...(limit !== undefined && { limit }),
  });
  for await (const { rows, nextCursor } of pages) {
    yield { rows, next: nextCursor ?? undefined, rowCount };
  }
}

async function followFeed(input: ReadInput, writer: RowWriter): Promise<void> {
  const { feedgate, argument: feed, values, signal, again } = input;
  let { offset } = values;
  try {
    const pages = feedgate.follow(feed, {
      offset,
      limit: values.limit,
      maxCredits: values["max-credits"],
      signal,
    });
    for await (const page of pages) {
      await writer.write(page.rows);
      offset = page.nextOffset;
    }
  } catch (error) {
    const reason = stopReason(error);
    if (reason === undefined) throw error;
    throw new InterruptedError(`${reason}; to resume: ${again({ offset })}`);
  }
}
