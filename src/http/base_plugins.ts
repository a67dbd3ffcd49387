/**
 * The plugins of every route, in their order: Elysia's hooks bind to the routes behind them.
 *
 * @module
 */
import { Elysia } from "elysia";
import { answerHeaders } from "./answer_headers.ts";
import { callPlugin, type HttpContext } from "./call.ts";
import { observed } from "./observe.ts";
import { oneHost } from "./one_host.ts";
import { problems } from "./problems.ts";

export function basePlugins(http: HttpContext) {
  return new Elysia({ name: "base" })
    .use(callPlugin())
    .use(problems(http))
    .use(answerHeaders(http))
    .use(observed(http))
    .use(oneHost());
}
