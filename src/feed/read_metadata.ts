/**
 * A feed's metadata: all about it and none of its rows. Interface 2.1 and 4.3.
 *
 * @module
 */
import { loggedAnswer } from "../admission/logged_answer.ts";
import { feedNotFound } from "../admission/refusal.ts";
import { metadataMembers } from "../feed_row/feed_row.ts";
import { referenceParameters } from "../feed_row/feeds.ts";
import type { Call } from "../http/endpoint.ts";
import { Problem } from "../http/errors.ts";
import { NO_PARAMETERS, readParameters } from "../http/parameters.ts";
import type { Services } from "../services.ts";

/** How often the answer is made anew because the feed changed under it. */
const ATTEMPTS_MAX = 5;

export function createReadMetadata(services: Services) {
  const { config, database, keys } = services;

  /** @throws {Problem} 404, then 400: both true of the database's own state. */
  async function describe(call: Call, reference: string) {
    const row = await database.row("find_feed_row", referenceParameters(reference));
    if (row === undefined || row.status !== "active") throw feedNotFound();
    readParameters(NO_PARAMETERS, call.search);
    return row;
  }

  return async (call: Call, reference: string): Promise<Response> => {
    const principal = await keys.authenticate(call, "read");
    for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
      const row = await keys.provenOnRefusal(principal, () => describe(call, reference));
      call.subject.feedId = row.feed_id;
      const response = await loggedAnswer(services, {
        call,
        principal,
        operation: "metadata",
        limit: config.limits.discovery,
        members: metadataMembers(row, config.limits),
        feed: { feedId: row.feed_id, definitionVersion: row.definition_version },
      });
      if (response !== undefined) return response;
    }
    throw new Problem("UNAVAILABLE", {
      detail: "The feed is being changed again and again; try again in a second.",
      headers: { "Retry-After": "1" },
    });
  };
}
