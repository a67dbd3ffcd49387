/**
 * `/assets/…`: the files of all pages.
 *
 * @module
 */
import { Elysia } from "elysia";
import { NO_PARAMETERS } from "../api/parameters.ts";
import { callPlugin } from "../http/call.ts";
import { Problem } from "../http/errors.ts";
import { respond } from "../http/respond.ts";
import { answerShared, compressedContent, type SharedContent } from "../http/shared_content.ts";
import { UI_FILES } from "./assets.ts";

interface Served {
  readonly content: Promise<SharedContent>;
  readonly type: string;
}

/** Mounted at the root. */
export function assetRoutes() {
  const files = new Map<string, Served>();
  const find = (name: string): Served => {
    const file = Object.entries(UI_FILES).find(([known]) => known === name)?.[1];
    if (file === undefined) {
      throw new Problem("ROUTE_NOT_FOUND", {
        detail: `There is no such file. Choose one of ${Object.keys(UI_FILES).join(", ")}.`,
      });
    }
    const served = files.get(name) ?? { content: read(file.path), type: file.type };
    files.set(name, served);
    return served;
  };
  return new Elysia({ name: "assets" }).use(callPlugin()).get(
    "/assets/:name",
    async ({ call, params }) => {
      const { content, type } = find(params.name);
      const headers = { "Content-Type": type, "Cache-Control": "public, no-cache" };
      return respond(answerShared(call.request, await content, headers));
    },
    { detail: { hide: true }, query: NO_PARAMETERS },
  );
}

async function read(path: string): Promise<SharedContent> {
  return compressedContent(await Bun.file(path).bytes());
}
