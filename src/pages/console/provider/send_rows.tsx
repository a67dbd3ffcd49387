/** @jsxImportSource preact */
/**
 * Sends rows from a page to a feed, and shows the outcome.
 *
 * @module
 */
import type { FieldError } from "../../../lib/field_error.ts";
import type { FileForm } from "../../../push/rows/read_file.ts";
import { digits, Facts, Message, Text } from "../../layout/parts.tsx";
import { PlacedMistakes } from "../mistake_list.tsx";
import type { View, Visit } from "../visit.ts";

/** What a push or an import answers. */
interface Receipt {
  readonly rows_inserted: number;
  readonly rows_updated: number;
  readonly rows_duplicate: number;
  readonly is_visible: boolean;
  readonly detail?: string;
}

export interface PushProblem {
  readonly detail: string;
  readonly errors?: readonly FieldError[];
}

/** One of both. */
interface End {
  readonly receipt?: Receipt;
  readonly problem?: PushProblem;
}

interface RowsToSend {
  /** Lines of JSON for an import, a body for a push. */
  readonly text: string;
  readonly way: "push" | "import";
  /** Whether the gateway only says what would come of it. A push can be tried, and an import can't. @default false */
  readonly isDryRun?: boolean;
}

export async function sendRows(
  visit: Visit,
  feedId: string,
  { text, way, isDryRun = false }: RowsToSend,
): Promise<End> {
  const query = isDryRun ? "?dry_run=true" : "";
  const type = way === "import" ? "application/x-ndjson" : "application/json";
  const answer = await visit.askText(`/v1/provider/feed/${feedId}/${way}${query}`, {
    method: "POST",
    file: { bytes: new TextEncoder().encode(text), type },
  });
  if (answer.kind === "refused") return { problem: answer };
  // An import answers with several lines. The last one has the result.
  return way === "push"
    ? { receipt: JSON.parse(answer.text) }
    : JSON.parse(answer.text.trim().split("\n").at(-1) ?? "{}");
}

interface ReceiptProps {
  readonly of: Receipt;
  /** Whether rows are no longer there that the file does not have. @default false */
  readonly isReplaced?: boolean;
}

export function ReceiptFacts({ of: receipt, isReplaced = false }: ReceiptProps) {
  const changed = digits(receipt.rows_updated);
  return (
    <Facts
      of={{
        [isReplaced ? "Rows" : "New rows"]: digits(receipt.rows_inserted),
        "Changed rows": !isReplaced && changed,
        Duplicates: receipt.rows_duplicate > 0 && digits(receipt.rows_duplicate),
        "Visible to readers": receipt.is_visible ? "yes" : "not yet",
        Note: receipt.detail && <Text of={receipt.detail} />,
      }}
    />
  );
}

interface RefusedPush {
  readonly id: string;
  readonly problem: PushProblem;
  readonly form: FileForm;
}

/** A feed that was made, and whose file was refused. */
export function refusedPush(visit: Visit, { id, problem, form }: RefusedPush): View {
  const here = `${visit.root}/console/feeds/${id}`;
  const { detail, errors = [] } = problem;
  return {
    title: "The file was refused",
    content: (
      <>
        <h1>The file was refused</h1>
        <Message tone="bad">
          <p>
            The feed was saved with everything you entered, but its file can't be stored
            {errors.length > 0 ? ":" : "."} <Text of={errors.length > 0 ? "" : detail} />
          </p>
          <PlacedMistakes of={errors} form={form} />
        </Message>
        <p>Correct the file and push it again. The first stored rows activate the feed.</p>
        <div class="actions">
          <a class="button" href={`${here}/push`}>
            Push a file
          </a>
          <a class="button quiet" href={here}>
            Go to the feed
          </a>
        </div>
      </>
    ),
  };
}
