/** @jsxImportSource preact */
/**
 * The newest refused push of a feed: its rows, what is wrong with each, and what to change.
 *
 * @module
 */
import type { FieldError } from "../../../lib/field_error.ts";
import type { PushMistakes } from "../../../provider/feed_days.ts";
import { Badge, counted, digits, Table, Text, Time } from "../../layout/parts.tsx";
import { messageOf } from "../mistake_list.tsx";
import type { OwnFeed } from "./find_own.ts";

/** What to do about a refusal whose sentence leaves it open. */
const ADVICE: Readonly<Record<string, string>> = {
  VALIDATION_FAILED:
    "Correct these rows at the source and repeat the whole push, because none of its rows were stored. If the rows are correct, change the schema.",
  BODY_NOT_JSON: "Check the program that creates the body. It must be JSON or NDJSON.",
  PAYLOAD_TOO_LARGE: "Split the rows into several pushes, or import them as a file.",
  RATE_LIMITED: "Combine rows into fewer pushes. A feed accepts 20 pushes per minute.",
  SCHEMA_INVALID: "Correct the schema in the listing and push again.",
  UNSUPPORTED_MEDIA_TYPE: "Send JSON as application/json, or NDJSON as application/x-ndjson.",
  BATCH_CLOSED: "Push the rows with a new batch_id.",
  UNAVAILABLE: "The rows are not the cause. Push them again.",
};

interface LastRefusalProps {
  readonly feed: OwnFeed;
  readonly found: PushMistakes;
  /** Of the page that edits the listing. */
  readonly editPath: string;
}

/** Nothing if there was none, or if a later push was stored. */
export function LastRefusal({ feed, found, editPath }: LastRefusalProps) {
  const { last_refusal: refusal, last_sync_at: storedAt } = feed;
  if (refusal === null) return null;
  const isOver = storedAt !== null && Date.parse(storedAt) > Date.parse(refusal.pushed_at);
  const { mistakes, mistakeCount } = found;
  const advice = ADVICE[refusal.code];
  const content = (
    <>
      <p>
        <Badge tone="bad">{refusal.code}</Badge> <Time of={refusal.pushed_at} />
      </p>
      <p>
        <Text
          of={refusal.detail.replace(
            / Correct (?:the listed errors|what is listed in errors)[^.]*\.$/,
            "",
          )}
        />
      </p>
      {mistakes.length > 0 && (
        <>
          <Table
            label="Rows of the last refusal"
            rows={mistakes}
            columns={[
              { head: "Row", cell: (row) => <RowName of={row} /> },
              {
                head: "Field",
                kind: "slug",
                cell: (row) =>
                  fieldOf(row) !== "" && (
                    <code>
                      <Text of={fieldOf(row)} />
                    </code>
                  ),
              },
              { head: "Problem", cell: (row) => <Text of={messageOf(row)} /> },
            ]}
            empty=""
          />
          {mistakeCount > mistakes.length && (
            <p class="small soft">
              The first {digits(mistakes.length)} of {counted(mistakeCount, "error")}.
            </p>
          )}
        </>
      )}
      {advice !== undefined && (
        <p>
          <strong>What to change:</strong> {advice}{" "}
          {(refusal.code === "VALIDATION_FAILED" || refusal.code === "SCHEMA_INVALID") && (
            <a href={editPath}>Edit the listing</a>
          )}
        </p>
      )}
    </>
  );
  if (!isOver) {
    return (
      <section>
        <h2>The last push was refused</h2>
        {content}
      </section>
    );
  }
  return (
    <details class="card">
      <summary>
        Last refused push: <Time of={refusal.pushed_at} />. A later push was stored.
      </summary>
      {content}
    </details>
  );
}

function RowName({ of: { line, row_index: index, row_id: id } }: { readonly of: FieldError }) {
  const place = line === undefined ? index !== undefined && `row ${index + 1}` : `line ${line}`;
  return (
    <>
      {place}
      {id !== undefined && id !== "" && (
        <>
          {place && ", "}
          <code>
            <Text of={id} />
          </code>
        </>
      )}
    </>
  );
}

/** A pointer into the row, without the row's own place in the body. */
function fieldOf({ path, row_index: index }: FieldError): string {
  return index === undefined ? path : path.replace(/^(?:\/payload)?\/\d+/, "");
}
