/**
 * Reads forms, up to a size limit, and only from our own pages.
 *
 * @module
 */
import type { Peer } from "../../api/callers/operators_listener.ts";
import type { Call } from "../../http/call.ts";
import type { HoldBytes } from "../../http/load/body_budget.ts";
import { Problem } from "../../http/problem_details.ts";
import { receiveBody } from "../../http/read_body.ts";
import { FORM_BYTES_MAX } from "../../limits.ts";
import type { Services } from "../../services.ts";
import type { Form } from "./visit.ts";

/**
 * Refuses a form that another site sent. Browsers say where a form comes from in `Sec-Fetch-Site`, older ones in
 * `Origin`; what sends neither has no cookies of a person either. @throws {Problem} 403
 */
export function requireOwnSite({ request }: Call): void {
  const { headers } = request;
  const site = headers.get("sec-fetch-site");
  const origin = headers.get("origin");
  const isOwn =
    site !== null
      ? site === "same-origin" || site === "none"
      : origin === null || hostOf(origin) === headers.get("host");
  if (isOwn) return;
  throw new Problem("ORIGIN_FORBIDDEN", {
    detail:
      "This form was submitted from another site, so nothing was changed. Submit it from the console.",
  });
}

function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}

/** What base64 makes of a file's bytes, which a confirmation sends on. */
const BASE64_TIMES = 4 / 3;

/** Who sends a form: somebody signed in, by their key, or anybody, by the server that knows their address. */
export type FormSender = { readonly keyId: string } | { readonly server: Peer | null | undefined };

/** The form of a request. That of a key may have a file, as large as a push. @throws {Problem} 413, 503 */
export async function readForm(
  { bodies, config, strangersBodies }: Services,
  { request }: Call,
  sender: FormSender,
): Promise<Form> {
  const type = request.headers.get("content-type") ?? "";
  const mayHaveFile = "keyId" in sender && type.startsWith("multipart/");
  const fileBytesMax = Math.ceil(BASE64_TIMES * config.limits.requestBodyBytes);
  const bytesMax = FORM_BYTES_MAX + (mayHaveFile ? fileBytesMax : 0);
  const receive = async (hold: HoldBytes) => {
    const bytes = await receiveBody(request, {
      bytesMax,
      tooLarge: () => formTooLarge(bytesMax),
      hold,
    });
    const data = await parse(bytes, type);
    const fields: [string, string][] = [];
    let file: File | undefined;
    for (const [name, value] of data) {
      // Browsers send every line end as CR LF, whatever the text had.
      if (typeof value === "string") fields.push([name, value.replaceAll("\r\n", "\n")]);
      else if (value.size > 0) file = value;
    }
    const typed = (name: string) => fields.find(([known]) => known === name)?.[1] ?? "";
    const text = (name: string) => typed(name).trim();
    return { fields, file, typed, text, given: (name: string) => text(name) || undefined };
  };
  return "keyId" in sender
    ? bodies.whileHeld(sender.keyId, receive)
    : strangersBodies.whileHeld(request, sender.server, receive);
}

async function parse(bytes: Uint8Array, type: string): Promise<Iterable<[string, string | File]>> {
  if (!type.startsWith("multipart/"))
    return new URLSearchParams(Buffer.from(bytes).toString("utf8"));
  try {
    const copy = new Uint8Array(bytes);
    return await new Response(copy, { headers: { "content-type": type } }).formData();
  } catch {
    throw new Problem("INVALID_PARAMETER", { detail: "The form can't be read. Submit it again." });
  }
}

function formTooLarge(bytesMax: number): Problem {
  return new Problem("PAYLOAD_TOO_LARGE", {
    detail: `The form is larger than ${bytesMax} bytes. Submit less data or a smaller file.`,
    extras: { limit: "request_body", max_bytes: bytesMax },
    headers: { Connection: "close" },
  });
}
