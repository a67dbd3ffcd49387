/**
 * Serves skills and the pages of their index. Each is rendered once per version of its content and cached, so that an
 * anonymous call costs one look-up and no rendering.
 *
 * A cache key includes the version, so cached content is never stale. Calls that arrive while a file is rendered wait
 * for it.
 *
 * @module
 */
import { LRUCache } from "lru-cache";
import { weakTag } from "../http/etag.ts";
import type { SharedContent } from "../http/shared_content.ts";
import { assert } from "../lib/assert.ts";
import { SKILL_BYTES_MAX } from "../limits.ts";
import type { Database } from "../postgres/client/database.ts";
import {
  GATEWAY_SKILL_DESCRIPTION,
  GATEWAY_SKILL_NAME,
  GATEWAY_SKILL_PATH,
  renderGatewaySkill,
} from "./gateway_skill.ts";
import { type ArchiveFormat, packSkill } from "./pack_skill.ts";
import { renderSkill, type Skill, type SkillContext } from "./render_skill.ts";

/** A file that is downloaded. */
interface SkillFile extends SharedContent {
  /** The skill's name. A page has none. */
  readonly name: string;
}

export type SkillFormat = "md" | ArchiveFormat;

/** The version of a feed's skill. */
interface SkillVersion {
  readonly feed_id: string;
  readonly definition_version: bigint | number;
  /** A feed's definition does not include its owner's name, which the skill also shows. */
  readonly account_name: string;
}

const INDEX_SCHEMA = "https://schemas.agentskills.io/discovery/0.2.0/schema.json";
/** Feeds rendered before other calls get a turn. */
const RENDERED_AT_ONCE = 10;
/** Size of a cached file in addition to its body and key. */
const FILE_OVERHEAD_BYTES = 512;
/** The share of the cache that one file may take. */
const FILE_SHARE_MAX = 1 / 8;

export class Skills {
  readonly #database: Database;
  readonly #context: () => SkillContext;
  readonly #files = new LRUCache<string, SkillFile, () => Promise<SkillFile | undefined>>({
    maxSize: SKILL_BYTES_MAX,
    maxEntrySize: SKILL_BYTES_MAX * FILE_SHARE_MAX,
    sizeCalculation: ({ body }, key) => FILE_OVERHEAD_BYTES + key.length + body.size,
    fetchMethod: (_key, _stale, { context: make }) => make(),
    ignoreFetchAbort: true,
  });

  constructor(database: Database, context: () => SkillContext) {
    this.#database = database;
    this.#context = context;
  }

  /** Undefined if the feed is no longer listed. */
  file(version: SkillVersion, format: SkillFormat): Promise<SkillFile | undefined> {
    return this.#once(`${format} ${keyOf(version)}`, async () => {
      const skill = await this.#render(version);
      if (skill === undefined) return undefined;
      const { name, markdown, schema, sample } = skill;
      // An archive's tag is computed from its content, because its bytes also contain the time.
      const content =
        format === "md" ? markdown : JSON.stringify([format, markdown, schema, sample]);
      const body = format === "md" ? markdown : await packSkill(skill, format);
      return { name, tag: weakTag(content), body: new Blob([body]) };
    });
  }

  /** The skill of the gateway itself. */
  async gatewayFile(): Promise<SkillFile> {
    const { baseUrl, limits, payingWays } = this.#context();
    const file = await this.#once(`gateway ${baseUrl}`, async () => {
      const markdown = renderGatewaySkill(baseUrl, limits, payingWays);
      return { name: GATEWAY_SKILL_NAME, tag: weakTag(markdown), body: new Blob([markdown]) };
    });
    assert(file !== undefined, "the gateway has a skill");
    return file;
  }

  /**
   * A page of the index, for the `versions` that `list_skill_versions` returns: Agent Skills discovery 0.2.0.
   * `isFirst`: the page begins with the skill of the gateway.
   */
  async page(versionsText: string, isFirst: boolean): Promise<SkillFile> {
    const page = await this.#once(`page ${isFirst} ${weakTag(versionsText)}`, async () => {
      const versions: readonly SkillVersion[] = JSON.parse(versionsText);
      const entries: string[] = isFirst ? [await this.#gatewayEntry()] : [];
      for (let start = 0; start < versions.length; start += RENDERED_AT_ONCE) {
        const some = versions.slice(start, start + RENDERED_AT_ONCE);
        const files = await Promise.all(some.map((version) => this.#entry(version)));
        entries.push(...(await Promise.all(files.flatMap((file) => file?.body.text() ?? []))));
      }
      const text = `{"$schema":"${INDEX_SCHEMA}","skills":[${entries.join(",")}]}`;
      return { name: "", tag: weakTag(text), body: new Blob([text]) };
    });
    assert(page !== undefined, "a page is there, however few skills are on it");
    return page;
  }

  async #gatewayEntry(): Promise<string> {
    const { body } = await this.gatewayFile();
    return entryText({
      name: GATEWAY_SKILL_NAME,
      description: GATEWAY_SKILL_DESCRIPTION,
      url: this.#context().baseUrl + GATEWAY_SKILL_PATH,
      markdown: await body.text(),
    });
  }

  /** A skill's entry in the index, with the digest of its SKILL.md. */
  #entry(version: SkillVersion): Promise<SkillFile | undefined> {
    return this.#once(`entry ${keyOf(version)}`, async () => {
      const skill = await this.#render(version);
      if (skill === undefined) return undefined;
      const { name, description, markdown } = skill;
      const url = `${this.#context().baseUrl}/public/feeds/${version.feed_id}/agent-skill`;
      return { name, tag: "", body: new Blob([entryText({ name, description, url, markdown })]) };
    });
  }

  async #render({ feed_id: feedId }: SkillVersion): Promise<Skill | undefined> {
    const feed = await this.#database.row("find_skill_feed", { feed_id: feedId });
    return feed && renderSkill(feed, this.#context());
  }

  #once(key: string, make: () => Promise<SkillFile | undefined>): Promise<SkillFile | undefined> {
    return this.#files.fetch(key, { context: make });
  }
}

/** An entry of the index. */
function entryText(skill: Pick<Skill, "name" | "description" | "markdown"> & { url: string }) {
  const { name, description, url, markdown } = skill;
  const digest = new Bun.CryptoHasher("sha256").update(markdown).digest("hex");
  return JSON.stringify({
    name,
    type: "skill-md",
    description,
    url,
    digest: `sha256:${digest}`,
  });
}

function keyOf({
  feed_id: feedId,
  definition_version: version,
  account_name: owner,
}: SkillVersion) {
  return `${feedId} ${version} ${owner}`;
}
