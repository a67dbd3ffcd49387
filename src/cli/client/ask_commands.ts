/**
 * `access request`, `access mine`: an account asks to read a feed, and sees what became of it. Beyond 18.
 *
 * @module
 */
import type { AccessRequest } from "../../client/mod.ts";
import { ACCESS_TEXT_LENGTH_MAX, PAGE_LIMIT_MAX } from "../../limits.ts";
import { integer, text } from "../options.ts";
import { type Columns, fields, table } from "../output.ts";
import { clientCommand } from "./client_command.ts";

const accessRequest = clientCommand({
  words: "access request",
  argument: "FEED",
  about: "ask the provider of a feed to let the account read it",
  options: {
    message: text("what you want the data for; the provider reads it", {
      lengthMax: ACCESS_TEXT_LENGTH_MAX,
    }),
  },
  async run({ feedgate, argument: feed, values: { message }, signal }) {
    const asked = await feedgate.requestAccess(feed, { message, signal });
    return {
      json: JSON.stringify(asked),
      text: fields({
        feed: asked.endpoint_path ?? asked.feed_id,
        request: asked.request_id,
        asked: asked.asked_at,
        message: asked.message ?? undefined,
        status: asked.status,
      }),
    };
  },
});

const accessMine = clientCommand({
  words: "access mine",
  about: "list the account's requests to read feeds, newest first, and the providers' answers",
  options: {
    limit: integer("requests at most; default 20", { least: 1, most: PAGE_LIMIT_MAX }),
    after: text("go on behind this; a page that is not the last one names it", {
      placeholder: "CURSOR",
    }),
  },
  async run({ feedgate, values: { limit, after }, signal, again }) {
    const page = await feedgate.accessRequests({ limit, cursor: after, signal });
    return {
      json: JSON.stringify(page),
      text:
        page.requests.length === 0
          ? "the account has asked for no feed"
          : table(page.requests, COLUMNS),
      more:
        page.next_cursor === null
          ? undefined
          : `there are more: ${again({ after: page.next_cursor })} goes on`,
    };
  },
});

const COLUMNS: Columns<AccessRequest> = {
  // An id where there is no slug: either is what is typed next.
  FEED: { whole: ({ endpoint_path: slug, feed_id: id }) => slug ?? id },
  STATUS: { whole: ({ status }) => status },
  ASKED: ({ asked_at: at }) => at,
  ANSWERED: ({ answered_at: at }) => at,
  REASON: ({ reason }) => reason,
  MESSAGE: ({ message }) => message,
};

export const ACCESS_CLIENT_COMMANDS = [accessRequest, accessMine];
