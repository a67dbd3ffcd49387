/**
 * Discovery: the documents that crawlers and agents look for at well-known paths. They are public and generated. See
 * `src/spec/beyond.md`, section 9.
 *
 * @module
 */
import { Elysia } from "elysia";
import { anonymous } from "../../api/callers/without_key.ts";
import { NO_PARAMETERS } from "../../api/input/parameters.ts";
import type { Call } from "../../http/call.ts";
import { respond } from "../../http/respond.ts";
import { answerShared, compressedContent } from "../../http/shared_content.ts";
import type { Services } from "../../services.ts";
import { WHAT_IT_IS } from "../layout/page.tsx";
import { GUIDE_NAMES } from "./guide_texts.ts";

const CACHE_CONTROL = "public, max-age=60";
const LINKSET_TYPE = 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"';
export function discoveryRoutes(services: Services) {
  const { http } = services;
  const hidden = { detail: { hide: true }, query: NO_PARAMETERS };

  async function answer(call: Call, text: string, headers: Record<string, string>) {
    const all = { "Cache-Control": CACHE_CONTROL, ...headers };
    return respond(answerShared(call.request, await compressedContent(text), all));
  }

  return new Elysia({ name: "discovery" })
    .use(anonymous(services))
    .get(
      "/llms.txt",
      ({ call }) =>
        answer(call, llmsText(http.baseUrl(), services.payingWays), {
          "Content-Type": "text/plain; charset=utf-8",
        }),
      hidden,
    )
    .get(
      "/.well-known/api-catalog",
      ({ call }) =>
        answer(call, JSON.stringify(apiCatalog(http.baseUrl())), {
          "Content-Type": LINKSET_TYPE,
          Link: `<${http.baseUrl()}/.well-known/api-catalog>; rel="api-catalog"`,
        }),
      hidden,
    );
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

function llmsText(
  baseUrl: string,
  { takesCards, takesX402 }: { readonly takesCards: boolean; readonly takesX402: boolean },
): string {
  const guides = GUIDE_NAMES.map((name) => `- [${name}](${baseUrl}/docs/guides/${name})`);
  const byCard = `- Credits: \`POST ${baseUrl}/v1/topups\` with \`{"usd": N}\` returns a payment link for your user; over MCP, \`top_up\`\n`;
  const byX402 = `- Credits, without a user: \`POST ${baseUrl}/v1/topups\` with \`{"usd": N, "way": "x402"}\` accepts x402 version 2; without a key, it creates an account\n`;
  const topUp = `${takesCards ? byCard : ""}${takesX402 ? byX402 : ""}`;
  return `# Feedgate

> ${WHAT_IT_IS} Send a read key as \`x-api-key\`.

## Use it

- [MCP endpoint](${baseUrl}/mcp): tools to search, describe, buy, read and follow feeds
- [OpenAPI document](${baseUrl}/openapi.json): every route, with examples
- [Catalog](${baseUrl}/v1/catalog): the listed feeds; requires a key
- [Agent skills](${baseUrl}/.well-known/agent-skills/index.json): one for each listed feed
- All rows of a feed as one file, NDJSON or CSV: \`GET ${baseUrl}/v1/feed/{id}/export\`
- Import a file of up to 1 GB into your feed, with a write key: \`POST ${baseUrl}/v1/provider/feed/{feed_id}/import\`

- Access to a feed whose \`access\` is \`by_request\`: \`POST ${baseUrl}/v1/feed/{id}/access-requests\` with \`{"message": "…"}\`, once your user has agreed; over MCP, \`request_access\`

## Pay

- Reads of metered feeds are charged to the account's balance: \`GET ${baseUrl}/v1/account\`
- A feed with a one-time price is bought once from the balance: \`POST ${baseUrl}/v1/feed/{id}/purchase\` with \`{"max_credits": N}\`, where 10,000 credits are 1 cent; over MCP, \`buy_feed\`
${topUp}- Every 402 response contains \`price\` and \`balance\`; \`detail\` says what to do next

## Guides

${guides.join("\n")}
`;
}
