/**
 * Public pages: `/`, `/feeds/{slug}`, and the files for search engines. They set no cookies and need no key. See
 * `src/spec/beyond.md`, section 9.
 *
 * @module
 */
import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { Peer } from "../../api/callers/operators_listener.ts";
import { keyless } from "../../api/callers/without_key.ts";
import { NO_PARAMETERS, parameters, queryInteger } from "../../api/input/parameters.ts";
import { canJoin } from "../../config.ts";
import { SLUG } from "../../feeds/feed_shapes.ts";
import type { Answer } from "../../http/answer.ts";
import type { Call } from "../../http/call.ts";
import { respond } from "../../http/respond.ts";
import { answerShared, compressedContent, type SharedContent } from "../../http/shared_content.ts";
import { wantsHtml } from "../../http/wants_html.ts";
import { withoutInvisible } from "../../lib/invisible_text.ts";
import { listedPage } from "../../lib/offset_page.ts";
import { networksOf } from "../../lib/public_address.ts";
import { text } from "../../lib/typebox.ts";
import {
  SEARCH_LENGTH_MAX,
  SITE_CATEGORIES_SHOWN,
  SITE_DAYS_SHOWN,
  SITE_FEEDS_SHOWN,
  SITE_OFFSET_MAX,
  SITE_PUSHES_A_DAY_MAX,
  SITE_ROWS_BYTES_MAX,
  SITE_ROWS_SHOWN,
  SITEMAP_FEEDS_MAX,
} from "../../limits.ts";
import type { Services } from "../../services.ts";
import { type LiveServer, liveEvents, versionSeen } from "../layout/live_events.ts";
import { type PageFrame, WHAT_IT_IS } from "../layout/page.tsx";
import { PUBLIC_PAGE_HEADERS } from "../layout/page_headers.ts";
import type { ListedFeed } from "./feed_list.tsx";
import { renderFeedPage } from "./feed_page.tsx";
import { renderFrontPage, type Search } from "./front_page.tsx";
import type { Match } from "./matched_text.tsx";
import { renderNotFound } from "./not_found_page.tsx";
import { createPublicPages } from "./public_pages.ts";

const SEARCH = parameters({
  q: Type.Optional(text({ maxLength: SEARCH_LENGTH_MAX })),
  category: Type.Optional(text({ maxLength: SEARCH_LENGTH_MAX })),
  offset: Type.Optional(queryInteger({ minimum: 0 })),
});
const LIVE = parameters({ version: Type.Optional(Type.String()) });
/** Visitors' queries are one account's to the database, so that they take nobody else's turn. */
const VISITORS = "visitors";

export function siteRoutes(services: Services, frame: PageFrame = {}) {
  const { http, reader, config } = services;
  const hidden = { detail: { hide: true } };
  const pages = createPublicPages();

  const addressOf = ({ request }: Call, server: Peer | null) =>
    services.operatorsListener.addressOf(request, server);

  /** From memory if it is there. One that has to be made counts for its visitor. @throws {Problem} 429 */
  function find(
    address: string,
    { key, make }: { readonly key: string; readonly make: () => Promise<string | undefined> },
  ): Promise<SharedContent | undefined> {
    if (!pages.has(key)) services.pageLimit(address);
    return pages.find(key, make);
  }

  /** The same of a feed's page, which is kept until the feed changes. @throws {Problem} 429 */
  function findFeedPage(address: string, slug: string): Promise<SharedContent | undefined> {
    const key = `/feeds/${slug}`;
    if (!pages.has(key)) services.pageLimit(address);
    return renewFeedPage(slug);
  }

  function renewFeedPage(slug: string, isMoved = false): Promise<SharedContent | undefined> {
    let dataVersion = 0n;
    const page = {
      async findVersion() {
        const [found] = await reader.rows(VISITORS, "find_page_version", { endpoint_path: slug });
        if (found === undefined) return undefined;
        dataVersion = found.data_version;
        return [dataVersion, found.definition_version, found.push_count].join(" ");
      },
      make: () => feedPage(slug, dataVersion),
    };
    return pages.findVersioned(`/feeds/${slug}`, page, { isMoved });
  }

  /** The events of a feed's page. Undefined if no listed feed has the slug. @throws {Problem} 429 */
  async function feedEvents(
    { request }: Call,
    slug: string,
    server: (Peer & LiveServer) | null,
  ): Promise<Answer | undefined> {
    const address = services.operatorsListener.addressOf(request, server);
    services.pageLimit(address);
    const [found] = await reader.rows(VISITORS, "find_page_version", { endpoint_path: slug });
    if (found === undefined) return undefined;
    const [network = "this machine"] = networksOf(address);
    return liveEvents(
      services,
      {
        topic: found.feed_id,
        version: versionSeen(request) ?? found.data_version,
        // So the page is made once, before all viewers ask for it.
        isAllowed: async (isMoved) => (await renewFeedPage(slug, isMoved)) !== undefined,
      },
      { who: network, request, server },
    );
  }

  async function frontPage(search: Search): Promise<string> {
    const [rows, categories] = await Promise.all([
      listFeeds(search),
      reader.rows(VISITORS, "list_categories", { limit: SITE_CATEGORIES_SHOWN }),
    ]);
    const baseUrl = http.baseUrl();
    const page = listedPage(rows, search.offset);
    const matches = search.q === "" ? undefined : await explainMatches(search.q, page.feeds);
    return renderFrontPage({
      baseUrl,
      canConnect: config.hasConsole,
      canJoin: canJoin(config),
      frame,
      search,
      ...page,
      matches,
      categories,
    });
  }

  function listFeeds({ q, category, offset }: Search) {
    const page = { limit: SITE_FEEDS_SHOWN, offset };
    if (q !== "") {
      return reader.rows(VISITORS, "search_feeds", { q, category: category || null, ...page });
    }
    return category === ""
      ? reader.rows(VISITORS, "list_catalog", page)
      : reader.rows(VISITORS, "list_category", { category, ...page });
  }

  /** What the words of a search were found in, for each feed of its page. */
  async function explainMatches(
    q: string,
    feeds: readonly ListedFeed[],
  ): Promise<ReadonlyMap<string, Match>> {
    const feedIds = feeds.map((feed) => feed.feed_id);
    if (feedIds.length === 0) return new Map();
    const rows = await reader.rows(VISITORS, "explain_matches", { q, feed_ids: feedIds });
    return new Map(rows.map((row) => [row.feed_id, row]));
  }

  /** At a data version or a later one. Undefined if no listed feed has the slug. */
  async function feedPage(slug: string, dataVersion: bigint): Promise<string | undefined> {
    const visitors = services.database.onBehalfOf(VISITORS);
    const feed = await visitors.row("find_feed_row", {
      feed_id: null,
      endpoint_path: slug,
      active_only: true,
      reader_id: null,
    });
    if (feed?.is_public !== true || feed.endpoint_path !== slug) return undefined;
    const isFree = feed.price_type === "free";
    // Rows that not everybody may read are not shown, whatever they cost.
    const areRowsShown = isFree && feed.access === "open";
    const [days, [rows]] = await Promise.all([
      visitors.rows("list_push_days", {
        feed_id: feed.feed_id,
        days: SITE_DAYS_SHOWN,
        counted_max: SITE_PUSHES_A_DAY_MAX,
      }),
      reader.rows(VISITORS, "read_shown_rows", {
        feed_id: feed.feed_id,
        rows_max: areRowsShown ? SITE_ROWS_SHOWN : 0,
        bytes_max: SITE_ROWS_BYTES_MAX,
      }),
    ]);
    const { readsFree, readsPaid } = config.limits;
    return renderFeedPage({
      ...{ frame, feed, days, dataVersion },
      rowTexts: rows?.data ?? null,
      newestEvent: rows?.newest_event ?? null,
      readsMax: isFree ? readsFree : readsPaid,
      nowMs: Date.now(),
      baseUrl: http.baseUrl(),
      canConnect: config.hasConsole,
    });
  }

  async function sitemap(): Promise<string> {
    const feeds = await reader.rows(VISITORS, "list_feed_pages", { limit: SITEMAP_FEEDS_MAX });
    const baseUrl = Bun.escapeHTML(http.baseUrl());
    const addresses = feeds.map(({ endpoint_path: slug, last_sync_at: at }) => {
      const changed = at === null ? "" : `<lastmod>${at}</lastmod>`;
      return `<url><loc>${baseUrl}/feeds/${slug}</loc>${changed}</url>`;
    });
    return `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
<url><loc>${baseUrl}/</loc></url>
${["docs", "docs/guides"].map((path) => `<url><loc>${baseUrl}/${path}</loc></url>`).join("\n")}
${addresses.join("\n")}
</urlset>
`;
  }

  /** Links for programs, in place of the front page. */
  function links(): string {
    const baseUrl = http.baseUrl();
    return JSON.stringify({
      name: "Feedgate",
      description: WHAT_IT_IS,
      docs: `${baseUrl}/docs`,
      openapi: `${baseUrl}/openapi.json`,
      mcp: `${baseUrl}/mcp`,
      skills: `${baseUrl}/.well-known/agent-skills/index.json`,
      catalog: `${baseUrl}/v1/catalog`,
    });
  }

  return new Elysia({ name: "site" })
    .use(keyless())
    .get(
      "/",
      async ({ call, query, server }) => {
        if (!wantsHtml(call.request.headers.get("accept"))) {
          return answer(call, await compressedContent(links()), {
            ...VARIES,
            "Content-Type": "application/json",
            "Cache-Control": PUBLIC_PAGE_HEADERS["Cache-Control"],
          });
        }
        const search = {
          q: plain(query.q),
          category: plain(query.category),
          offset: Math.min(query.offset ?? 0, SITE_OFFSET_MAX),
        };
        const key = `/ ${JSON.stringify(search)}`;
        const page = await find(addressOf(call, server), { key, make: () => frontPage(search) });
        return answer(call, page, { ...PUBLIC_PAGE_HEADERS, ...VARIES });
      },
      { ...hidden, query: SEARCH },
    )
    .get(
      "/feeds/:slug",
      async ({ call, params: { slug }, server }) => {
        const page = SLUG.test(slug)
          ? await findFeedPage(addressOf(call, server), slug)
          : undefined;
        return answer(call, page, PUBLIC_PAGE_HEADERS);
      },
      { ...hidden, query: NO_PARAMETERS },
    )
    .get(
      "/feeds/:slug/live",
      async ({ call, params: { slug }, server }) => {
        const events = SLUG.test(slug) ? await feedEvents(call, slug, server) : undefined;
        return events === undefined
          ? answer(call, undefined, PUBLIC_PAGE_HEADERS)
          : respond(events);
      },
      { ...hidden, query: LIVE },
    )
    .get(
      "/sitemap.xml",
      async ({ call, server }) =>
        answer(call, await find(addressOf(call, server), { key: "/sitemap.xml", make: sitemap }), {
          "Content-Type": "application/xml",
          "Cache-Control": "public, max-age=600",
        }),
      { ...hidden, query: NO_PARAMETERS },
    )
    .get(
      "/robots.txt",
      async ({ call }) =>
        answer(call, await compressedContent(robots(http.baseUrl())), {
          "Content-Type": "text/plain; charset=utf-8",
          "Cache-Control": "public, max-age=600",
        }),
      { ...hidden, query: NO_PARAMETERS },
    );

  async function answer(
    { request }: Call,
    page: SharedContent | undefined,
    headers: Readonly<Record<string, string>> & { readonly "Cache-Control": string },
  ): Promise<Response> {
    if (page !== undefined) return respond(answerShared(request, page, headers));
    const missing = await compressedContent(renderNotFound(frame));
    const { body, headers: all } = answerShared(request, missing, {
      ...headers,
      "Cache-Control": "no-cache",
    });
    return respond({ status: 404, body, headers: all });
  }
}

const VARIES = { Vary: "Accept" };

/** A visitor's words without what PostgreSQL does not take and nobody sees. */
function plain(words = ""): string {
  return withoutInvisible(words.toWellFormed()).trim();
}

/** Pages of the console and of one account are nobody's to list. */
function robots(baseUrl: string): string {
  return `User-agent: *
Disallow: /v1/
Disallow: /api/
Disallow: /console
Disallow: /billing
Disallow: /oauth/

Sitemap: ${baseUrl}/sitemap.xml
`;
}
