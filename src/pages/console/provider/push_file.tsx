/** @jsxImportSource preact */
/**
 * A page that takes a file of rows and pushes it.
 *
 * @module
 */
import type { FieldError } from "../../../lib/field_error.ts";
import {
  type ConvertedFile,
  convertFile,
  type FileForm,
  type RowFile,
} from "../../../push/rows/read_file.ts";
import { counted, digits, Field, Text } from "../../layout/parts.tsx";
import { FeedLink } from "../lists.tsx";
import { mistakeText } from "../mistake_list.tsx";
import { type Form, idOf, type PageRoute, type Refused, type Visit } from "../visit.ts";
import { findListing, findOwn, type OwnFeed, type OwnListing } from "./find_own.ts";
import { type PushProblem, ReceiptFacts, sendRows } from "./send_rows.tsx";
import { fieldsOfFile, fileOf } from "./sent_file.ts";

export const PUSH_FILE: PageRoute = {
  path: "feeds/:id/push",
  async show(visit, form) {
    const shown = await findOwn(visit);
    const { requestBodyBytes } = visit.services.config.limits;
    return {
      title: `Push to ${shown.name}`,
      content: (
        <>
          <p class="crumbs">
            <FeedLink visit={visit} id={shown.id} name={shown.name} />
          </p>
          <h1>Push a file</h1>
          <p class="lead">{LEADS[kindOf(shown)]}</p>
          {shown.status === "draft" && (
            <p>
              The feed is a draft. The first push activates it; anyone with a read key can then read
              it by its slug.
            </p>
          )}
          {shown.feed_type === null && (
            <p>
              The feed has no type yet. The first file sets it: a single JSON object makes the feed
              a singleton, rows make it a collection.
            </p>
          )}
          <form class="stack" method="post" encType="multipart/form-data">
            <Field
              label="File"
              name="file"
              hint={
                <>
                  CSV, NDJSON or JSON, up to {digits(Math.floor(requestBodyBytes / BYTES_PER_MB))}{" "}
                  MB. For larger files, use the command <code>feedgate push</code>.
                </>
              }
            >
              <input
                id="file"
                name="file"
                type="file"
                accept=".json,.ndjson,.jsonl,.csv"
                required
              />
            </Field>
            {hasChoice(shown) && <ModeChoice feed={shown} mode={form && modeOf(form)} />}
            <div>
              <button type="submit" name="act" value="push">
                Push
              </button>
            </div>
          </form>
        </>
      ),
    };
  },
  acts: {
    push: {
      async confirm(form, visit) {
        const file = await fileOf(form);
        if (file === undefined) return { kind: "refused", why: "Select a file first." };
        const feed = await findListing(visit);
        const push = await planPush(visit, { feed, file, mode: modeOf(form) });
        if (push.kind === "refused") return push;
        const tried =
          push.way === "push"
            ? await sendRows(visit, feed.id, { ...push, isDryRun: true })
            : undefined;
        if (tried?.problem !== undefined) return refusalOfPush(tried.problem, push);
        return {
          kind: "ask",
          sentence: push.asked,
          details: tried?.receipt && (
            <ReceiptFacts of={tried.receipt} isReplaced={push.isReplaced} />
          ),
          fields: form.file === undefined ? [] : fieldsOfFile(file),
        };
      },
      async run(visit, form) {
        const file = await fileOf(form);
        if (file === undefined) return { kind: "refused", why: "Select a file first." };
        const feed = await findListing(visit);
        const push = await planPush(visit, { feed, file, mode: modeOf(form) });
        if (push.kind === "refused") return push;
        const { receipt, problem } = await sendRows(visit, feed.id, push);
        if (problem !== undefined) return refusalOfPush(problem, push);
        return {
          kind: "show",
          view: {
            title: "Stored",
            content: (
              <>
                <h1>Stored</h1>
                <p class="lead">
                  <Text of={push.done} />
                </p>
                {receipt !== undefined && (
                  <ReceiptFacts of={receipt} isReplaced={push.isReplaced} />
                )}
                <p>
                  <a class="button" href={`${visit.root}/console/feeds/${idOf(visit)}`}>
                    Go to the feed
                  </a>
                </p>
              </>
            ),
          },
        };
      },
    },
  },
};

const BYTES_PER_MB = 1_024 * 1_024;

/** A feed without a type takes rows as a collection. */
function kindOf({ feed_type: type }: OwnFeed): "collection" | "singleton" | "stream" {
  return type === "singleton" || type === "stream" ? type : "collection";
}

/** What a file does to a feed. */
const LEADS = {
  collection:
    "Either all rows of a file are stored or none. The page shows what they change before anything is stored.",
  stream:
    "The events of a file are appended; events whose ID already exists are skipped. Up to 500 events are stored all or nothing; a longer file is stored up to its first invalid line.",
  singleton: "A file with one JSON object, which replaces the feed's document.",
} as const;

/** What the rows of a file do to those that a collection has. */
type Mode = "add" | "replace";

function modeOf(form: Form): Mode {
  return form.text("mode") === "replace" ? "replace" : "add";
}

/** A collection without data becomes what the first file has. */
function hasChoice(feed: OwnFeed): boolean {
  return kindOf(feed) === "collection" && feed.last_sync_at !== null;
}

function ModeChoice({ feed, mode = "add" }: { feed: OwnFeed; mode: Mode | undefined }) {
  const radio = (value: Mode, text: string) => (
    <label class="check">
      <input type="radio" name="mode" value={value} checked={value === mode} />
      <span>{text}</span>
    </label>
  );
  return (
    <fieldset>
      <legend>Import mode</legend>
      {radio(
        "add",
        "Add and change: new IDs are added, rows with existing IDs are changed, and all other rows stay.",
      )}
      {radio(
        "replace",
        `Replace all: the rows of the file replace the feed's current ${counted(feed.row_count, "row")}.`,
      )}
      <p class="hint">
        The command <code>feedgate push</code> adds and changes rows by default, and replaces all of
        them with <code>--batch</code>. This page adds up to 500 rows at a time.
      </p>
    </fieldset>
  );
}

interface PlannedPush {
  readonly kind: "planned";
  readonly way: "push" | "import";
  readonly text: string;
  readonly form: FileForm;
  /** The lines of the file on which the rows began. */
  readonly lines: readonly number[];
  readonly isReplaced: boolean;
  /** What will happen, and what has. */
  readonly asked: string;
  readonly done: string;
}

interface Planning {
  readonly feed: OwnListing;
  readonly file: RowFile;
  readonly mode: Mode;
}

/** How a file is sent, and what it will do. */
async function planPush(
  visit: Visit,
  { feed, file, mode }: Planning,
): Promise<PlannedPush | Refused> {
  const { limits } = visit.services.config;
  const { name, bytes } = file;
  if (bytes.length > limits.requestBodyBytes) {
    return refused(
      `${name} has ${digits(bytes.length)} bytes; this page accepts up to ${digits(limits.requestBodyBytes)}. Use the command feedgate push.`,
    );
  }
  const converted = await convertFile(file, {
    feedType: kindOf(feed),
    schema: feed.schemaText,
    renames: new Map(),
    rowBytesMax: limits.rowBytes,
  });
  if (converted.kind === "unreadable") {
    const mistakes = converted.mistakes.map((mistake) => mistakeText(mistake, "csv"));
    return { ...refused(`Nothing was stored: ${converted.why}`), mistakes };
  }
  const isSingleton = kindOf(feed) === "singleton";
  if (isSingleton && !converted.isDocument) {
    return refused(
      `Nothing was stored: the feed is a singleton (one JSON object), but ${name} contains rows.`,
    );
  }
  return isSingleton || (feed.feed_type === null && converted.isDocument)
    ? documentPush(name, converted)
    : rowsPush(converted, { feed, name, mode, rowsMax: limits.rows });
}

function documentPush(name: string, { form, text }: ConvertedFile): PlannedPush {
  return {
    ...{ kind: "planned", way: "push", text, form, lines: [1], isReplaced: false },
    asked: `The content of ${name} will replace the feed's current content.`,
    done: `Readers now get the content of ${name}.`,
  };
}

interface RowsPlanning {
  readonly feed: OwnListing;
  readonly name: string;
  readonly mode: Mode;
  /** The most rows of one push. */
  readonly rowsMax: number;
}

/** In one push where the rows fit, which can be tried first, else as an import. */
function rowsPush(
  { form, text }: ConvertedFile,
  { feed, name, mode, rowsMax }: RowsPlanning,
): PlannedPush | Refused {
  const rows = text
    .split("\n")
    .flatMap((row, place) => (row === "" ? [] : [{ row, line: place + 1 }]));
  const isReplaced = hasChoice(feed) && mode === "replace";
  const isAdded = hasChoice(feed) && !isReplaced;
  const fits = rows.length <= rowsMax;
  const count = counted(rows.length, "row");
  if (isAdded && !fits) {
    return refused(
      `${name} has ${count}; this page adds up to ${digits(rowsMax)} at a time. Choose “Replace all”, or use the command feedgate push, which has no limit.`,
    );
  }
  const list = `[${rows.map(({ row }) => row).join(",")}]`;
  const body = isReplaced ? `{"payload":${list},"batch_complete":true}` : list;
  return {
    kind: "planned",
    form,
    lines: rows.map(({ line }) => line),
    ...(fits ? { way: "push", text: body } : { way: "import", text }),
    isReplaced,
    ...effectOf({ feed, name, rowCount: rows.length, isReplaced, isAdded, fits }),
  };
}

interface Effect {
  readonly feed: OwnListing;
  readonly name: string;
  readonly rowCount: number;
  readonly isReplaced: boolean;
  readonly isAdded: boolean;
  readonly fits: boolean;
}

/** What the rows will do, and what they have done. */
function effectOf({ feed, name, rowCount, isReplaced, isAdded, fits }: Effect) {
  const count = counted(rowCount, "row");
  if (kindOf(feed) === "stream") {
    const stored = fits
      ? "All of its events will be stored, or none"
      : "Its events will be stored up to the first invalid line";
    return {
      asked: `${name} has ${counted(rowCount, "event")}. ${stored}. Events that already exist are skipped.`,
      done: `The events of ${name} were stored.`,
    };
  }
  if (isReplaced) {
    const before = counted(feed.row_count, "row");
    return {
      asked: `${name} will replace all rows: the feed has ${before} now, and will have the file's ${count}.`,
      done: `${name} replaced all rows: the feed had ${before} before, and now has the file's ${count}.`,
    };
  }
  if (isAdded) {
    return {
      asked: `${name} has ${count}. New IDs will be added, and rows with existing IDs changed. The other rows of the feed stay.`,
      done: `${name} added and changed rows. The other rows did not change.`,
    };
  }
  return {
    asked: `${name} has ${count}, the first of this feed. All rows will be stored, or none.`,
    done: `The feed now has the ${count} of ${name}.`,
  };
}

function refused(why: string): Refused {
  return { kind: "refused", why };
}

/** Why a push was refused, with the lines of the file. */
function refusalOfPush(
  { detail, errors = [] }: PushProblem,
  { form, lines }: PlannedPush,
): Refused {
  const mistakes = errors.map((error) => mistakeText(inFile(error, lines), form));
  const [why = detail] =
    mistakes.length > 0
      ? ["Nothing was stored. Correct the errors below and push the file again."]
      : [];
  return { kind: "refused", why, mistakes };
}

/** A mistake in a row of a body, as one in a line of the file. */
function inFile(error: FieldError, lines: readonly number[]): FieldError {
  const { row_index: index, path } = error;
  const line = index === undefined ? undefined : lines[index];
  if (line === undefined) return error;
  return { ...error, line, path: path.replace(/^(?:\/payload)?\/\d+/, "") };
}
