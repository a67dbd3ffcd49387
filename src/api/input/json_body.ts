/**
 * Reads the body of a route that accepts one JSON object, other than a push.
 *
 * @module
 */
import type { HoldBytes } from "../../http/load/body_budget.ts";
import { Problem } from "../../http/problem_details.ts";
import { bodyTextOf, mediaTypeOf, receiveBody } from "../../http/read_body.ts";
import type { JsonText } from "../../lib/json_text.ts";
import { problemOfBody } from "../problems/feed_problems.ts";
import { parseBody } from "./parse_body.ts";

interface JsonBodyOptions {
  readonly bytesMax: number;
  /** The 413. It must close the connection, because the rest of the body is not read. */
  readonly tooLarge: () => Problem;
  readonly hold: HoldBytes;
}

/** Reads the body of an admitted request as a JSON object. @throws {Problem} 400, 415, 413, 422, 503 */
export async function receiveJsonObject(
  request: Request,
  options: JsonBodyOptions,
): Promise<JsonText> {
  const mediaType = mediaTypeOf(request, ["json"]);
  if (mediaType instanceof Problem) throw mediaType;
  const outcome = parseBody(bodyTextOf(await receiveBody(request, options)));
  if (outcome.kind !== "body") throw problemOfBody(outcome);
  return outcome.body;
}
