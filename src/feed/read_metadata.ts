/**
 * A feed's metadata: all about it and none of its rows. Interface 2.1 and 4.3.
 *
 * Metadata that was read once is remembered with the version of the feed's row, and shown again only
 * where admission, which looks at the row anyway, tells the same version.
 *
 * @module
 */
import { loggedAnswer, type Shown } from "../admission/logged_answer.ts";
import { feedKeepsChanging, feedNotFound } from "../admission/refusal.ts";
import { metadataMembers } from "../feeds/feed_text.ts";
import { referenceParameters } from "../feeds/find.ts";
import type { Answer } from "../http/answer.ts";
import { Problem } from "../http/errors.ts";
import { weakTag } from "../http/etag.ts";
import { BoundedMap } from "../lib/bounded_map.ts";
import { KNOWN_METADATA_LENGTH_MAX, KNOWN_METADATA_MAX, PLANS_MAX } from "../limits.ts";
import type { Services } from "../services.ts";
import type { Reading } from "./read_feed.ts";

/** Metadata as it was read, and the version of the feed's row that it shows. */
interface Metadata extends Shown {
  readonly feedId: string;
  readonly definitionVersion: bigint;
  readonly rowVersion: bigint;
}

export class MetadataReads {
  readonly #services: Services;
  readonly #known = new BoundedMap<string, Metadata>(KNOWN_METADATA_MAX);

  constructor(services: Services) {
    this.#services = services;
  }

  /** @throws {Problem} every refusal */
  async read(reading: Reading): Promise<Answer | Problem> {
    const { keys } = this.#services;
    const { call, reference, principal } = reading;
    // What is answered without a body shows no version that admission could confirm.
    const isPlain = !call.isHead && !call.request.headers.has("if-none-match");
    const remembered = isPlain ? this.#known.get(reference) : undefined;
    const early = remembered && (await this.#answerKnown(reading, remembered));
    if (early !== undefined) return early;
    for (let attempt = 1; attempt <= PLANS_MAX; attempt++) {
      const metadata = await keys.provenOnRefusal(principal, () =>
        this.#describe(reading, reference),
      );
      const outcome = await this.#answer(reading, metadata);
      if (outcome !== undefined) return outcome;
    }
    throw feedKeepsChanging();
  }

  /** From memory: admission says whether it is still so. Undefined: ask the database. */
  async #answerKnown(reading: Reading, metadata: Metadata): Promise<Answer | Problem | undefined> {
    const outcome = await this.#answer(reading, metadata).catch((error) => {
      if (error instanceof Problem) return error;
      throw error;
    });
    // The feed has closed, but the reference may be another feed's by now.
    const isClosed = outcome instanceof Problem && outcome.code === "FEED_NOT_FOUND";
    return isClosed ? undefined : outcome;
  }

  /** Undefined where the feed has changed since the metadata was read. */
  #answer(reading: Reading, metadata: Metadata): Promise<Answer | Problem | undefined> {
    const { call, principal } = reading;
    const { feedId, definitionVersion, rowVersion } = metadata;
    call.subject.feedId = feedId;
    return loggedAnswer(this.#services, {
      call,
      principal,
      operation: "metadata",
      limit: this.#services.config.limits.discovery,
      read: () => metadata,
      feed: { feedId, definitionVersion },
      renewed: async (version) =>
        // By the id that was admitted: the reference may be another feed's by now.
        version === rowVersion ? metadata : await this.#describe(reading, feedId),
    });
  }

  /** @throws {Problem} 404, true of the database's own state. */
  async #describe({ principal }: Reading, reference: string): Promise<Metadata> {
    const { config, database } = this.#services;
    const row = await database
      .onBehalfOf(principal.accountId)
      .row("find_feed_row", [...referenceParameters(reference), true]);
    if (row === undefined) {
      this.#known.delete(reference);
      throw feedNotFound();
    }
    const members = metadataMembers(row, config.limits);
    const metadata: Metadata = {
      feedId: row.feed_id,
      definitionVersion: row.definition_version,
      rowVersion: row.row_version,
      members,
      tag: weakTag(members),
    };
    if (members.length <= KNOWN_METADATA_LENGTH_MAX) this.#known.set(reference, metadata);
    else this.#known.delete(reference);
    return metadata;
  }
}
