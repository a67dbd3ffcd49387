/** @jsxImportSource preact */
/**
 * The result of a read with "Try it": its cost, and its rows as a table, as JSON, and as a request to copy.
 *
 * @module
 */
import { findMember, scanJson, textOf } from "../../../lib/json_text.ts";
import { JSON_DEPTH_MAX, PAGE_LIMIT_MAX } from "../../../limits.ts";
import { nanosOfCredits } from "../../../money/money.ts";
import { counted, Facts, type Figure, plain } from "../../layout/parts.tsx";
import { showRows } from "../../layout/shown_rows.ts";
import { TableAndJson } from "../../layout/table_and_json.tsx";
import { ActForm } from "../act_form.tsx";
import { moneyWords } from "../amounts.ts";
import type { Form } from "../visit.ts";

/** The members of an answer that the page needs beside its text. */
export interface ReadAnswer {
  readonly has_more?: boolean;
  readonly next_cursor?: string | null;
  readonly _origin: {
    readonly usage_id: string;
    readonly credits_charged: Figure;
  };
}

interface TryAnswerProps {
  readonly answer: ReadAnswer;
  /** The answer as it came. */
  readonly text: string;
  /** The address that was read. */
  readonly address: string;
  /** What was asked for. */
  readonly form: Form;
  /** Credits that the form allowed the read to cost. */
  readonly maxCredits: string;
}

const JSON_CHARS_SHOWN = 40_000;

export function TryAnswer({ answer, text, address, form, maxCredits }: TryAnswerProps) {
  const { usage_id: usageId, credits_charged: charged } = answer._origin;
  const data = dataOf(text);
  const cursor = answer.next_cursor ?? null;
  return (
    <>
      <Facts
        of={{
          Charged: moneyWords(nanosOfCredits(plain(charged)) ?? 0n),
          Returned: data.count === undefined ? undefined : countWords(data.count, answer),
          "Usage ID": <code>{usageId}</code>,
        }}
      />
      <TableAndJson
        shown={showRows(data.json, PAGE_LIMIT_MAX)}
        name="answer"
        empty={
          data.count === 0
            ? "No rows match the request."
            : "The response contains no rows with fields. View it as JSON."
        }
        json={text}
        charsMax={JSON_CHARS_SHOWN}
        rest="To get all of it, send the request from a shell."
        more={[{ head: "Request", body: <Request address={address} /> }]}
      />
      {cursor !== null && (
        <ActForm
          isDirect
          hidden={{ ...askedFields(form), cursor, max_credits: maxCredits }}
          buttons={[{ act: "try", text: "Read the next page", tone: "quiet" }]}
        />
      )}
    </>
  );
}

function countWords(count: number, { has_more: hasMore }: ReadAnswer): string {
  return `${counted(count, "row")}${hasMore ? ", more available" : ""}`;
}

function Request({ address }: { readonly address: string }) {
  return (
    <pre tabIndex={0}>
      <code>{curlOf(address)}</code>
    </pre>
  );
}

/** As a command for a shell. */
export function curlOf(address: string): string {
  return `curl -H "x-api-key: $FEEDGATE_READ_KEY" '${address.replaceAll("'", "%27")}'`;
}

/** What asks for the same read again: the form without what belongs to one sending of it. */
export function askedFields({ fields }: Form): Readonly<Record<string, string>> {
  return Object.fromEntries(fields.filter(([name]) => !ONCE_ONLY.has(name)));
}

const ONCE_ONLY: ReadonlySet<string> = new Set(["act", "once", "confirmed", "cursor"]);

/** The JSON text of the answer's data, and how many rows it has; undefined if it is one document. */
function dataOf(text: string): { readonly json: string; readonly count: number | undefined } {
  const json = scanJson(text, { spanDepth: 2, heightMax: JSON_DEPTH_MAX + 2 });
  const data = findMember(json.root, "data");
  if (data === undefined) return { json: "null", count: undefined };
  return { json: textOf(json, data), count: data.items?.length };
}
