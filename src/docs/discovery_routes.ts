/**
 * How the gateway is found: its front page for people and programs, and what crawlers and agents look for at
 * well-known paths. Public and generated. Beyond 9.
 *
 * @module
 */
import { Elysia } from "elysia";
import { pricingText } from "../accounts/money.ts";
import { anonymous } from "../api/anonymous_limit.ts";
import { NO_PARAMETERS } from "../api/parameters.ts";
import { consumerType } from "../feeds/feed_text.ts";
import type { Call } from "../http/call.ts";
import { respond } from "../http/respond.ts";
import { answerShared, compressedContent } from "../http/shared_content.ts";
import { listedPage } from "../lib/offset_page.ts";
import { GATEWAY, type Row } from "../postgres/client/query.ts";
import type { Services } from "../services.ts";
import { GUIDE_NAMES } from "./guide_texts.ts";
import { PAGE_HEADERS, renderFrame } from "./html_pages.ts";

/** Listed feeds on the front page. */
const PREVIEW_FEEDS = 12;
const CACHE_CONTROL = "public, max-age=60";
const LINKSET_TYPE = 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"';
const WHAT_IT_IS =
  "Feedgate is a gateway through which providers push JSON feeds, and AI agents find, read and pay for them.";

export function discoveryRoutes(services: Services) {
  const { http, reader } = services;
  const hidden = { detail: { hide: true }, query: NO_PARAMETERS };

  async function answer(call: Call, text: string, headers: Record<string, string>) {
    const all = { "Cache-Control": CACHE_CONTROL, ...headers };
    return respond(answerShared(call.request, await compressedContent(text), all));
  }

  return new Elysia({ name: "discovery" })
    .use(anonymous(services.anonymousLimit))
    .get(
      "/",
      async ({ call }) => {
        const vary = { Vary: "Accept" };
        if (wantsHtml(call.request.headers.get("accept"))) {
          const rows = await reader.rows(GATEWAY, "list_catalog", {
            limit: PREVIEW_FEEDS,
            offset: 0,
          });
          return answer(call, renderFrontPage(listedPage(rows, 0)), { ...PAGE_HEADERS, ...vary });
        }
        const baseUrl = http.baseUrl();
        const text = JSON.stringify({
          name: "Feedgate",
          description: WHAT_IT_IS,
          docs: `${baseUrl}/docs`,
          openapi: `${baseUrl}/openapi.json`,
          mcp: `${baseUrl}/mcp`,
          skills: `${baseUrl}/.well-known/agent-skills/index.json`,
          catalog: `${baseUrl}/v1/catalog`,
        });
        return answer(call, text, { "Content-Type": "application/json", ...vary });
      },
      hidden,
    )
    .get(
      "/llms.txt",
      ({ call }) =>
        answer(call, llmsText(http.baseUrl()), { "Content-Type": "text/plain; charset=utf-8" }),
      hidden,
    )
    .get(
      "/.well-known/api-catalog",
      ({ call }) =>
        answer(call, JSON.stringify(apiCatalog(http.baseUrl())), { "Content-Type": LINKSET_TYPE }),
      hidden,
    );
}

/** Whether HTML is named in `Accept`, and JSON is not named before it. */
function wantsHtml(accept: string | null): boolean {
  const types = (accept ?? "").split(",").map((type) => type.split(";")[0]?.trim());
  const html = types.indexOf("text/html");
  const json = types.indexOf("application/json");
  return html >= 0 && (json < 0 || html < json);
}

/** RFC 9727 and RFC 9264. */
function apiCatalog(baseUrl: string) {
  return {
    linkset: [
      {
        anchor: `${baseUrl}/`,
        "service-desc": [{ href: `${baseUrl}/openapi.json`, type: "application/json" }],
        "service-doc": [{ href: `${baseUrl}/docs`, type: "text/html" }],
        status: [{ href: `${baseUrl}/healthz`, type: "application/json" }],
      },
    ],
  };
}

function llmsText(baseUrl: string): string {
  const guides = GUIDE_NAMES.map((name) => `- [${name}](${baseUrl}/docs/guides/${name})`);
  return `# Feedgate

> ${WHAT_IT_IS} Send a read key as \`x-api-key\`.

## Use it

- [MCP endpoint](${baseUrl}/mcp): tools to search, describe, buy, read and follow feeds
- [OpenAPI document](${baseUrl}/openapi.json): every route, with examples
- [Catalog](${baseUrl}/v1/catalog): the listed feeds; needs a key
- [Agent skills](${baseUrl}/.well-known/agent-skills/index.json): one for each listed feed

## Pay

- Reads of metered feeds take their price from the account's balance: \`GET ${baseUrl}/v1/account\`
- A feed with a one-time price is bought once from the balance: \`POST ${baseUrl}/v1/feed/{id}/purchase\` with \`{"max_credits": N}\`, where 10,000 credits are a cent; over MCP, \`buy_feed\`
- Every 402 has \`price\`, \`balance\`, and in \`detail\` what to do next

## Guides

${guides.join("\n")}
`;
}

function renderFrontPage({
  feeds,
  total,
}: ReturnType<typeof listedPage<Row<"list_catalog">>>): string {
  const items = feeds.map(
    (feed) =>
      `<li><b>${Bun.escapeHTML(feed.name ?? "")}</b> <code>${Bun.escapeHTML(feed.endpoint_path ?? "")}</code> · ${consumerType(feed.feed_type)} · ${Bun.escapeHTML(pricingText(feed))}<br>${Bun.escapeHTML((feed.description ?? "").slice(0, 200).toWellFormed())}</li>`,
  );
  const listed =
    total === 0
      ? "<p>No feed is listed yet.</p>"
      : `<p>${total} ${total === 1 ? "feed is" : "feeds are"} listed. The newest:</p>\n<ul>\n${items.join("\n")}\n</ul>`;
  return renderFrame({
    title: "Feedgate",
    root: ".",
    main: `<main class="frame guide">
<h1>Feedgate</h1>
<p>${WHAT_IT_IS}</p>
<ul>
<li><a href="./docs">Reference of all routes</a>, and <a href="./openapi.json">its OpenAPI document</a></li>
<li>MCP address for agents: <code>/mcp</code> (<a href="./docs/guides/connect">how to connect</a>)</li>
<li><a href="./.well-known/agent-skills/index.json">Agent skills</a> and <a href="./llms.txt">llms.txt</a></li>
</ul>
<h2>Catalog</h2>
${listed}
</main>`,
  });
}
