/**
 * Documents a route beyond its parameters: who may call it, its answers by status, and its texts. @elysiajs/swagger
 * builds the OpenAPI document from this.
 *
 * A schema describes a body. Its headers, examples, and codes are in `documented`, a member of the schema, because the
 * plugin preserves members of schemas.
 *
 * @module
 */
import { type TObject, type TSchema, Type } from "@sinclair/typebox";
import { PROBLEMS, type ProblemCode } from "../../http/problem_details.ts";
import { nullable, oneOf } from "../../lib/typebox.ts";
import { ERRORS_LISTED_MAX } from "../../limits.ts";
import { amount, count, time } from "../../shapes.ts";
import { type HeaderName, RATE_HEADERS } from "./header_docs.ts";
import { PROBLEM_CODES, PROBLEM_DOCS } from "./problem_docs.ts";

/** The documentation of a body in addition to its schema. */
export interface SchemaDocs {
  readonly description: string;
  /** Headers of every such answer, and headers that are optional. */
  readonly headers?: readonly HeaderName[];
  readonly headersOptional?: readonly HeaderName[];
  /** By title. */
  readonly examples?: Readonly<Record<string, unknown>>;
  /** The codes of a problem. Each becomes an example. */
  readonly codes?: readonly ProblemCode[];
  /** By media type: examples, and a schema if it differs from the body's. @default JSON */
  readonly mediaTypes?: Readonly<Record<string, MediaDoc>>;
}

export interface MediaDoc {
  readonly schema?: TSchema;
  readonly example?: unknown;
  /** By title, if there are several. */
  readonly examples?: Readonly<Record<string, unknown>>;
}

/** Adds documentation to the schema of a body. */
export function documented<Schema extends TSchema>(schema: Schema, around: SchemaDocs): Schema {
  return { ...schema, documented: around };
}

const FieldErrorShape = Type.Object(
  {
    path: Type.String({ description: "JSON Pointer (RFC 6901) into the body as sent." }),
    message: Type.String({ description: "What is wrong." }),
    row_index: Type.Optional(count("Index of the pushed row, from 0.")),
    row_id: Type.Optional(Type.String({ description: "The row's id." })),
    line: Type.Optional(count("Line of the imported file, from 1; `path` is within its row.")),
  },
  { $id: "FieldError", description: "One error in a body." },
);

/** The payment terms of x402, as in the header `PAYMENT-REQUIRED`, and the state of a payment. */
const X402_MEMBERS = {
  x402Version: Type.Optional(count("402: the version of x402, which is 2.")),
  error: Type.Optional(Type.String({ description: "402: the reason, as defined by x402." })),
  resource: Type.Optional(
    Type.Object(
      {
        url: Type.String({ format: "uri", description: "What the payment is for." }),
        description: Type.String({ description: "A description of it." }),
        mimeType: Type.String({ description: "The media type of the response." }),
      },
      { description: "402: what the payment is for." },
    ),
  ),
  accepts: Type.Optional(
    Type.Array(
      Type.Object({
        scheme: Type.String({ description: "`exact`" }),
        network: Type.String({ description: "CAIP-2 id of the chain." }),
        amount: Type.String({ description: "Millionths of a dollar." }),
        asset: Type.String({ description: "The token's contract." }),
        payTo: Type.String({ description: "The recipient." }),
        maxTimeoutSeconds: count("How long an authorization may be valid."),
        extra: Type.Object(
          {
            name: Type.String({ description: "Used in the token's signature." }),
            version: Type.String({ description: "Used in the token's signature." }),
            assetTransferMethod: Type.String({ description: "`eip3009`" }),
            offer: Type.String({ description: "Send it back unchanged. Valid for 15 minutes." }),
          },
          { description: "Parameters of the scheme." },
        ),
      }),
      { description: "402: the accepted payments." },
    ),
  ),
  topup_id: Type.Optional(
    Type.String({ format: "uuid", description: "402: the top-up of a payment that was refused." }),
  ),
  expires_at: Type.Optional(
    Type.String({
      format: "date-time",
      description: "402: the time until which a refused payment is still granted if it arrives.",
    }),
  ),
};

const ProblemShape = Type.Object(
  {
    type: Type.String({ format: "uri", description: "Where the error is explained." }),
    title: Type.String({ description: "The code in words." }),
    status: Type.Integer({ minimum: 400, maximum: 599, description: "The HTTP status." }),
    detail: Type.String({ description: "What is wrong and what to do." }),
    code: oneOf(PROBLEM_CODES, { description: "Stable; branch on it." }),
    request_id: Type.String({ description: "The same as `X-Request-Id`." }),
    parameter: Type.Optional(
      Type.String({ description: "400: the parameter or header with the error." }),
    ),
    retry_after_ms: Type.Optional(count("429 and 503: how long to wait.")),
    limit: Type.Optional(
      oneOf(["singleton_body", "request_body", "row_count", "row_payload", "import_body"], {
        description: "413: the limit that was exceeded.",
      }),
    ),
    max_bytes: Type.Optional(count("413: the limit in bytes.")),
    max_rows: Type.Optional(count("413: the limit in rows.")),
    row_index: Type.Optional(count("413: index of the first row that is too large, from 0.")),
    billing_url: Type.Optional(
      Type.String({
        format: "uri",
        description: "402: where to pay; its query has `account_id` and `feed_id`.",
      }),
    ),
    price: Type.Optional(amount("402: price of the call, or of the purchase.")),
    balance: Type.Optional(amount("402: the account's balance.")),
    max_credits: Type.Optional(
      Type.Number({
        minimum: 0,
        description: "402: the maximum set by `Feedgate-Max-Credits` or `max_credits`.",
      }),
    ),
    budget: Type.Optional(amount("402: the key's budget per UTC day.")),
    spent: Type.Optional(amount("402: what it has spent today.")),
    resets_at: Type.Optional(
      Type.String({ format: "date-time", description: "402: when the next day begins." }),
    ),
    reason: Type.Optional(
      Type.String({
        description:
          "402: why a payment was refused, as defined by x402; 403: the reason for the suspension.",
      }),
    ),
    ...X402_MEMBERS,
    request_path: Type.Optional(
      Type.String({ description: "403: the path for requesting access to the feed." }),
    ),
    retry_at: Type.Optional(
      nullable(time("409: when the account may ask again. Null while a request is pending.")),
    ),
    changes: Type.Optional(
      Type.Array(Type.Unknown(), {
        description: "409: the changes that affect readers of the schema.",
      }),
    ),
    usage_id: Type.Optional(
      Type.String({
        format: "uuid",
        description: "409: the usage event that the `Idempotency-Key` paid for.",
      }),
    ),
    max_feeds_allowed: Type.Optional(count("403: the account's quota.")),
    feeds_used: Type.Optional(count("403: feeds of the account, drafts included.")),
    errors: Type.Optional(
      Type.Array(FieldErrorShape, {
        maxItems: ERRORS_LISTED_MAX,
        description: "422: the first errors.",
      }),
    ),
    error_count: Type.Optional(count("422: the total number of errors.")),
  },
  { $id: "Problem", description: "An error as RFC 9457 problem details." },
);

/** The key that the route requires. */
type Access = "consumer" | "account" | "provider" | "operator" | "public";
/** The window that counts the calls of the route. Its 429 and its rate headers are about this window. */
type Window = "data" | "discovery" | "push" | "housekeeping" | "operator" | "anonymous";

interface RouteDoc<Answers> {
  readonly access: Access;
  /** Undefined for routes that never return 429. */
  readonly window?: Window;
  readonly operationId: string;
  readonly tag:
    | "discovery"
    | "data"
    | "account"
    | "provider"
    | "operator"
    | "skills"
    | "operations";
  readonly summary: string;
  readonly description: string;
  /** By status. */
  readonly answers: Answers;
  /** The codes of this route. Those of every route are added. */
  readonly problems: readonly ProblemCode[];
  /** Headers of the request, by name in lower case. */
  readonly headers?: TObject;
}

/** In a typed client, every status of the table is possible on every route. */
type Responses<Answers> = Answers & {
  readonly [Status in (typeof PROBLEMS)[ProblemCode]["status"]]: typeof ProblemShape;
};

const SECURITY: Readonly<Record<Access, Record<string, string[]>[]>> = {
  consumer: [{ apiKey: [] }, { bearer: [] }],
  account: [{ apiKey: [] }, { bearer: [] }],
  provider: [{ bearer: [] }],
  operator: [{ bearer: [] }],
  public: [],
};

/** `detail` and `response` of a route. */
export function described<Answers extends Readonly<Record<number, TSchema>>>(
  route: RouteDoc<Answers>,
) {
  const { access, operationId, tag, summary, description } = route;
  return {
    detail: {
      operationId,
      tags: [tag],
      summary,
      description,
      security: SECURITY[access],
      // Not the route's own `headers`, for which Elysia would create an object of all headers for each request.
      requestHeaders: route.headers,
    },
    // TypeScript can't infer the statuses of a list of codes.
    response: { ...route.answers, ...problemResponses(route) } as Responses<Answers>,
  };
}

/** Codes of every route that needs a key. */
const KEY_CODES = ["KEY_REQUIRED", "KEY_INVALID", "KEY_PERMISSION", "ACCOUNT_SUSPENDED"] as const;

/** The problem of each status, with its codes. */
function problemResponses(route: RouteDoc<unknown>): Record<number, TSchema> {
  const { access } = route;
  const codes: ProblemCode[] = [
    "INVALID_REQUEST",
    "INVALID_PARAMETER",
    ...route.problems,
    ...(access === "public" ? [] : KEY_CODES),
    "INTERNAL",
  ];
  const responses: Record<number, TSchema> = {};
  for (const [status, ofStatus] of Map.groupBy(codes, (code) => statusOf(code, access))) {
    responses[status] = documented(ProblemShape, {
      description: ofStatus.map((code) => PROBLEM_DOCS[code].when).join(" "),
      codes: ofStatus,
      ...problemHeaders(route, status),
    });
  }
  return responses;
}

/** The status of a code. `KEY_INVALID` is 403 on consumer routes and 401 on others. */
function statusOf(code: ProblemCode, access: Access): number {
  return code === "KEY_INVALID" && access === "consumer" ? 403 : PROBLEMS[code].status;
}

/** Documents the headers of a problem's answer. */
function problemHeaders(
  { access, window }: RouteDoc<unknown>,
  status: number,
): Pick<SchemaDocs, "headers" | "headersOptional"> {
  const headers: HeaderName[] = [];
  const headersOptional: HeaderName[] = [];
  if (access !== "public" || status === 429) headers.push("Cache-Control");
  if (status === 401) headers.push("WWW-Authenticate");
  if (status === 429 || status === 503) headers.push("Retry-After");
  if (status === 429) headers.push(...RATE_HEADERS);
  // A 402 for a feed that was not bought is decided before its window is checked, so it may lack these headers.
  if (window === "data" && status === 402) headersOptional.push(...RATE_HEADERS);
  if (window === "push") {
    // A push counts once it has passed the ownership check. Parameters are checked before that.
    if ([409, 413, 415, 422].includes(status)) headers.push(...RATE_HEADERS);
    else if (status === 400 || status >= 500) headersOptional.push(...RATE_HEADERS);
  }
  return { headers, headersOptional };
}

/** Codes of every route that uses the database and is counted in a window. */
export const COUNTED = ["RATE_LIMITED", "UNAVAILABLE"] as const;

/** Codes of every route with a body. */
export const BODY_PROBLEMS = [
  "BODY_NOT_JSON",
  "PAYLOAD_TOO_LARGE",
  "UNSUPPORTED_MEDIA_TYPE",
  "VALIDATION_FAILED",
] as const;

/** 304. */
export const UNCHANGED = documented(Type.Void(), {
  description:
    "Nothing has changed since the ETag was issued. Not charged; has its own rate limit.",
  headers: ["ETag", "Cache-Control"],
  headersOptional: ["Preference-Applied"],
});

/** Headers of an answer with an `ETag` that counts in a window. */
export const TAGGED = ["ETag", "Cache-Control", ...RATE_HEADERS] as const;

/** Headers of a request whose answer has an `ETag`. */
export const CONDITIONAL = Type.Object({
  "if-none-match": Type.Optional(
    Type.String({
      description:
        "The `ETag` of an earlier response. Returns 304 if nothing has changed, which is free and has its own rate limit.",
    }),
  ),
});

/** The path parameter of readers' routes. */
export const FEED_PARAMS = Type.Object({
  id: Type.String({
    description: "The feed's UUID or its `endpoint_path`.",
    examples: ["quakes"],
  }),
});

/** The path parameter of providers' routes. */
export const OWN_FEED_PARAMS = Type.Object({
  feed_id: Type.String({
    description: "UUID or slug of a feed that the key's account owns.",
    examples: ["quakes"],
  }),
});
