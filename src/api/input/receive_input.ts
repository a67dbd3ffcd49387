/**
 * Reads the body of a counted call by the schema of a function's input. An empty body is an empty object.
 *
 * @module
 */
import type { TObject } from "@sinclair/typebox";
import type { Call } from "../../http/call.ts";
import type { BodyBudget } from "../../http/load/body_budget.ts";
import { Problem } from "../../http/problem_details.ts";
import { bodyTextOf, mediaTypeOf, receiveBody } from "../../http/read_body.ts";
import { INPUT_BODY_BYTES_MAX } from "../../limits.ts";
import type { InputOf } from "../../operator/operator.ts";
import type { Principal } from "../callers/callers.ts";
import { parseInput, readInput } from "./read_input.ts";

interface InputServices {
  readonly bodies: BodyBudget;
}

interface InputCall {
  readonly call: Call;
  readonly principal: Principal;
  /** Members of the input that come from the path. */
  readonly given?: Readonly<Record<string, string>>;
}

/** @throws {Problem} 400, 413, 415, 422, 503 */
export async function receiveInput<Schema extends TObject>(
  { bodies }: InputServices,
  { call: { request }, principal, given = {} }: InputCall,
  schema: Schema,
): Promise<InputOf<Schema>> {
  const text = await bodies.whileHeld(principal.accountId, async (hold) => {
    if (request.body === null) return "";
    const mediaType = mediaTypeOf(request, ["json"]);
    if (mediaType instanceof Problem) throw mediaType;
    return bodyTextOf(
      await receiveBody(request, { bytesMax: INPUT_BODY_BYTES_MAX, tooLarge, hold }),
    );
  });
  return readInput(schema, { path: given, query: {}, body: parseInput(text) });
}

/** 413 */
function tooLarge(): Problem {
  return new Problem("PAYLOAD_TOO_LARGE", {
    detail: `The body is limited to ${INPUT_BODY_BYTES_MAX} bytes. Shorten it.`,
    extras: { limit: "request_body", max_bytes: INPUT_BODY_BYTES_MAX },
    headers: { Connection: "close" },
  });
}
