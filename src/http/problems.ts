/**
 * Errors as answers: a plugin that makes an RFC 9457 problem document of whatever a route throws.
 * Decisions 2.
 *
 * A `Problem` is sent as it is, a failed validation becomes one, trouble with the database is 503, and
 * everything else is a logged 500.
 *
 * @module
 */
import { Elysia, ValidationError } from "elysia";
import { codeOf, messageOf } from "../lib/error_fields.ts";
import type { Log } from "../lib/log.ts";
import type { Throttle } from "../lib/throttle.ts";
import { DatabaseOverloadedError, DatabaseUnavailableError } from "../postgres/client/query.ts";
import type { Answer } from "./answer.ts";
import { callPlugin, createCall, type HttpContext, type RoutedCall } from "./call.ts";
import { Problem, type ProblemCode, problemAnswer, problemOf } from "./errors.ts";
import { routeLabel } from "./observe.ts";
import { respond } from "./respond.ts";
import { invalidRequestPart } from "./validation.ts";

/** `Retry-After` of a 503 is so many times the wait of now, so that the line gets shorter. */
const RETRY_AFTER_LINES = 2;

/** What is told of a feed to its owner only. */
const PROVEN_FIRST: ReadonlySet<ProblemCode> = new Set(["FEED_FORBIDDEN", "FEED_SUSPENDED"]);

/** Answers every error of the routes behind it. */
export function problems(http: HttpContext) {
  return new Elysia({ name: "problems" })
    .use(callPlugin())
    .onError({ as: "global" }, async ({ call: known, error, request }) => {
      // What Elysia itself finds no route for, without a listener, has met no other plugin.
      const call = known ?? createCall(request, "/*");
      const problem = await toldProblem(call, error);
      if (problem.status >= 500) logFailure(http.log, call, error);
      return respondProblem(http, call, problem);
    });
}

/** What a handler came to, as the answer to its call. */
export function respondOutcome(
  http: HttpContext,
  call: RoutedCall,
  outcome: Answer | Problem,
): Response | Promise<Response> {
  return outcome instanceof Problem ? respondProblem(http, call, outcome) : respond(outcome);
}

/** A problem as the answer to a call. 503s of keyed routes and an account's refusals wait for their turn. */
export async function respondProblem(
  { baseUrl, refusals, refusalsOf }: HttpContext,
  { requestId, isKeyed, subject }: RoutedCall,
  problem: Problem,
): Promise<Response> {
  subject.code = problem.code;
  // Who asks for /readyz is told at once.
  const isOverload = isKeyed && problem.code === "UNAVAILABLE";
  const retryAfterSeconds = isOverload ? await takeTurn(refusals) : undefined;
  if (!isOverload && subject.accountId !== undefined) await refusalsOf(subject.accountId).pass();
  const context = { requestId, isKeyed, baseUrl: baseUrl(), retryAfterSeconds };
  return respond(problemAnswer(problem, context));
}

/** What the client is told. */
async function toldProblem({ proveKey }: RoutedCall, error: unknown): Promise<Problem> {
  const problem = error instanceof ValidationError ? invalidRequestPart(error) : problemOf(error);
  const isProvenFirst = problem.status === 400 || PROVEN_FIRST.has(problem.code);
  if (!isProvenFirst || proveKey === undefined) return problem;
  // A bad key is told before a bad parameter or a foreign feed, and the key may have been from memory.
  return proveKey().then(() => problem, problemOf);
}

/** When it is sensible to come again; undefined where nobody is in line. */
async function takeTurn(refusals: Throttle): Promise<number | undefined> {
  const { waitSeconds } = refusals;
  await refusals.pass();
  return waitSeconds === 0 ? undefined : Math.ceil(RETRY_AFTER_LINES * waitSeconds);
}

/** A fault of ours with all its causes; trouble with the database, which fails many, in one line. */
function logFailure(log: Log, { requestId, route: path }: RoutedCall, error: unknown): void {
  const route = routeLabel(path);
  const fault = error instanceof Problem ? error.options.cause : error;
  // What is refused on purpose is counted: too much load would only be more of it.
  if (fault === undefined || fault instanceof DatabaseOverloadedError) return;
  if (fault instanceof DatabaseUnavailableError) {
    const cause = fault.cause ?? fault;
    const [code, reason] = [codeOf(cause), messageOf(cause)];
    log.warn("database unavailable", { request_id: requestId, route, code, reason });
    return;
  }
  log.error("request failed", { request_id: requestId, route, error: fault });
}
