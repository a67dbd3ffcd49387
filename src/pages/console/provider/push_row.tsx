/** @jsxImportSource preact */
/**
 * A text box that pushes one event into a stream. It initially contains a row like the sample's.
 *
 * @module
 */
import { indentJson } from "../../../lib/indent_json.ts";
import { JsonSyntaxError, scanJson, textOf } from "../../../lib/json_text.ts";
import { JSON_DEPTH_MAX } from "../../../limits.ts";
import { Fields } from "../act_form.tsx";
import { marksIn } from "../marked_lines.tsx";
import { mistakeText } from "../mistake_list.tsx";
import { type Change, type Form, idOf, type Refused } from "../visit.ts";
import type { OwnListing } from "./find_own.ts";
import { sendRows } from "./send_rows.tsx";

const FIELD = "row";

interface PushRowProps {
  readonly feed: OwnListing;
  readonly form: Form | undefined;
  readonly refused: Refused | undefined;
}

export function PushRow({ feed, form, refused }: PushRowProps) {
  const isSent = form?.text("act") === "row";
  const typed = isSent ? form.typed(FIELD) : draftOf(feed.sampleText);
  const marks = isSent ? marksIn(typed, { field: FIELD, errors: refused?.errors }) : [];
  return (
    <section>
      <h2>Push a row</h2>
      <form class="stack" method="post" encType="multipart/form-data">
        <Fields
          fields={[
            {
              name: FIELD,
              label: "One event (JSON)",
              hint: "Readers see it immediately. An ID that already exists changes nothing. event_timestamp defaults to the time of receipt.",
              kind: "code",
              marks,
            },
          ]}
          typed={() => typed}
        />
        <div>
          <button type="submit" name="act" value="row">
            Push this row
          </button>
        </div>
      </form>
    </section>
  );
}

/** The sample with an id and a time of its own. */
function draftOf(sample: string | null): string {
  const now = new Date().toISOString();
  const own = new Map([
    ["id", JSON.stringify(crypto.randomUUID())],
    ["event_timestamp", JSON.stringify(now)],
  ]);
  const json = scanJson(sample ?? "{}", { spanDepth: 1, heightMax: JSON_DEPTH_MAX + 1 });
  const members = new Map(own);
  for (const { key, value } of json.root.members ?? []) {
    // A number stays one: its sequence is the provider's.
    const isKept = key === "id" && value.kind === "number";
    members.set(key, (isKept ? undefined : own.get(key)) ?? textOf(json, value));
  }
  const texts = [...members].map(([key, value]) => `${JSON.stringify(key)}:${value}`);
  return indentJson(`{${texts.join(",")}}`);
}

export const PUSH_ROW: Change = {
  async run(visit, form) {
    const text = form.typed(FIELD);
    const refused = notOneRow(text);
    if (refused !== undefined) return refused;
    const id = idOf(visit);
    const { receipt, problem } = await sendRows(visit, id, { text: `[${text}]`, way: "push" });
    if (problem !== undefined) {
      const errors = (problem.errors ?? []).map((error) => ({
        ...error,
        path: error.path.replace(/^\/\d+/, `/${FIELD}`),
      }));
      const why = errors.length > 0 ? "The row was not stored." : problem.detail;
      const mistakes = errors.map(({ path, message }) =>
        mistakeText({ path: path.replace(`/${FIELD}`, ""), message }, "json"),
      );
      return { kind: "refused", why, mistakes, errors };
    }
    const isKnown = receipt?.rows_inserted === 0;
    return { kind: "go", to: `feeds/${id}`, done: isKnown ? "row_known" : "row_pushed" };
  },
};

/** Why a text is no row; undefined if it is one. */
function notOneRow(text: string): Refused | undefined {
  const refused = (why: string, line: number): Refused => ({
    kind: "refused",
    why: `The row was not stored: ${why}.`,
    errors: [{ path: `/${FIELD}`, message: why, line }],
  });
  try {
    const { root } = scanJson(text, { spanDepth: 0, heightMax: JSON_DEPTH_MAX });
    return root.kind === "object"
      ? undefined
      : refused(`it must be one JSON object, got ${root.kind}`, 1);
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    return refused(error.message, error.line);
  }
}
