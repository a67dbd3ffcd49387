/** @jsxImportSource preact */
/**
 * The front page for people: what the gateway is, a search of its catalog, categories, and how to connect. See
 * `src/spec/beyond.md`, section 9.
 *
 * @module
 */
import { SITE_FEEDS_SHOWN } from "../../limits.ts";
import type { Row } from "../../postgres/client/database.ts";
import { assetUrl } from "../layout/assets.ts";
import { type PageFrame, PUBLIC_MENU, renderPage, WHAT_IT_IS } from "../layout/page.tsx";
import { digits } from "../layout/parts.tsx";
import { FeedList, type ListedFeed } from "./feed_list.tsx";
import type { Match } from "./matched_text.tsx";
import { McpAddresses, type McpAddressesProps } from "./mcp_addresses.tsx";

/** What is looked for. */
export interface Search {
  /** Words; "" for the whole catalog. */
  readonly q: string;
  /** "" for all. */
  readonly category: string;
  readonly offset: number;
}

export interface FrontPage extends McpAddressesProps {
  /** Whether everybody may join. */
  readonly canJoin: boolean;
  readonly frame: PageFrame;
  readonly search: Search;
  readonly feeds: readonly ListedFeed[];
  /** What the words were found in, by the feed's id. Undefined if there are no words. */
  readonly matches: ReadonlyMap<string, Match> | undefined;
  readonly total: number;
  readonly hasMore: boolean;
  readonly categories: readonly Row<"list_categories">[];
}

export function renderFrontPage(page: FrontPage): string {
  const { search, baseUrl, frame } = page;
  const isSearch = search.q !== "" || search.category !== "" || search.offset > 0;
  return renderPage({
    ...frame,
    title: isSearch ? searchTitle(search) : "Feedgate",
    description: WHAT_IT_IS,
    // Search engines list the feeds themselves, and not every search.
    ...(isSearch ? { isListed: false } : { canonical: `${baseUrl}/` }),
    root: ".",
    menu: PUBLIC_MENU,
    current: "",
    head: <script src={assetUrl(".", "search.js")} type="module" />,
    children: (
      <>
        {isSearch ? (
          <h1>{searchTitle(search)}</h1>
        ) : (
          <div class="hero">
            <h1>Data feeds for AI agents</h1>
            <p class="lead">
              Providers push JSON feeds; AI agents find them, read them and pay for what they read.
              One key works for every feed, over HTTP or MCP.
            </p>
          </div>
        )}
        <SearchForm {...search} />
        <div class="with-side front">
          <section id="found" aria-label="Feeds">
            {page.total > 0 && (
              <h2 class={isSearch ? "sr" : undefined}>{isSearch ? "Results" : "Newest feeds"}</h2>
            )}
            <Results {...page} />
          </section>
          <div class="front-side">
            <Categories {...page} />
            {!isSearch && <Connect {...page} />}
          </div>
        </div>
      </>
    ),
  });
}

function searchTitle({ q, category }: Search): string {
  if (q !== "") return category === "" ? `Feeds for “${q}”` : `“${q}” in ${category}`;
  return category === "" ? "All feeds" : `Feeds in ${category}`;
}

function SearchForm({ q, category }: Search) {
  return (
    <search>
      <form method="get" action="./" class="search">
        <label class="sr" for="q">
          Search the feeds
        </label>
        <input
          id="q"
          name="q"
          type="search"
          value={q}
          maxLength={200}
          autocomplete="off"
          placeholder="Search feeds: earthquakes, exchange rates, …"
        />
        {category !== "" && <input type="hidden" name="category" value={category} />}
        <button type="submit">Search</button>
      </form>
      <p class="sr" role="status" />
    </search>
  );
}

function Results({ search, feeds, matches, total, hasMore }: FrontPage) {
  if (feeds.length === 0) return <NoFeeds {...search} />;
  const first = search.offset + 1;
  const last = search.offset + feeds.length;
  return (
    <>
      <p class="soft small">
        {total > feeds.length && `${digits(first)} to ${digits(last)} of `}
        {digits(total)} {total === 1 ? "feed" : "feeds"}
        {search.q !== "" && ` for “${search.q}”`}
      </p>
      <FeedList feeds={feeds} {...(matches && { matches })} />
      <nav class="pager" aria-label="Pages of feeds">
        {search.offset > 0 && (
          <a
            class="button quiet"
            rel="prev"
            href={hrefOf({ ...search, offset: Math.max(0, search.offset - SITE_FEEDS_SHOWN) })}
          >
            Back
          </a>
        )}
        {hasMore && (
          <a class="button quiet" rel="next" href={hrefOf({ ...search, offset: last })}>
            More feeds
          </a>
        )}
      </nav>
    </>
  );
}

function NoFeeds({ q, category, offset }: Search) {
  if (q === "" && category === "" && offset === 0) {
    return (
      <div class="empty">
        <p>
          <strong>No feeds are listed yet.</strong>
        </p>
        <p>
          Providers <a href="./docs/guides/providers">publish a feed</a>; the operator{" "}
          <a href="./docs/guides/operators">lists it here</a>.
        </p>
      </div>
    );
  }
  return (
    <div class="empty">
      <p>
        <strong>No feeds found.</strong>
      </p>
      <p>
        Try fewer or different words, or browse <a href="./">all feeds</a>.
      </p>
    </div>
  );
}

function Categories({ categories, search }: FrontPage) {
  if (categories.length === 0) return null;
  return (
    <nav aria-label="Categories" class="side-list">
      <h2>Categories</h2>
      <ul>
        {search.category !== "" && (
          <li>
            <a href={hrefOf({ q: search.q, category: "", offset: 0 })}>All categories</a>
          </li>
        )}
        {categories.map(({ category, feeds }) => (
          <li>
            <a
              href={hrefOf({ q: "", category, offset: 0 })}
              aria-current={
                category.toLowerCase() === search.category.toLowerCase() ? "page" : undefined
              }
            >
              <span>{category}</span> <span class="count">{digits(feeds)}</span>
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function Connect({ baseUrl, canConnect, canJoin }: FrontPage) {
  return (
    <>
      <section class="side-list">
        <h2>Connect an agent</h2>
        <McpAddresses baseUrl={baseUrl} canConnect={canConnect} />
        <p>Over HTTP:</p>
        <pre tabIndex={0}>
          <code>{`curl -H "x-api-key: $FEEDGATE_READ_KEY" "${baseUrl}/v1/search?q=gold"`}</code>
        </pre>
        <p>
          <a href="./docs/guides/connect">How to connect Claude, ChatGPT and others</a>
        </p>
      </section>
      <section class="side-list">
        <h2>Get started</h2>
        <ul class="links">
          <li>
            {canJoin && (
              <>
                <a href="./console/sign-in">Get a key</a> with your email address, or{" "}
              </>
            )}
            <a href="./docs/guides/providers">{canJoin ? "publish" : "Publish"} a feed</a> and earn
            from its reads
          </li>
          <li>
            <a href="./docs/guides/operators">Run a gateway</a> of your own
          </li>
          <li>
            <a href="./docs">API reference</a> and <a href="./openapi.json">the OpenAPI document</a>
          </li>
          <li>
            <a href="./.well-known/agent-skills/index.json">Agent skills</a> and{" "}
            <a href="./llms.txt">llms.txt</a>
          </li>
        </ul>
      </section>
    </>
  );
}

/** The front page's address for a search. */
function hrefOf({ q, category, offset }: Search): string {
  const query = new URLSearchParams();
  if (q !== "") query.set("q", q);
  if (category !== "") query.set("category", category);
  if (offset > 0) query.set("offset", String(offset));
  const text = query.toString();
  return text === "" ? "./" : `./?${text}`;
}
