/**
 * `access request` and `access mine`: requests access to a feed, and lists the account's requests.
 *
 * @module
 */
import type { AccessRequest } from "../../client/mod.ts";
import { ACCESS_TEXT_LENGTH_MAX, PAGE_LIMIT_MAX } from "../../limits.ts";
import { typed } from "../hints.ts";
import { integer, text } from "../options.ts";
import { type Columns, fields, table } from "../output.ts";
import { clientCommand } from "./client_command.ts";

const accessRequest = clientCommand({
  words: "access request",
  argument: "FEED",
  about: "ask the provider of a feed for access on behalf of the account",
  options: {
    message: text("what you want the data for, shown to the provider", {
      lengthMax: ACCESS_TEXT_LENGTH_MAX,
    }),
  },
  ifLost: () => `the request may have been received, which ${typed("access mine")} shows`,
  async run({ feedgate, argument: feed, values: { message }, signal }) {
    const asked = await feedgate.requestAccess(feed, { message, signal });
    return {
      json: JSON.stringify(asked),
      text: fields({
        feed: asked.endpoint_path ?? asked.feed_id,
        request: asked.request_id,
        requested: asked.asked_at,
        message: asked.message ?? undefined,
        status: asked.status,
      }),
    };
  },
});

const accessMine = clientCommand({
  words: "access mine",
  about: "list the account's access requests, newest first, and the providers' decisions",
  options: {
    limit: integer("maximum number of requests; default 20", { least: 1, most: PAGE_LIMIT_MAX }),
    after: text("start after this cursor; the previous page prints it", {
      placeholder: "CURSOR",
    }),
  },
  async run({ feedgate, values: { limit, after }, signal, again }) {
    const page = await feedgate.accessRequests({ limit, cursor: after, signal });
    return {
      json: JSON.stringify(page),
      text:
        page.requests.length === 0
          ? "the account has not requested access to any feed"
          : table(page.requests, COLUMNS),
      more:
        page.next_cursor === null
          ? undefined
          : `for more, run: ${again({ after: page.next_cursor })}`,
    };
  },
});

const COLUMNS: Columns<AccessRequest> = {
  // The id if the feed has no slug: commands accept either.
  FEED: { whole: ({ endpoint_path: slug, feed_id: id }) => slug ?? id },
  STATUS: { whole: ({ status }) => status },
  REQUESTED: ({ asked_at: at }) => at,
  ANSWERED: ({ answered_at: at }) => at,
  REASON: ({ reason }) => reason,
  MESSAGE: ({ message }) => message,
};

export const ACCESS_CLIENT_COMMANDS = [accessRequest, accessMine];
