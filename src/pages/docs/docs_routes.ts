/**
 * `/docs`: the API reference and its pages, the guides, and `/docs/json`, the OpenAPI document.
 *
 * Everything is served by the gateway. The executable contains the files of Swagger UI.
 *
 * @module
 */
import { swagger } from "@elysiajs/swagger";
import { type TObject, Type } from "@sinclair/typebox";
import { type AnyElysia, Elysia } from "elysia";
import swaggerStyles from "swagger-ui-dist/swagger-ui.css" with { type: "file" };
import swaggerScript from "swagger-ui-dist/swagger-ui-bundle.js" with { type: "file" };
import { keyless } from "../../api/callers/without_key.ts";
import { NO_PARAMETERS } from "../../api/input/parameters.ts";
import { openApi31, type PluginDocument } from "../../api/reference/openapi.ts";
import consentPicture from "../../docs/assets/consent.png" with { type: "file" };
import type { Call } from "../../http/call.ts";
import { Problem } from "../../http/problem_details.ts";
import { respond } from "../../http/respond.ts";
import { answerShared, compressedContent, type SharedContent } from "../../http/shared_content.ts";
import { IS_COMPILED, typedCommand } from "../../lib/own_process.ts";
import { NOTICE_WEBHOOKS } from "../../notices/notice_reference.ts";
import type { Services } from "../../services.ts";
import type { PageFrame } from "../layout/page.tsx";
import docsStyles from "./docs.css" with { type: "file" };
import docsScript from "./docs_script.js" with { type: "file" };
import { guideIndexText } from "./guide_index.ts" with { type: "macro" };
import { GUIDE_HEADERS, renderGuide, renderGuideIndex } from "./guide_pages.tsx";
import { GUIDE_NAMES } from "./guide_texts.ts";
import { GROUP_NAMES, type GroupName, type ReferenceDocument } from "./reference_document.ts";
import { type Reference, renderErrors, renderGroup, renderOverview } from "./reference_pages.tsx";
import tryStyles from "./try_page.css" with { type: "file" };
import { renderTryPage, TRY_HEADERS } from "./try_page.tsx";
import tryScript from "./try_page_script.js" with { type: "file" };

/** Where the plugin serves, on an app of its own that no client reaches; no route of ours. */
const PLUGIN_PATH = "/swagger";

/** What a route serves to everybody. */
interface Served {
  readonly read: () => Promise<SharedContent>;
  readonly headers: Readonly<Record<string, string>> & { readonly "Cache-Control": string };
}

const ASSETS: ReadonlyMap<string, Served> = new Map([
  ["swagger-ui-bundle.js", file(swaggerScript, "text/javascript; charset=utf-8")],
  ["swagger-ui.css", file(swaggerStyles, "text/css; charset=utf-8")],
  ["try_page.js", file(tryScript, "text/javascript; charset=utf-8")],
  ["try_page.css", file(tryStyles, "text/css; charset=utf-8")],
  ["docs.js", file(docsScript, "text/javascript; charset=utf-8")],
  ["docs.css", file(docsStyles, "text/css; charset=utf-8")],
  [
    "guides.json",
    {
      read: once(() => compressedContent(guideIndexText())),
      headers: { "Content-Type": "application/json", "Cache-Control": "public, no-cache" },
    },
  ],
  ["consent.png", file(consentPicture, "image/png")],
]);

function page(
  render: () => string | Promise<string>,
  headers: Served["headers"] = GUIDE_HEADERS,
): Served {
  return { read: once(async () => compressedContent(await render())), headers };
}

function file(path: string, type: string): Served {
  return {
    read: once(async () => compressedContent(await Bun.file(path).bytes())),
    headers: { "Content-Type": type, "Cache-Control": "public, no-cache" },
  };
}

/** `app` is described as it is when the document is first asked for: with all its routes. */
export function docsRoutes(services: Services, app: AnyElysia, frame: PageFrame = {}) {
  const guideIndex = page(() => renderGuideIndex(frame));
  const hidden = { detail: { hide: true }, query: NO_PARAMETERS };
  const { limits } = services.config;
  const describe = once(async () => {
    const plugin = await describeRoutes(app);
    // The base URL is known when the listener has its port.
    return openApi31(plugin, {
      baseUrl: services.http.baseUrl(),
      limits,
      webhooks: NOTICE_WEBHOOKS,
    });
  });
  const referenceOf = async (): Promise<Reference> => ({
    document: (await describe()) as unknown as ReferenceDocument,
    frame,
    baseUrl: services.http.baseUrl(),
    limits,
  });
  const overview = page(async () => renderOverview(await referenceOf()));
  const errors = page(async () => renderErrors(await referenceOf()));
  const groups: ReadonlyMap<string, Served> = new Map(
    GROUP_NAMES.map((name) => [name, page(async () => renderGroup(name, await referenceOf()))]),
  );
  const tryPage = (name: GroupName, root: string) =>
    page(async () => renderTryPage(name, await referenceOf(), root), TRY_HEADERS);
  const firstTryPage = tryPage("agents", "..");
  const tryPages: ReadonlyMap<string, Served> = new Map(
    GROUP_NAMES.map((name) => [name, tryPage(name, "../..")]),
  );
  const document: Served = {
    read: once(async () => compressedContent(JSON.stringify(await describe()))),
    headers: {
      "Content-Type": "application/json",
      "Cache-Control": "public, no-cache",
      // Tools on other sites read it; there is nothing secret in it.
      "Access-Control-Allow-Origin": "*",
    },
  };
  // The path of an executable is nobody's business.
  const command = IS_COMPILED ? "feedgate" : typedCommand();
  const guides: ReadonlyMap<string, Served> = new Map(
    GUIDE_NAMES.map((name) => [
      name,
      page(() => renderGuide(name, { baseUrl: services.http.baseUrl(), command }, frame)),
    ]),
  );
  return new Elysia({ name: "docs" })
    .use(keyless())
    .get("/docs", ({ call }) => answer(call, overview), hidden)
    .get("/docs/errors", ({ call }) => answer(call, errors), hidden)
    .get("/docs/try", ({ call }) => answer(call, firstTryPage), hidden)
    .get(
      "/docs/try/:name",
      ({ call, params }) => answer(call, tryPages.get(params.name) ?? missing("page", tryPages)),
      hidden,
    )
    .get(
      "/docs/reference/:name",
      ({ call, params }) => answer(call, groups.get(params.name) ?? missing("page", groups)),
      hidden,
    )
    .get("/docs/json", ({ call }) => answer(call, document), hidden)
    .get("/openapi.json", ({ call }) => answer(call, document), hidden)
    .get("/docs/guides", ({ call }) => answer(call, guideIndex), hidden)
    .get(
      "/docs/guides/:name",
      ({ call, params }) => answer(call, guides.get(params.name) ?? missing("guide", guides)),
      hidden,
    )
    .get(
      "/docs/assets/:name",
      ({ call, params }) => answer(call, ASSETS.get(params.name) ?? missing("file", ASSETS)),
      hidden,
    );
}

/** @throws {Problem} 404 */
function missing(what: string, files: ReadonlyMap<string, Served>): never {
  throw new Problem("ROUTE_NOT_FOUND", {
    detail: `There is no such ${what}. Choose one of ${[...files.keys()].join(", ")}.`,
  });
}

async function answer({ request }: Call, { read, headers }: Served): Promise<Response> {
  return respond(answerShared(request, await read(), headers));
}

/** By an app of its own, which has the routes' schemas alone: the one that serves is only read. */
async function describeRoutes(app: AnyElysia): Promise<PluginDocument> {
  const describer = new Elysia().use(
    swagger({
      path: PLUGIN_PATH,
      specPath: `${PLUGIN_PATH}/json`,
      // The alias is mentioned once, in the description.
      exclude: [/^\/api\//],
      // A path with a dot, such as /.well-known, is no static file here.
      excludeStaticFile: false,
    }),
  );
  for (const { method, path, hooks } of app.routes) {
    if (hooks.detail?.hide === true) continue;
    const { body, params, query, response } = hooks;
    const { requestHeaders: headers, ...texts } = hooks.detail ?? {};
    // Of bodies the plugin would show a part: they pass through it as they are.
    const detail = { ...texts, requestBody: body, responses: response };
    describer.route(method, path, () => "", { detail, headers, params, query: withFilters(query) });
  }
  const response = await describer.handle(new Request(`http://localhost${PLUGIN_PATH}/json`));
  return JSON.parse(await response.text());
}

/** Whatever other parameters a query takes, as one that is an object: clients can be generated from that. */
function withFilters(query: TObject): TObject {
  if (typeof query.additionalProperties !== "object") return query;
  const { description = "", ...filter } = query.additionalProperties;
  const filters = Type.Unsafe({ type: "object", additionalProperties: filter, description });
  return Type.Object({ ...query.properties, filters: Type.Optional(filters) });
}

/** Made when it is first asked for; where that fails, when it is asked for again. */
function once<Result>(make: () => Promise<Result>): () => Promise<Result> {
  let made: Promise<Result> | undefined;
  return () => {
    made ??= make().catch((error) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}
