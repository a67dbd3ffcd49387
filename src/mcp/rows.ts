/**
 * The rows of a read as a tool returns them: unchanged, together with the position of the next page, the receipt, and
 * the rest of the rate limit. In the text, numbers keep all their digits.
 *
 * @module
 */
import { Type } from "@sinclair/typebox";
import { resetInSeconds } from "../api/callers/rate_headers.ts";
import type { OwnAnswer } from "../api/own_routes.ts";
import type { RowsTaken } from "../api/tool_request.ts";
import { Expected, text } from "../lib/typebox.ts";
import { idempotencyKeyHeader } from "../read/pipeline/claim_headers.ts";
import { problemResult, type ToolAnswer, withoutNull } from "./tool.ts";
import type { AskRoute } from "./tool_routes.ts";

const FIELDS_MAX = 50;
const FIELD_LENGTH_MAX = 200;

/** Arguments of tools that read rows. */
export const ROWS_ARGUMENTS = {
  fields: Type.Optional(
    Type.Array(text({ minLength: 1, maxLength: FIELD_LENGTH_MAX }), {
      minItems: 1,
      maxItems: FIELDS_MAX,
      uniqueItems: true,
      [Expected]: `a list of 1 to ${FIELDS_MAX} different names`,
      description: "Top-level fields to keep in each row.",
    }),
  ),
  max_credits: Type.Optional(
    Type.Number({ minimum: 0, description: "A more expensive call is refused and not charged." }),
  ),
};

/** Of tools that make one read. */
export const ONE_READ_ARGUMENTS = {
  idempotency_key: idempotencyKeyHeader(
    "A new random key for each call. If the response was lost, repeat the same call with the same key: within 24 hours and while the data has not changed, it is charged only once. Never reuse it for another page.",
  ),
};

interface RowsRead {
  readonly path: string;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly given: {
    readonly fields?: readonly string[];
    readonly max_credits?: number;
    readonly idempotency_key?: string;
  };
  /** What to do if there are more rows. */
  readonly next?: string;
  /** Whether the ids that the feed does not have are listed. */
  readonly listsMissing?: boolean;
}

/** Reads rows. `answerOther` makes the answer if there are neither rows nor a problem. */
export async function readRows(
  ask: AskRoute,
  { path, headers, given, ...options }: RowsRead,
  answerOther: (answer: OwnAnswer) => ToolAnswer = problemResult,
): Promise<ToolAnswer> {
  let rowsAnswer: ToolAnswer | undefined;
  const answer = await ask({
    path,
    headers: {
      ...headers,
      "feedgate-max-credits": given.max_credits?.toString(),
      "idempotency-key": given.idempotency_key,
    },
    wishes: {
      fields: given.fields,
      take: (taken) => {
        rowsAnswer = answerRows(taken, options);
      },
    },
  });
  if (answer.status >= 300) return problemResult(answer);
  return rowsAnswer ?? answerOther(answer);
}

function answerRows(
  { rows, next: page, missing, fieldsNotFound, origin, window }: RowsTaken,
  { next, listsMissing = false }: Pick<RowsRead, "next" | "listsMissing">,
): ToolAnswer {
  const before = JSON.stringify({
    ...(fieldsNotFound.length > 0 && { fields_not_found: fieldsNotFound }),
    // Records that were asked for by id are all on one page.
    ...(listsMissing ? { missing } : withoutNull(page)),
  });
  const { limit, remaining } = window;
  const behind = JSON.stringify({
    limits: { limit, remaining, reset_seconds: resetInSeconds(window, Date.now()) },
    ...("has_more" in page && page.has_more && { next }),
  });
  // The receipt stays as it is, with all digits.
  const receipt = origin === undefined ? "" : `"receipt":${origin},`;
  const besides = `,${before.slice(1, -1)},${receipt}${behind.slice(1)}`;
  return { structure: ['{"rows":', ...rows, besides], isError: false };
}
