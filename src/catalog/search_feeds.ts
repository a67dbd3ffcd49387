/**
 * Search over active public feeds; ranking is `sql/functions/search_matches.sql`'s. Interface 2.5, 4.2.
 *
 * @module
 */
import { Type } from "@sinclair/typebox";
import { loggedAnswer, type Shown } from "../admission/logged_answer.ts";
import type { Answer } from "../http/answer.ts";
import type { Call } from "../http/endpoint.ts";
import { Problem } from "../http/errors.ts";
import { weakTag } from "../http/etag.ts";
import { cappedLimit, hasMoreAfter, PAGE_PARAMETERS } from "../http/paging.ts";
import { invalidParameter, readParameters } from "../http/parameters.ts";
import { assert } from "../lib/assert.ts";
import { codePointsOf, hasAtMost } from "../lib/code_points.ts";
import { SEARCH_LENGTH_MAX } from "../limits.ts";
import type { Services } from "../services.ts";
import { searchHitText } from "./entries.ts";
import { OFFSET_MAX } from "./list_catalog.ts";

export const SEARCH_PARAMETERS = Type.Object({
  q: Type.String({
    minLength: 1,
    maxLength: SEARCH_LENGTH_MAX,
    description: 'What to look for, in plain words; "quoted words" stand together, -word excludes.',
  }),
  category: Type.Optional(
    Type.String({ description: "Only feeds of this category; case does not matter." }),
  ),
  ...PAGE_PARAMETERS.properties,
});

/** As they are read: a search without `q` is refused by a code of its own. */
const SENT_PARAMETERS = Type.Object({
  ...SEARCH_PARAMETERS.properties,
  q: Type.Optional(SEARCH_PARAMETERS.properties.q),
});

/** What is asked for, the limit capped. */
interface Search {
  readonly q: string;
  readonly category?: string;
  readonly limit: number;
  readonly offset: number;
}

export function createSearchFeeds(services: Services) {
  const { config, reader, keys } = services;

  async function readHits({ q, category, limit, offset }: Search): Promise<Shown> {
    const rows = await reader.rows("search_feeds", [
      // PostgreSQL takes no NUL, and no feed holds one.
      q.replaceAll("\0", " "),
      category?.replaceAll("\0", " ") ?? null,
      limit,
      Math.min(offset, OFFSET_MAX),
    ]);
    const total = Number(rows[0]?.total ?? 0n);
    const results = rows.filter((row) => row.feed_id !== null).map(searchHitText);
    const hasMore = hasMoreAfter({ offset, shown: results.length, total });
    const members = [
      `"query":${JSON.stringify(q)}`,
      `"total":${total}`,
      `"limit":${limit}`,
      `"offset":${offset}`,
      `"has_more":${hasMore}`,
      `"results":[${results.join(",")}]`,
    ].join(",");
    return { members, tag: weakTag(members) };
  }

  return async (call: Call): Promise<Answer | Problem> => {
    const principal = await keys.authenticate(call, "read");
    const search = await keys.provenOnRefusal(principal, () => readSearch(call.search));
    const answer = await loggedAnswer(services, {
      call,
      principal,
      operation: "search",
      limit: config.limits.discovery,
      read: () => readHits(search),
    });
    assert(answer !== undefined, "a call that names no feed is never stale");
    return answer;
  };
}

/** @throws {Problem} 400 `QUERY_REQUIRED` or `INVALID_PARAMETER` */
function readSearch(search: string): Search {
  const parameters = readParameters(SENT_PARAMETERS, search);
  const { q } = parameters;
  if (q === undefined || q.trim() === "") {
    throw new Problem("QUERY_REQUIRED", {
      detail: "Say what to look for in q, as in /v1/search?q=earthquakes.",
    });
  }
  if (!hasAtMost(q, SEARCH_LENGTH_MAX)) {
    throw invalidParameter(
      `q must have at most ${SEARCH_LENGTH_MAX} characters, got ${codePointsOf(q)}.`,
    );
  }
  return { ...parameters, q, limit: cappedLimit(parameters.limit) };
}
