/**
 * `/v1/operator/*`: the operator's commands as an HTTP API, for callers with an admin key.
 *
 * Each route maps a function of `src/operator` to HTTP (`define_route.ts`). See `src/spec/beyond.md`, section 5.
 *
 * @module
 */
import { Type } from "@sinclair/typebox";
import { TypeCompiler } from "@sinclair/typebox/compiler";
import { Elysia } from "elysia";
import { type Given, parseInput } from "../../api/input/read_input.ts";
import { checkHeaders } from "../../api/problems/validation.ts";
import { BODY_PROBLEMS, COUNTED, described, documented } from "../../api/reference/described.ts";
import { privateJson } from "../../http/answer.ts";
import type { Call } from "../../http/call.ts";
import { uploads } from "../../http/load/uploads.ts";
import { Problem } from "../../http/problem_details.ts";
import { bodyTextOf, mediaTypeOf, receiveBody } from "../../http/read_body.ts";
import { respond } from "../../http/respond.ts";
import { OPERATOR_BODY_BYTES_MAX } from "../../limits.ts";
import { actOnce, type Reply } from "../../operator/act_once.ts";
import { idempotencyKeyHeader } from "../../read/pipeline/claim_headers.ts";
import type { Services } from "../../services.ts";
import { asOperator, type OperatorPrincipal } from "./admin_callers.ts";
import type { OperatorRoute } from "./define_route.ts";
import { ACCESS_ROUTES } from "./on_access.ts";
import { ACCOUNT_ROUTES, KEY_ROUTES } from "./on_accounts.ts";
import { AUDIT_ROUTES, FEED_ROUTES } from "./on_feeds.ts";
import { CREDIT_ROUTES } from "./on_money.ts";
import { NOTICE_ROUTES } from "./on_notices.ts";
import { PEOPLE_ROUTES } from "./on_people.ts";
import { REPORT_ROUTES } from "./on_reports.ts";
import { TOPUP_ROUTES } from "./on_topups.ts";

/** All operator routes, in the order of the OpenAPI document. */
export const OPERATOR_ROUTES: readonly OperatorRoute[] = [
  ...ACCOUNT_ROUTES,
  ...KEY_ROUTES,
  ...PEOPLE_ROUTES,
  ...CREDIT_ROUTES,
  ...TOPUP_ROUTES,
  ...FEED_ROUTES,
  ...ACCESS_ROUTES,
  ...NOTICE_ROUTES,
  ...REPORT_ROUTES,
  ...AUDIT_ROUTES,
];

const POST_HEADERS = Type.Object({
  "idempotency-key": idempotencyKeyHeader(
    "For 24 hours, repeating the same call has no further effect and returns the same response.",
  ),
});
const POST_HEADERS_CHECK = TypeCompiler.Compile(POST_HEADERS);

/** Without a prefix: mounted at `/v1` and `/api/v1`. */
export function operatorRoutes(services: Services) {
  const app = new Elysia({ name: "operator" }).use(asOperator(services.keys)).use(uploads());
  for (const route of OPERATOR_ROUTES) {
    app.route(
      route.method,
      `/operator${route.path}`,
      async ({ call, operator, params, query }) => {
        const caller: Caller = { call, operator, path: params ?? {}, query: query ?? {} };
        const reply = await answer(services, route, caller);
        return respond({ ...reply, headers: { ...privateJson(), ...reply.headers } });
      },
      {
        config: {},
        parse: "none",
        // Routes without path parameters have no schema to check.
        ...(route.path.includes(":") && { params: route.params }),
        query: route.query,
        ...(route.body !== undefined && { body: route.body }),
        ...documentation(route),
      },
    );
  }
  return app;
}

interface Caller extends Omit<Given, "body"> {
  readonly call: Call;
  readonly operator: OperatorPrincipal;
}

/** @throws {Problem | Refused} */
async function answer(
  services: Services,
  route: OperatorRoute,
  { call, operator: caller, path, query }: Caller,
): Promise<Reply> {
  const { operatorDatabase: database } = services;
  const { request } = call;
  const takesBody = route.method === "POST" || route.method === "PATCH";
  const text = takesBody ? await receive(services, request, caller.keyId) : "";
  const body = takesBody ? parseInput(text) : undefined;
  const operator = services.operator();
  const act = (reference?: string) =>
    route.run({ operator, actor: caller.actor, reference }, { path, query, body });
  if (route.method !== "POST") return act();
  checkHeaders(POST_HEADERS_CHECK, request);
  const key = request.headers.get("idempotency-key");
  if (key === null) return act();
  const acted = {
    caller,
    key,
    request: JSON.stringify([route.path, path, body?.text]),
    isSafeToRepeat: route.isSafeToRepeat ?? false,
    isSecret: route.isSecret ?? false,
  };
  const { cursorSecret: secret, intervals } = services;
  return actOnce({ database, secret, waitMsMax: intervals.repeatWait }, acted, act);
}

/** The text of a body of limited size. "" if there is none. @throws {Problem} 400, 413, 415, 503 */
async function receive({ bodies }: Services, request: Request, keyId: string): Promise<string> {
  if (request.body === null) return "";
  return bodies.whileHeld(keyId, async (hold) => {
    const bytesMax = OPERATOR_BODY_BYTES_MAX;
    const bytes = await receiveBody(request, { bytesMax, tooLarge, hold });
    if (bytes.length === 0) return "";
    const mediaType = mediaTypeOf(request, ["json"]);
    if (mediaType instanceof Problem) throw mediaType;
    return bodyTextOf(bytes);
  });
}

function tooLarge(): Problem {
  return new Problem("PAYLOAD_TOO_LARGE", {
    detail: `The body is larger than the limit of ${OPERATOR_BODY_BYTES_MAX} bytes. Shorten it.`,
    extras: { limit: "request_body", max_bytes: OPERATOR_BODY_BYTES_MAX },
    headers: { Connection: "close" },
  });
}

function documentation({
  method,
  operationId,
  summary,
  description = "",
  ...route
}: OperatorRoute) {
  const takesBody = method === "POST" || method === "PATCH";
  const answers = Object.fromEntries(
    Object.entries(route.answers).map(([status, { shape, example, csv }]) => [
      status,
      documented(shape, {
        description: status === "201" ? "Created." : "The current state.",
        headers: ["Cache-Control"],
        ...(csv === undefined
          ? { examples: { "As an example": example } }
          : {
              headersOptional: ["Content-Disposition"],
              mediaTypes: {
                "application/json": { example },
                "text/csv": {
                  schema: Type.String({ description: "RFC 4180, with a header." }),
                  example: csv,
                },
              },
            }),
      }),
    ]),
  );
  return described({
    access: "operator",
    window: "operator",
    operationId,
    tag: "operator",
    summary,
    description: description === "" ? `${summary}.` : description,
    answers,
    problems: [
      ...route.problems,
      ...(takesBody ? BODY_PROBLEMS : []),
      ...(method === "POST" ? IDEMPOTENCY_PROBLEMS : []),
      ...COUNTED,
    ],
    ...(method === "POST" && { headers: POST_HEADERS }),
  });
}

const IDEMPOTENCY_PROBLEMS = [
  "IDEMPOTENCY_KEY_REUSED",
  "IDEMPOTENCY_KEY_ANSWERED",
  "IDEMPOTENCY_KEY_UNFINISHED",
] as const;
