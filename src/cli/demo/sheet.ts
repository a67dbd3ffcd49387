/**
 * What the demo prints once it is ready: addresses, keys, feeds, and commands to paste into a shell.
 *
 * @module
 */
import type { Config } from "../../config.ts";
import { howToStop } from "../hints.ts";
import { fields, table } from "../output.ts";
import type { DemoAccounts } from "./demo_accounts.ts";
import type { FilledFeed } from "./fill.ts";

export interface Sheet {
  readonly baseUrl: string;
  /** Where the demo's data is stored. */
  readonly place: Pick<Config, "databaseUrl" | "dataDir">;
  readonly accounts: DemoAccounts;
  /** Undefined if the console is disabled. */
  readonly console: ConsoleLinks | undefined;
  /** Where new users sign up. Undefined if the console is disabled. */
  readonly joinUrl: string | undefined;
  readonly feeds: readonly FilledFeed[];
  /** `next_cursor` of a page of two airports. Undefined if they can't be read. */
  readonly cursor: string | undefined;
}

/** Single-use sign-in links to the console, one per role. */
export interface ConsoleLinks {
  readonly operator: string;
  readonly provider: string;
  readonly consumer: string;
}

/** A shell command, and what it demonstrates. */
interface Line {
  readonly about: string;
  readonly curl: string;
}

/** The newest event, so that it comes first in the next read of the stream. */
const EVENT = '{"payload":{"id":"my-first-event","mag":1.2,"place":"My desk"}}';

export function sheetText(sheet: Sheet): string {
  const { baseUrl, accounts, feeds } = sheet;
  const indented = (text: string) => text.replace(/^/gm, "  ");
  return [
    "Feedgate is running with demo feeds.",
    "",
    indented(
      fields({
        Address: baseUrl,
        Docs: `${baseUrl}/docs`,
        "Read key": accounts.readKey,
        "Write key": accounts.writeKey,
        Consumer: `account ${accounts.consumerId}`,
        Provider: `account ${accounts.providerId}`,
      }),
    ),
    "",
    indented(
      table(feeds, {
        FEED: ({ definition }) => definition.endpoint_path,
        TYPE: ({ definition }) => definition.feed_type,
        PRICE: ({ definition }) => priceOf(definition),
        NAME: ({ definition }) => definition.name,
      })(),
    ),
    "",
    ...(sheet.console === undefined
      ? []
      : [
          "  Console sign-in links (each works once, for 15 minutes):",
          ...Object.entries(sheet.console).map(([role, url]) => `  ${role.padEnd(9)} ${url}`),
          "",
          `  Or sign up: ${sheet.joinUrl} (the code appears here)`,
          "",
        ]),
    ...linesOf(sheet).flatMap(({ about, curl }) => [`  # ${about}`, `  ${curl}`, ""]),
    `The keys are stored in ${accounts.keysPath}. The next start uses the same keys and data.`,
    `Stop the demo ${howToStop(sheet.place)}`,
  ].join("\n");
}

export function sheetJson(sheet: Sheet): string {
  const { baseUrl, accounts, feeds } = sheet;
  return JSON.stringify({
    base_url: baseUrl,
    docs_url: `${baseUrl}/docs`,
    read_key: accounts.readKey,
    write_key: accounts.writeKey,
    consumer_account_id: accounts.consumerId,
    provider_account_id: accounts.providerId,
    feeds: feeds.map(({ id, definition }) => ({
      id,
      endpoint_path: definition.endpoint_path,
      feed_type: definition.feed_type,
      name: definition.name,
    })),
    ...(sheet.console !== undefined && { console: sheet.console, join_url: sheet.joinUrl }),
    curl: linesOf(sheet).map((line) => line.curl),
  });
}

/** Commands for the feeds that exist. */
function linesOf({ baseUrl, accounts, feeds, cursor }: Sheet): readonly Line[] {
  const find = (slug: string) => feeds.find((each) => each.definition.endpoint_path === slug);
  const earthquakes = find("earthquakes");
  const read = (path: string) => `curl -sS -H 'x-api-key: ${accounts.readKey}' '${baseUrl}${path}'`;
  const lines: Line[] = [{ about: "Search the feeds", curl: read("/v1/search?q=gold") }];
  if (find("gold-prices") !== undefined) {
    lines.push({
      about: "Show a feed's schema, sample and price",
      curl: read("/v1/feed/gold-prices/metadata"),
    });
  }
  if (cursor !== undefined) {
    lines.push({
      about: "Continue from a cursor: the second page of two airports",
      curl: read(`/v1/feed/airports?limit=2&cursor=${cursor}`),
    });
  }
  if (earthquakes !== undefined) {
    lines.push(
      {
        about: "Follow earthquakes in a second shell: each push appears at once, until Ctrl-C",
        curl: read("/v1/feed/earthquakes/stream?offset=now&live=sse").replace("curl", "curl -N"),
      },
      {
        about: "Push an event; it becomes the first in /v1/feed/earthquakes",
        curl: `curl -sS -X POST -H 'Authorization: Bearer ${accounts.writeKey}' -H 'Content-Type: application/json' -d '${EVENT}' '${baseUrl}/v1/provider/feed/${earthquakes.id}/push'`,
      },
    );
  }
  return lines;
}

function priceOf(definition: FilledFeed["definition"]): string {
  if (definition.price_type === "metered") return `$${definition.price_per_1k} per 1,000 calls`;
  if (definition.price_type === "one_time") {
    return `$${(Number(definition.one_time_price_cents) / 100).toFixed(2)} one-time`;
  }
  return "free";
}
