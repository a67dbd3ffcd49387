/** @jsxImportSource preact */
/**
 * The form of a listing, and the body that it sends to create and edit.
 *
 * @module
 */
import { parseBody } from "../../../api/input/parse_body.ts";
import { findUsable } from "../../../api/input/usable_feed.ts";
import { problemOfBody, saveTooLarge } from "../../../api/problems/feed_problems.ts";
import { Problem } from "../../../http/problem_details.ts";
import { assert } from "../../../lib/assert.ts";
import { excerpt } from "../../../lib/code_points.ts";
import type { FieldError } from "../../../lib/field_error.ts";
import { indentJson } from "../../../lib/indent_json.ts";
import { JsonSyntaxError, scanJson } from "../../../lib/json_text.ts";
import { JSON_DEPTH_MAX } from "../../../limits.ts";
import { usdOfCents, withoutGroups } from "../../../money/money.ts";
import { saveOwnFeed } from "../../../provider/save_own_feed.ts";
import { Message, plain, Text } from "../../layout/parts.tsx";
import { parseExact, typedNumber } from "../exact_values.ts";
import type { ShownFeed } from "../feed_as_seen.tsx";
import type { FormField } from "../form_field.ts";
import { marksIn } from "../marked_lines.tsx";
import type { Acted, Done, Form, Visit } from "../visit.ts";
import type { OwnFeed, OwnListing } from "./find_own.ts";

type JsonName = "schema_definition" | "sample_response";

/** Fields of the form that hold JSON. */
const EXACT: ReadonlySet<string> = new Set<JsonName>(["schema_definition", "sample_response"]);
const JSON_NAMES: Readonly<Record<JsonName, string>> = {
  schema_definition: "The schema",
  sample_response: "The sample",
};
/** For a feed whose type is not decided. Nothing is sent for it, so it stays so. */
const NO_TYPE = ["", "not set: the first push sets it"] as const;

/**
 * The fields of a listing, as a form sends them to create and edit. A text that was not touched is left out, so that it
 * stays as `feed` has it.
 *
 * @throws {Problem} if one is no JSON, or a price is none
 */
export function listingOf(form: Form, feed?: OwnFeed) {
  const json = (name: JsonName) => {
    if (form.given(name) === undefined) return null;
    requireJson(name, form.typed(name));
    return parseExact<unknown>(form.typed(name));
  };
  // What was emptied is cleared.
  const text = (name: TextName) => {
    const typed = form.typed(name);
    if (feed !== undefined && typed === asSent(name, feed[name] ?? "")) return undefined;
    if (typed.trim() === "") return null;
    return MANY_LINES.has(name) ? typed : typed.trim();
  };
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
    ...pricingOf(form),
    ...(minutes !== undefined && { sync_interval_mins: typedNumber(minutes) }),
    ...(version !== undefined && { schema_version: typedNumber(version) }),
    schema_locked: form.text("schema_locked") === "yes",
    schema_definition: json("schema_definition"),
    sample_response: json("sample_response"),
  };
}

/** @throws {Problem} that names the line of the mistake */
function requireJson(name: JsonName, text: string): void {
  try {
    scanJson(text, { spanDepth: 0, heightMax: JSON_DEPTH_MAX });
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    const { message, line } = error;
    throw new Problem("INVALID_PARAMETER", {
      detail: `${JSON_NAMES[name]} is not valid JSON: ${message}. Correct it and submit the form again.`,
      errors: [{ path: `/${name}`, message, line }],
    });
  }
}

/** The price that was chosen. An amount of another kind of price is left out. */
function pricingOf(form: Form) {
  const type = form.given("price_type");
  const per1k = type === "metered" ? form.given("price_per_1k") : undefined;
  const once = type === "one_time" ? form.given("one_time_price_usd") : undefined;
  return {
    price_type: type,
    ...(per1k !== undefined && { price_per_1k: typedNumber(per1k) }),
    ...(once !== undefined && { one_time_price_cents: centsOf(once) }),
  };
}

/** @throws {Problem} 400 */
function centsOf(typed: string) {
  const [, whole, fraction = ""] = /^(\d{1,9})(?:\.(\d{1,2}))?$/.exec(withoutGroups(typed)) ?? [];
  if (whole !== undefined) return typedNumber(whole + fraction.padEnd(2, "0"));
  throw new Problem("INVALID_PARAMETER", {
    detail: `The one-time price must be in USD with at most two decimal places, such as 5.00, got ${JSON.stringify(excerpt(typed))}.`,
  });
}

/** The same as the text of a body. JSON goes as it was typed, because objects lose the order of some keys. */
export function listingText(form: Form, feed?: OwnFeed): string {
  const members = Object.entries(listingOf(form, feed)).flatMap(([name, value]) => {
    if (value === undefined) return [];
    const typed = value !== null && EXACT.has(name) ? form.typed(name) : undefined;
    return [`${JSON.stringify(name)}:${typed ?? JSON.stringify(value)}`];
  });
  return `{${members.join(",")}}`;
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
    price_per_1k: typed.price_per_1k ?? null,
    one_time_price_cents: typed.one_time_price_cents ?? null,
  };
}

/** The fields of the form by their parts, with what the feed has now. */
export function listingFields(feed?: OwnListing) {
  const json = (text: string | null = null) => (text === null ? "" : indentJson(text));
  const parts = {
    listing: [
      { name: "name", label: "Name", value: feed?.name ?? "", isRequired: true },
      {
        name: "endpoint_path",
        label: "Slug",
        hint: "Lowercase letters, digits and hyphens. Agents use it to read the feed.",
        value: feed?.endpoint_path ?? "",
      },
      {
        name: "feed_type",
        label: "Type",
        choices: [...(feed?.feed_type === null ? [NO_TYPE] : []), ...TYPES],
        value: feed === undefined ? "collection" : (feed.feed_type ?? ""),
      },
      {
        name: "description",
        label: "Description",
        hint: "What the feed contains and what it is useful for. Agents search this text.",
        kind: "lines",
        value: feed?.description ?? "",
      },
    ],
    schema: [
      {
        name: "schema_definition",
        label: "Row schema (JSON Schema)",
        hint: "Agents see the fields before they pay. Add a description to each.",
        kind: "code",
        value: json(feed?.schemaText),
      },
      {
        name: "schema_locked",
        label: "Refuse pushes with rows that don't match the schema",
        kind: "check",
        value: feed?.schema_locked === true ? "yes" : "",
      },
    ],
    version: [
      {
        name: "schema_version",
        label: "Schema version",
        hint: "Increase it to confirm a breaking change.",
        kind: "decimal",
        value: feed === undefined ? "" : plain(feed.schema_version),
      },
    ],
    sample: [
      {
        name: "sample_response",
        label: "Sample row (JSON)",
        hint: "Anyone can see it, even if the feed is paid.",
        kind: "code",
        value: json(feed?.sampleText),
      },
    ],
    more: [
      { name: "category", label: "Category", value: feed?.category ?? "" },
      {
        name: "update_frequency_text",
        label: "Update frequency",
        hint: "In words, for example: every weekday at 18:00 UTC.",
        value: feed?.update_frequency_text ?? "",
      },
      {
        name: "sync_interval_mins",
        label: "Maximum minutes between pushes",
        hint: "Default: 60. A feed whose push is overdue is shown as late.",
        kind: "integer",
        value: String(feed?.sync_interval_mins ?? ""),
      },
      {
        name: "readme_md",
        label: "README (Markdown)",
        kind: "lines",
        value: feed?.readme_md ?? "",
      },
    ],
  } as const satisfies Readonly<Record<string, readonly FormField[]>>;
  return parts as Readonly<Record<keyof typeof parts, readonly FormField[]>>;
}

/** What a type is, in words. */
const TYPES = [
  ["collection", "collection: rows by id, replaced together or individually"],
  ["stream", "stream: events in time"],
  ["singleton", "singleton: one document"],
] as const;

/** Fields with the mistakes that are in what was typed into them. */
export function marked(
  fields: readonly FormField[],
  form: Form | undefined,
  errors: readonly FieldError[] | undefined,
): readonly FormField[] {
  if (form === undefined || errors === undefined) return fields;
  return fields.map((field) => {
    const marks =
      field.kind === "code" ? marksIn(form.typed(field.name), { field: field.name, errors }) : [];
    return marks.length === 0 ? field : { ...field, marks };
  });
}

interface PriceFieldsProps {
  readonly feed?: OwnFeed | undefined;
  /** What was typed into a form that was refused. */
  readonly form: Form | undefined;
}

/** What reading costs: a choice, with the amount beside it. */
export function PriceFields({ feed, form }: PriceFieldsProps) {
  const type = form?.given("price_type") ?? feed?.price_type ?? "free";
  const typed = (name: string, now: string) => (form === undefined ? now : form.typed(name));
  const per1k = feed?.price_type === "metered" ? plain(feed.price_per_1k ?? "") : "";
  const cents = feed?.price_type === "one_time" ? plain(feed.one_time_price_cents ?? "") : "";
  const once = cents === "" ? "" : usdOfCents(BigInt(cents));
  const radio = (value: string, text: string) => (
    <label class="check">
      <input type="radio" name="price_type" value={value} checked={value === type} />
      {text}
    </label>
  );
  const amount = (name: string, label: string, value: string) => (
    <input id={name} name={name} aria-label={label} inputMode="decimal" value={value} />
  );
  return (
    <fieldset class="prices">
      <legend>Price</legend>
      {radio("free", "Free")}
      <div>
        {radio("metered", "Per call:")}
        {amount("price_per_1k", "USD per 1,000 calls", typed("price_per_1k", per1k))}
        <span>USD per 1,000 calls</span>
      </div>
      <div>
        {radio("one_time", "One-time, then free to read:")}
        {amount("one_time_price_usd", "USD once", typed("one_time_price_usd", once))}
        <span>USD per account</span>
      </div>
      <p class="hint">
        1 USD is 1,000,000 credits, so 0.50 USD per 1,000 calls is 500 credits per call. The minimum
        one-time price is 1.00 USD.
      </p>
    </fieldset>
  );
}

/** Saves what was typed, and goes on to the feed, unless there is something to say about it. */
export async function saveListing(
  visit: Visit,
  form: Form,
  feed?: OwnFeed,
  done: Done = "edited",
): Promise<Acted> {
  const saved = await saveText(visit, listingText(form, feed), { feedId: feed?.id });
  assert(saved.kind === "saved", "only a dry run is judged");
  const { id, warnings }: Saved = JSON.parse(saved.text);
  if (warnings.length === 0) return { kind: "go", to: `feeds/${id}`, done };
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
            Go to the feed
          </a>
        </p>
      </>
    ),
  };
}
