/**
 * `/assets/…`: the files of all pages. A file name contains a hash of the content, so the content of an address never
 * changes.
 *
 * @module
 */
import { Elysia } from "elysia";
import { NO_PARAMETERS } from "../../api/input/parameters.ts";
import { callPlugin } from "../../http/call.ts";
import { Problem } from "../../http/problem_details.ts";
import { respond } from "../../http/respond.ts";
import { answerShared, compressedContent, type SharedContent } from "../../http/shared_content.ts";
import { SERVED_FILES } from "./assets.ts";

/** Mounted at the root. */
export function assetRoutes() {
  const contents = new Map<string, Promise<SharedContent>>();
  return new Elysia({ name: "assets" }).use(callPlugin()).get(
    "/assets/:name",
    async ({ call, params: { name } }) => {
      const file = SERVED_FILES.get(name);
      if (file === undefined) {
        throw new Problem("ROUTE_NOT_FOUND", {
          detail: "This file does not exist. Reload the page to load its current files.",
        });
      }
      const content = contents.get(name) ?? compressedContent(file.text);
      contents.set(name, content);
      const headers = {
        "Content-Type": file.type,
        "Cache-Control": "public, max-age=31536000, immutable",
      };
      return respond(answerShared(call.request, await content, headers));
    },
    { detail: { hide: true }, query: NO_PARAMETERS },
  );
}
