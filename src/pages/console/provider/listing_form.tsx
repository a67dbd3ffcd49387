/** @jsxImportSource preact */
/**
 * The form of a listing, and what it sends to create and edit.
 *
 * @module
 */
import { findUsable } from "../../../api/input/usable_feed.ts";
import { problemOfBody, problemOfSave, saveTooLarge } from "../../../api/problems/feed_problems.ts";
import { parseBody, readChanges } from "../../../feeds/feed_body.ts";
import { Problem } from "../../../http/problem_details.ts";
import { assert } from "../../../lib/assert.ts";
import { indentJson } from "../../../lib/indent_json.ts";
import { saveOwnFeed } from "../../../provider/save_own_feed.ts";
import { Message, plain, Text } from "../../layout/parts.tsx";
import { parseExact, typedNumber } from "../exact_values.ts";
import type { ShownFeed } from "../feed_as_seen.tsx";
import type { FormField } from "../form_field.ts";
import type { Acted, Form, Visit } from "../visit.ts";
import type { OwnFeed, OwnListing } from "./find_own.ts";

/** Fields of the form that hold JSON. */
const EXACT: ReadonlySet<string> = new Set(["schema_definition", "sample_response"]);
/** For a feed whose type is not decided. Nothing is sent for it, so it stays so. */
const NO_TYPE = ["", "not set: the first push decides"] as const;

/**
 * The fields of a listing, as a form sends them to create and edit. A text that was not touched is left out, so that it
 * stays as `feed` has it.
 *
 * @throws {Problem} 400 if one is no JSON
 */
export function listingOf(form: Form, feed?: OwnFeed) {
  const json = (name: string) => {
    const text = form.given(name);
    if (text === undefined) return null;
    try {
      return parseExact<unknown>(text);
    } catch {
      throw new Problem("INVALID_PARAMETER", {
        detail: `${name} is no JSON. Correct it and save again.`,
      });
    }
  };
  // What was emptied is cleared.
  const text = (name: TextName) => {
    const typed = form.typed(name);
    if (feed !== undefined && typed === asSent(name, feed[name] ?? "")) return undefined;
    if (typed.trim() === "") return null;
    return MANY_LINES.has(name) ? typed : typed.trim();
  };
  const price = form.given("price_per_1k");
  const cents = form.given("one_time_price_cents");
  const minutes = form.given("sync_interval_mins");
  const version = form.given("schema_version");
  return {
    name: text("name") ?? undefined,
    endpoint_path: form.given("endpoint_path"),
    feed_type: form.given("feed_type"),
    description: text("description"),
    category: text("category"),
    update_frequency_text: text("update_frequency_text"),
    readme_md: text("readme_md"),
    status: form.given("status"),
    price_type: form.given("price_type"),
    ...(price !== undefined && { price_per_1k: typedNumber(price) }),
    ...(cents !== undefined && { one_time_price_cents: typedNumber(cents) }),
    ...(minutes !== undefined && { sync_interval_mins: typedNumber(minutes) }),
    ...(version !== undefined && { schema_version: typedNumber(version) }),
    schema_locked: form.text("schema_locked") === "yes",
    schema_definition: json("schema_definition"),
    sample_response: json("sample_response"),
  };
}

/** The same as the text of a body. JSON goes as it was typed, because objects lose the order of some keys. */
export function listingText(form: Form, feed?: OwnFeed): string {
  const members = Object.entries(listingOf(form, feed)).flatMap(([name, value]) => {
    if (value === undefined) return [];
    const typed = EXACT.has(name) ? form.given(name) : undefined;
    return [`${JSON.stringify(name)}:${typed ?? JSON.stringify(value)}`];
  });
  return `{${members.join(",")}}`;
}

/** Refuses what a create would refuse for its body alone, so that nobody confirms it. @throws {Problem} 422 */
export function requireListing(form: Form): void {
  const read = parseBody(listingText(form));
  if (read.kind !== "body") throw problemOfBody(read);
  const changes = readChanges(read.body, "create");
  if (changes.kind !== "changes") throw problemOfSave(changes);
}

type TextName = "name" | "description" | "category" | "update_frequency_text" | "readme_md";

const MANY_LINES: ReadonlySet<TextName> = new Set(["description", "readme_md"]);

/** A text as a form sends it that nobody has touched: an input of one line drops line ends. */
function asSent(name: TextName, text: string): string {
  return text.replace(/\r\n?|\n/g, MANY_LINES.has(name) ? "\n" : "");
}

/** The listing as agents would see it. What was left blank and can't be cleared stays as `feed` has it. */
export function listingAsTyped(form: Form, feed?: OwnFeed): ShownFeed {
  const typed = listingOf(form, feed);
  // Null is cleared; undefined is as it was.
  const text = (name: Exclude<TextName, "name">) =>
    typed[name] === undefined ? (feed?.[name] ?? null) : typed[name];
  return {
    ...typed,
    name: typed.name ?? feed?.name ?? "",
    description: text("description"),
    category: text("category"),
    update_frequency_text: text("update_frequency_text"),
    readme_md: text("readme_md"),
    endpoint_path: typed.endpoint_path ?? feed?.endpoint_path ?? null,
    feed_type: typed.feed_type ?? feed?.feed_type ?? null,
    price_type: typed.price_type ?? feed?.price_type ?? "free",
    price_per_1k: form.given("price_per_1k") ?? null,
    one_time_price_cents: form.given("one_time_price_cents") ?? null,
  };
}

/** The fields of the form, with what the feed has now. */
export function listingFields(feed?: OwnListing): readonly FormField[] {
  const json = (text: string | null = null) => (text === null ? "" : indentJson(text));
  return [
    { name: "name", label: "Name", value: feed?.name ?? "", isRequired: true },
    {
      name: "endpoint_path",
      label: "Slug",
      hint: "Lower-case letters, digits and hyphens. Agents read the feed by it.",
      value: feed?.endpoint_path ?? "",
    },
    {
      name: "feed_type",
      label: "Type",
      choices: [
        ...(feed?.feed_type === null ? [NO_TYPE] : []),
        ["collection", "collection: rows by id, replaced as a whole or one by one"],
        ["stream", "stream: events in time"],
        ["singleton", "singleton: one document"],
      ],
      value: feed === undefined ? "collection" : (feed.feed_type ?? ""),
    },
    {
      name: "description",
      label: "Description",
      hint: "Agents search by it.",
      kind: "lines",
      value: feed?.description ?? "",
    },
    { name: "category", label: "Category", value: feed?.category ?? "" },
    {
      name: "update_frequency_text",
      label: "How often there is new data",
      value: feed?.update_frequency_text ?? "",
    },
    {
      name: "sync_interval_mins",
      label: "Minutes between two pushes, at most",
      hint: "Empty: 60. A feed whose push is overdue is shown as late.",
      kind: "integer",
      value: String(feed?.sync_interval_mins ?? ""),
    },
    {
      name: "price_type",
      label: "Price",
      choices: [
        ["free", "free"],
        ["metered", "metered: a price for each call"],
        ["one_time", "one-time: bought once, then free to read"],
      ],
      value: feed?.price_type ?? "free",
    },
    {
      name: "price_per_1k",
      label: "USD per 1,000 calls, if metered",
      kind: "decimal",
      value: feed?.price_type === "metered" ? plain(feed.price_per_1k ?? "") : "",
    },
    {
      name: "one_time_price_cents",
      label: "US cents, if one-time",
      kind: "integer",
      value: feed?.price_type === "one_time" ? plain(feed.one_time_price_cents ?? "") : "",
    },
    {
      name: "schema_definition",
      label: "Schema of a row, JSON Schema",
      kind: "code",
      value: json(feed?.schemaText),
    },
    {
      name: "schema_version",
      label: "Version of the schema",
      hint: "A higher one says that a change which may surprise agents is meant.",
      kind: "decimal",
      value: feed === undefined ? "" : plain(feed.schema_version),
    },
    {
      name: "schema_locked",
      label: "Refuse pushes with rows that the schema does not allow",
      kind: "check",
      value: feed?.schema_locked === true ? "yes" : "",
    },
    {
      name: "sample_response",
      label: "Sample row, JSON",
      kind: "code",
      value: json(feed?.sampleText),
    },
    { name: "readme_md", label: "Read-me, Markdown", kind: "lines", value: feed?.readme_md ?? "" },
  ];
}

/** Saves what was typed, and goes on to the feed, unless there is something to say about it. */
export async function saveListing(visit: Visit, form: Form, feed?: OwnFeed): Promise<Acted> {
  const saved = await saveText(visit, listingText(form, feed), { feedId: feed?.id });
  assert(saved.kind === "saved", "only a dry run is judged");
  const { id, warnings }: Saved = JSON.parse(saved.text);
  if (warnings.length === 0) return { kind: "go", to: `feeds/${id}`, done: "edited" };
  return { kind: "show", view: savedView(visit, id, warnings) };
}

interface Saved {
  readonly id: string;
  readonly warnings: readonly string[];
}

interface Saving {
  /** Undefined: a new feed is made. */
  readonly feedId: string | undefined;
  /** @default false */
  readonly isDryRun?: boolean;
}

/** Creates or edits a feed by the text of a body. @throws {Problem} every refusal */
export async function saveText(
  { services, admit, actor, call }: Visit,
  text: string,
  { feedId, isDryRun = false }: Saving,
) {
  const { accountId } = await admit("save");
  if (feedId !== undefined) await findUsable(services.storedFeeds, accountId, feedId);
  const bytesMax = services.config.limits.requestBodyBytes;
  if (Buffer.byteLength(text) > bytesMax) throw saveTooLarge(bytesMax);
  const read = parseBody(text);
  if (read.kind !== "body") throw problemOfBody(read);
  const mode = feedId === undefined ? ("create" as const) : ("edit" as const);
  const saver = { accountId, actor, signal: call.request.signal };
  return saveOwnFeed(services, saver, { feedId, mode, body: read.body, isDryRun });
}

function savedView(visit: Visit, id: string, warnings: readonly string[]) {
  return {
    title: "Saved",
    content: (
      <>
        <h1>Saved</h1>
        <Message tone="warn">
          {warnings.map((warning) => (
            <p>
              <Text of={warning} />
            </p>
          ))}
        </Message>
        <p>
          <a class="button" href={`${visit.root}/console/feeds/${id}`}>
            To the feed
          </a>
        </p>
      </>
    ),
  };
}
