/**
 * Receives the body of a push: checks its media type, then reads its bytes up to the limit.
 *
 * @module
 */
import type { FeedType } from "../feeds/find.ts";
import type { HoldBytes } from "../http/load/body_budget.ts";
import { Problem } from "../http/problem_details.ts";
import { bodyTextOf, mediaTypeOf, receiveBody } from "../http/read_body.ts";
import type { Limits } from "../limits.ts";
import type { Unreadable } from "./check_push.ts";
import { bodyLimitOf, type PushBody } from "./parse_push.ts";
import { payloadTooLarge } from "./push_problems.ts";

interface ReceiveOptions {
  /** The feed's type, as this process knows it. */
  readonly feedType: FeedType | null;
  readonly limits: Limits;
  readonly hold: HoldBytes;
}

/** @throws {Problem} 503 if there is no room for bodies; such a push is not counted */
export async function receivePush(
  request: Request,
  { feedType, limits, hold }: ReceiveOptions,
): Promise<PushBody | Unreadable> {
  let bytes = 0;
  try {
    // A singleton accepts only JSON, because newline-delimited rows are not a document.
    const form = mediaTypeOf(request, feedType === "singleton" ? ["json"] : ["json", "ndjson"]);
    if (form instanceof Problem) throw form;
    const limit = bodyLimitOf(form === "ndjson" ? "collection" : feedType, limits);
    const tooLarge = () => payloadTooLarge(limit);
    const received = await receiveBody(request, { bytesMax: limit.most, tooLarge, hold });
    bytes = received.length;
    return { kind: "body", form, text: bodyTextOf(received), bytes };
  } catch (error) {
    if (!(error instanceof Problem) || error.code === "UNAVAILABLE") throw error;
    return { kind: "unreadable", problem: error, bytes };
  }
}
