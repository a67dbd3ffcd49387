/** @jsxImportSource preact */
/**
 * A page that takes a file of rows and pushes it.
 *
 * @module
 */
import { present } from "../../../lib/assert.ts";
import type { FieldError } from "../../../lib/field_error.ts";
import { counted, digits, Facts, Field, Text } from "../../layout/parts.tsx";
import { FeedLink } from "../lists.tsx";
import { refusalOf } from "../refusal_messages.ts";
import { idOf, type PageRoute, type Refused, type Visit } from "../visit.ts";
import { findOwn, type OwnFeed } from "./find_own.ts";

export const PUSH_FILE: PageRoute = {
  path: "feeds/:id/push",
  async show(visit) {
    const shown = await findOwn(visit);
    const { max_rows: maxRows } = shown.storage_config;
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
              The feed is a draft. Its first push makes it active: whoever has a read key can then
              read it by its slug.
            </p>
          )}
          {shown.feed_type === null && (
            <p>
              The feed has no type yet. The first file decides it: one object in JSON makes it a
              singleton, rows make it a collection.
            </p>
          )}
          <form class="stack" method="post" encType="multipart/form-data">
            <Field
              label="File"
              name="file"
              hint={
                <>
                  Up to 2 MB{maxRows !== null && `, and ${maxRows} rows of JSON or NDJSON`}. For
                  larger files, use the command <code>feedgate push</code>.
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
            <div>
              <button type="submit" name="act" value="push">
                Push it
              </button>
            </div>
          </form>
        </>
      ),
    };
  },
  acts: {
    push: {
      async confirm({ file }, visit) {
        if (file === undefined) return { kind: "refused", why: "Choose a file first." };
        const { name } = file;
        const bytes = new Uint8Array(await file.arrayBuffer());
        const way = wayOf(name);
        // A push can be tried first. An import can't.
        const tried = way.route === "push" && (await send(visit, bytes, way, "?dry_run=true"));
        if (typeof tried === "object") return tried;
        const { asked } = effectOf(await findOwn(visit), way, name);
        return {
          kind: "ask",
          sentence: `${asked} It has ${digits(bytes.length)} bytes.`,
          details: tried && <ReceiptFacts of={JSON.parse(tried)} />,
          fields: [
            [FILE_NAME, name],
            [FILE_BASE64, Buffer.from(bytes).toString("base64")],
          ],
        };
      },
      async run(visit, form) {
        const bytes = new Uint8Array(Buffer.from(form.text(FILE_BASE64), "base64"));
        const name = form.text(FILE_NAME);
        const way = wayOf(name);
        const { done } = effectOf(await findOwn(visit), way, name);
        const sent = await send(visit, bytes, way);
        if (typeof sent === "object") return sent;
        const { receipt, problem } = endOf(way.route, sent);
        return receipt === undefined
          ? refusalOf(present(problem))
          : { kind: "show", view: receiptView(visit, receipt, done) };
      },
    },
  },
};

/** A feed without a type takes rows as a collection. */
function kindOf({ feed_type: type }: OwnFeed): "collection" | "singleton" | "stream" {
  return type === "singleton" || type === "stream" ? type : "collection";
}

/** What a file does to a feed. */
const LEADS = {
  collection:
    "A file of JSON (an array of rows) or NDJSON (a row a line) adds its rows, and replaces those of the same id. A file of CSV becomes the whole collection: all rows of before are replaced. All rows of a file are stored, or none.",
  stream:
    "A file of JSON (an array of events), NDJSON (an event a line) or CSV. Events that the feed has are skipped. Of JSON and NDJSON, all of it is stored, or nothing; CSV is stored up to its first bad line.",
  singleton: "A file of JSON: one object, which replaces the one of before.",
} as const;

interface Effect {
  /** What will happen, in sentences. */
  readonly asked: string;
  /** What has happened, if the receipt does not say so. */
  readonly done?: string;
}

function effectOf(feed: OwnFeed, { route }: ReturnType<typeof wayOf>, name: string): Effect {
  const kind = kindOf(feed);
  if (kind === "singleton") return { asked: `What is in ${name} replaces what the feed has now.` };
  if (route === "push") return { asked: `All rows of ${name} are stored, or none.` };
  if (kind === "stream") {
    return {
      asked: `Events of ${name} are stored up to its first bad line. Those that the feed has are skipped.`,
    };
  }
  const before = counted(feed.row_count, "row");
  return {
    asked: `${name} becomes the whole collection: what the feed has now, ${before}, is replaced. All rows of the file are stored, or none.`,
    done: `${name} is the whole collection now. What the feed had before, ${before}, was replaced.`,
  };
}

/** A browser sends a file once, so the confirmation has it, with all its bytes as they are. */
const FILE_NAME = "file_name";
const FILE_BASE64 = "file_base64";

/** How a file is sent, by the end of its name. */
function wayOf(name: string) {
  if (/\.csv$/i.test(name)) return { route: "import", type: "text/csv" } as const;
  const isLines = /\.(ndjson|jsonl)$/i.test(name);
  return { route: "push", type: isLines ? "application/x-ndjson" : "application/json" } as const;
}

/** The text of the answer, if it is no refusal. */
async function send(
  visit: Visit,
  bytes: Uint8Array<ArrayBuffer>,
  { route, type }: ReturnType<typeof wayOf>,
  query = "",
): Promise<string | Refused> {
  const path = `/v1/provider/feed/${idOf(visit)}/${route}${query}`;
  const answer = await visit.askText(path, { method: "POST", file: { bytes, type } });
  return answer.kind === "refused" ? refusalOf(answer) : answer.text;
}

interface End {
  readonly receipt?: Receipt;
  readonly problem?: { readonly detail: string; readonly errors?: readonly FieldError[] };
}

/** What came of it: of an import, the last line of its answer. */
function endOf(route: "import" | "push", text: string): End {
  if (route === "push") return { receipt: JSON.parse(text) };
  return JSON.parse(text.trim().split("\n").at(-1) ?? "{}");
}

interface Receipt {
  readonly rows_inserted: number;
  readonly rows_updated: number;
  readonly rows_duplicate: number;
  readonly is_visible: boolean;
  readonly detail?: string;
}

function receiptView(visit: Visit, receipt: Receipt, done: string | undefined) {
  return {
    title: "Stored",
    content: (
      <>
        <h1>Stored</h1>
        {done !== undefined && (
          <p class="lead">
            <Text of={done} />
          </p>
        )}
        <ReceiptFacts of={receipt} />
        <p>
          <a class="button" href={`${visit.root}/console/feeds/${idOf(visit)}`}>
            To the feed
          </a>
        </p>
      </>
    ),
  };
}

function ReceiptFacts({ of: receipt }: { readonly of: Receipt }) {
  return (
    <Facts
      of={{
        "New rows": digits(receipt.rows_inserted),
        "Replaced rows": digits(receipt.rows_updated),
        "There before": digits(receipt.rows_duplicate),
        "Readers see them": receipt.is_visible ? "yes" : "not yet",
        Note: receipt.detail && <Text of={receipt.detail} />,
      }}
    />
  );
}
