/**
 * The index of all agent skills, by which an agent finds them: Agent Skills discovery 0.2.0, with a
 * SHA-256 of each SKILL.md as it is served.
 *
 * A digest costs the rendering of its skill, so each is kept for as long as the feed's definition and its
 * provider's name stay; whether a feed is listed is asked anew each time.
 *
 * @module
 */

import { createSharedFlights } from "../lib/shared_flights.ts";
import type { Database, Row } from "../postgres/client/query.ts";
import { renderSkill, type SkillContext } from "./render_skill.ts";

/** Skills in the index; the newest published feeds come first. */
const SKILLS_LISTED_MAX = 10_000;
/** Feeds read and rendered in one step. */
const CHUNK_FEEDS = 100;
const INDEX_SCHEMA = "https://schemas.agentskills.io/discovery/0.2.0/schema.json";

/** An item of `skills`. */
interface SkillEntry {
  readonly name: string;
  readonly type: "skill-md";
  readonly description: string;
  readonly url: string;
  readonly digest: string;
}

type ListedFeed = Row<"list_skill_feeds">;

export interface SkillIndexSource {
  readonly database: Database;
  readonly context: () => SkillContext;
}

/** Where a feed's skill is served. */
function skillUrl(feedId: string, { baseUrl }: SkillContext): string {
  return `${baseUrl}/public/feeds/${feedId}/agent-skill`;
}

/** Writes the index; calls that come while it is being written share the next. */
export function createSkillIndex(source: SkillIndexSource): () => Promise<string> {
  const { database } = source;
  /** Of those that are listed. */
  const known = new Map<string, { readonly mark: string; readonly entry: SkillEntry }>();

  async function write(): Promise<string> {
    const context = source.context();
    const listed = await database.rows("list_skill_feeds", [SKILLS_LISTED_MAX]);
    const listedIds = new Set(listed.map((feed) => feed.feed_id));
    for (const feedId of known.keys()) if (!listedIds.has(feedId)) known.delete(feedId);
    const changed = listed.filter(
      (feed) => known.get(feed.feed_id)?.mark !== markOf(feed, context),
    );
    for (let start = 0; start < changed.length; start += CHUNK_FEEDS) {
      await renderChunk(changed.slice(start, start + CHUNK_FEEDS), context);
    }
    const skills = listed.flatMap(({ feed_id: feedId }) => known.get(feedId)?.entry ?? []);
    return JSON.stringify({ $schema: INDEX_SCHEMA, skills });
  }

  async function renderChunk(feeds: readonly ListedFeed[], context: SkillContext): Promise<void> {
    const feedIds = feeds.map((feed) => feed.feed_id);
    // A feed that was unlisted in between is not found, and left out.
    for (const feedId of feedIds) known.delete(feedId);
    for (const row of await database.rows("find_skill_feeds", [feedIds])) {
      const { name, description, markdown } = renderSkill(row, context);
      const digest = new Bun.CryptoHasher("sha256").update(markdown).digest("hex");
      known.set(row.feed_id, {
        mark: markOf(row, context),
        entry: {
          name,
          type: "skill-md",
          description,
          url: skillUrl(row.feed_id, context),
          digest: `sha256:${digest}`,
        },
      });
    }
  }

  return createSharedFlights(write).ask;
}

/** Equal where the skill is. */
function markOf(feed: ListedFeed, { baseUrl }: SkillContext): string {
  return `${feed.definition_version} ${baseUrl} ${feed.account_name}`;
}
