/**
 * Plugins for routes that need no key.
 *
 * @module
 */
import { Elysia } from "elysia";
import { callPlugin } from "../../http/call.ts";
import { exactQuery, linkedQuery } from "../input/parameters.ts";
import type { NetworkLimit } from "./network_limit.ts";
import type { OperatorsListener } from "./operators_listener.ts";

/** For pages, which need no key and are answered from memory. */
export function keyless() {
  return new Elysia({ name: "keyless" }).use(callPlugin()).use(linkedQuery()).as("scoped");
}

/** For routes that need no key. They share the limit. */
export function anonymous({
  anonymousLimit,
  operatorsListener,
}: {
  readonly anonymousLimit: NetworkLimit;
  readonly operatorsListener: OperatorsListener;
}) {
  return new Elysia({ name: "anonymous" })
    .use(callPlugin())
    .onTransform(({ request, server }): void =>
      anonymousLimit(operatorsListener.addressOf(request, server)),
    )
    .use(exactQuery())
    .as("scoped");
}
