/**
 * `/docs`, the browsable page, and `/docs/json`, the OpenAPI document. Decisions 1.
 *
 * All of it is served from here; the compiled binary holds Swagger UI's files.
 *
 * @module
 */
import { swagger } from "@elysiajs/swagger";
import { type TObject, Type } from "@sinclair/typebox";
import { type AnyElysia, Elysia } from "elysia";
import favicon from "swagger-ui-dist/favicon-32x32.png" with { type: "file" };
import styles from "swagger-ui-dist/swagger-ui.css" with { type: "file" };
import script from "swagger-ui-dist/swagger-ui-bundle.js" with { type: "file" };
import { anonymous } from "../http/anonymous_limit.ts";
import type { Call } from "../http/call.ts";
import { Problem } from "../http/errors.ts";
import { NO_PARAMETERS } from "../http/parameters.ts";
import { respond } from "../http/respond.ts";
import { answerShared, compressedContent, type SharedContent } from "../http/shared_content.ts";
import type { Services } from "../services.ts";
import { GUIDE_NAMES } from "./guide_texts.ts";
import { type OpenApiDocument, openApi31, type PluginDocument } from "./openapi.ts";
import { PAGE_HEADERS, PAGE_SCRIPT, PAGE_STYLE, renderGuide, renderPage } from "./page.ts";

/** Where the plugin serves, on an app of its own that no client reaches; no route of ours. */
const PLUGIN_PATH = "/swagger";

interface Asset {
  readonly type: string;
  readonly read: () => Promise<SharedContent>;
}

function file(path: string, type: string): Asset {
  return { type, read: once(async () => compressedContent(await Bun.file(path).bytes())) };
}

function text(content: string, type: string): Asset {
  return { type, read: once(() => compressedContent(content)) };
}

const SCRIPT_TYPE = "text/javascript; charset=utf-8";
const STYLE_TYPE = "text/css; charset=utf-8";

const ASSETS: Readonly<Record<string, Asset>> = {
  "swagger-ui-bundle.js": file(script, SCRIPT_TYPE),
  "swagger-ui.css": file(styles, STYLE_TYPE),
  "favicon-32x32.png": file(favicon, "image/png"),
  "page.js": text(PAGE_SCRIPT, SCRIPT_TYPE),
  "page.css": text(PAGE_STYLE, STYLE_TYPE),
};

const renderedPage = once(() => compressedContent(renderPage()));
const guidePages = new Map<string, () => Promise<SharedContent>>(
  GUIDE_NAMES.map((name) => [name, once(() => compressedContent(renderGuide(name)))]),
);

/** `app` is described as it is when the document is first asked for: with all its routes. */
export function docsRoutes(services: Services, app: AnyElysia) {
  const { http } = services;
  const hidden = { detail: { hide: true }, query: NO_PARAMETERS };
  let described:
    | { readonly baseUrl: string; readonly content: () => Promise<SharedContent> }
    | undefined;
  /** Made once for each base URL, which is known only when the listener has its port. */
  function document(): Promise<SharedContent> {
    const baseUrl = http.baseUrl();
    if (described?.baseUrl !== baseUrl) {
      const make = async () => compressedContent(JSON.stringify(await documentOf(app, services)));
      described = { baseUrl, content: once(make) };
    }
    return described.content();
  }

  async function answerDocument(call: Call): Promise<Response> {
    const headers = {
      "Content-Type": "application/json",
      "Cache-Control": "public, no-cache",
      // Tools on other sites read it; there is nothing secret in it.
      "Access-Control-Allow-Origin": "*",
    };
    return respond(answerShared(call.request, await document(), headers));
  }

  return new Elysia({ name: "docs" })
    .use(anonymous(services.anonymousLimit))
    .get(
      "/docs",
      async ({ call }) => respond(answerShared(call.request, await renderedPage(), PAGE_HEADERS)),
      hidden,
    )
    .get("/docs/json", ({ call }) => answerDocument(call), hidden)
    .get("/openapi.json", ({ call }) => answerDocument(call), hidden)
    .get(
      "/docs/guides/:name",
      async ({ call, params: { name } }) => {
        const page = guidePages.get(name);
        if (page === undefined) {
          throw new Problem("ROUTE_NOT_FOUND", {
            detail: `There is no such guide. Choose one of ${GUIDE_NAMES.join(", ")}.`,
          });
        }
        return respond(answerShared(call.request, await page(), PAGE_HEADERS));
      },
      hidden,
    )
    .get(
      "/docs/assets/:name",
      async ({ call, params }) => {
        const found = Object.hasOwn(ASSETS, params.name) ? ASSETS[params.name] : undefined;
        if (found === undefined) {
          throw new Problem("ROUTE_NOT_FOUND", { detail: "There is no such file. See /docs." });
        }
        const headers = {
          "Content-Type": found.type,
          "Cache-Control": "public, no-cache",
        };
        return respond(answerShared(call.request, await found.read(), headers));
      },
      hidden,
    );
}

/** The document of an app, for tests and tools. */
export async function documentOf(app: AnyElysia, services: Services): Promise<OpenApiDocument> {
  return openApi31(await describeRoutes(app), {
    baseUrl: services.http.baseUrl(),
    limits: services.config.limits,
  });
}

/** By an app of its own, which has the routes' schemas alone: the one that serves is only read. */
async function describeRoutes(app: AnyElysia): Promise<PluginDocument> {
  const describer = new Elysia().use(
    swagger({
      path: PLUGIN_PATH,
      specPath: `${PLUGIN_PATH}/json`,
      // The alias is mentioned once, in the description. Decisions 1.
      exclude: [/^\/api\//],
      // A path with a dot, such as /.well-known, is no static file here.
      excludeStaticFile: false,
    }),
  );
  for (const { method, path, hooks } of app.routes) {
    const { body, params, query, response } = hooks;
    const { requestHeaders: headers, ...detail } = hooks.detail ?? {};
    const shown = { body, detail, headers, params, query: withFilters(query), response };
    describer.route(method, path, () => "", shown);
  }
  const response = await describer.handle(new Request(`http://localhost${PLUGIN_PATH}/json`));
  const document: PluginDocument = JSON.parse(await response.text());
  return document;
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
