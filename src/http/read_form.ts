/**
 * Reads forms up to a limit: `application/x-www-form-urlencoded`, as sent by browsers and OAuth clients.
 *
 * @module
 */

import type { HoldBytes } from "./load/body_budget.ts";
import { Problem } from "./problem_details.ts";
import { bodyTextOf, receiveBody } from "./read_body.ts";

const FORM_TYPE = "application/x-www-form-urlencoded";

/** The fields of a form. @throws {Problem} 400, 413, 415; 503 of `hold` */
export async function readForm(
  request: Request,
  { bytesMax, hold }: { readonly bytesMax: number; readonly hold: HoldBytes },
): Promise<URLSearchParams> {
  const type = request.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
  if (type !== FORM_TYPE) {
    throw new Problem("UNSUPPORTED_MEDIA_TYPE", {
      detail: `Send the form as ${FORM_TYPE}.`,
    });
  }
  const tooLarge = () =>
    new Problem("PAYLOAD_TOO_LARGE", {
      detail: `The form is limited to ${bytesMax} bytes. Send less.`,
      extras: { limit: "request_body", max_bytes: bytesMax },
      headers: { Connection: "close" },
    });
  const bytes = await receiveBody(request, { bytesMax, tooLarge, hold });
  return new URLSearchParams(bytes.length === 0 ? "" : bodyTextOf(bytes));
}
