/** @jsxImportSource preact */
/**
 * The form of "Try it": the query, and the price of the read.
 *
 * @module
 */
import { isFilterable, parseFeedFields } from "../../../feeds/feed_fields.ts";
import type { FeedType } from "../../../feeds/find.ts";
import { PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX } from "../../../limits.ts";
import { creditsText } from "../../../money/money.ts";
import { Fields, Mistake, refusedInput } from "../act_form.tsx";
import { moneyWords } from "../amounts.ts";
import type { FormField } from "../form_field.ts";
import type { Form, Refused } from "../visit.ts";
import { FILTER_LINES, type FilterLine, filterField, filterValue } from "./asked_read.ts";

/** What the form needs to know of a feed. */
export interface TriedFeed {
  readonly consumer_type: FeedType;
  readonly schema_definition?: unknown;
  readonly sample_response?: unknown;
}

interface TryFormProps {
  readonly feed: TriedFeed;
  /** Of the read. */
  readonly priceNanos: bigint;
  /** What was typed; undefined if nothing was. */
  readonly form: Form | undefined;
  readonly refused?: Refused | undefined;
}

/** Where the page is after the form was sent. */
export const TRY_PLACE = "try";
const NAMES_ID = "feed-fields";

export function TryForm(props: TryFormProps) {
  const { feed, priceNanos, form } = props;
  const typed = (name: string) => form?.typed(name) ?? "";
  const place = { typed, mistakeOf: mistakesOf(props) };
  const hasRows = feed.consumer_type !== "singleton";
  const set = (fields: readonly FormField[]) =>
    fields.map((field) => ({ ...field, mistake: place.mistakeOf(field.name) }));
  return (
    <form class="stack wide try" method="post" action={`#${TRY_PLACE}`}>
      <input type="hidden" name="max_credits" value={creditsText(priceNanos)} autocomplete="off" />
      <input type="hidden" name="once" value={crypto.randomUUID()} autocomplete="off" />
      {hasRows && <Filters {...place} names={namesOf(feed)} />}
      {feed.consumer_type === "stream" && (
        <div class="line">
          <Fields fields={set(TIMES)} typed={typed} />
        </div>
      )}
      {hasRows && <Fields fields={set([IDS])} typed={typed} />}
      <div class="line">
        <Fields fields={set(hasRows ? [JSONPATH, LIMIT] : [JSONPATH_OF_ONE])} typed={typed} />
      </div>
      <div class="actions">
        <button type="submit" name="act" value="try">
          Read
        </button>
        <span>{priceSentence(priceNanos)}</span>
      </div>
    </form>
  );
}

/** Before anything is sent. */
function priceSentence(priceNanos: bigint): string {
  return priceNanos === 0n
    ? "This read is free."
    : `This read costs ${moneyWords(priceNanos)}, regardless of the number of rows. Refused reads are free.`;
}

const TIMES: readonly FormField[] = [
  { name: "start_time", label: "From (UTC)", kind: "time" },
  { name: "end_time", label: "To (UTC)", kind: "time" },
];
const IDS: FormField = {
  name: "ids",
  label: "IDs",
  kind: "lines",
  hint: "One per line. Reads only these rows; can't be combined with filters, times or a limit.",
};
const JSONPATH: FormField = {
  name: "jsonpath",
  label: "JSONPath",
  hint: "Selects parts of the rows, such as $[*].id",
};
const JSONPATH_OF_ONE: FormField = {
  ...JSONPATH,
  hint: "Selects parts of the document, such as $.name",
};
const LIMIT: FormField = {
  name: "limit",
  label: "Rows",
  kind: "integer",
  hint: `Default: ${PAGE_LIMIT_DEFAULT}. Maximum: ${PAGE_LIMIT_MAX}.`,
};

type MistakeOf = (name: string) => string | undefined;

function mistakesOf({ refused }: TryFormProps): MistakeOf {
  return (name) => refused?.errors?.find(({ path }) => path === `/${name}`)?.message;
}

/** Names to filter by: of the schema, or of the sample. */
function namesOf({
  consumer_type: type,
  schema_definition: schema,
  sample_response: sample,
}: TriedFeed): readonly string[] {
  const { fields } = parseFeedFields(textOf(schema), textOf(sample));
  const always = type === "stream" ? ["id", "event_timestamp"] : ["id"];
  return [...new Set([...always, ...fields.filter(isFilterable).map(({ name }) => name)])];
}

function textOf(value: unknown): string | null {
  return value === null || value === undefined ? null : JSON.stringify(value);
}

interface FiltersProps {
  readonly names: readonly string[];
  readonly typed: (name: string) => string;
  readonly mistakeOf: MistakeOf;
}

function Filters({ names, ...place }: FiltersProps) {
  return (
    <fieldset class="filter-lines">
      <legend>Filters</legend>
      <datalist id={NAMES_ID}>
        {names.map((name) => (
          <option value={name} />
        ))}
      </datalist>
      {FILTER_LINES.map((line) => (
        <OneFilter line={line} {...place} />
      ))}
      <p class="hint">Rows must match all filters. Only equality is supported.</p>
    </fieldset>
  );
}

function OneFilter({
  line,
  typed,
  mistakeOf,
}: Omit<FiltersProps, "names"> & { readonly line: FilterLine }) {
  const [field, value] = [filterField(line), filterValue(line)];
  const refused = { name: field, mistake: mistakeOf(field) };
  return (
    <div class="filter-line">
      <input
        id={field}
        name={field}
        list={NAMES_ID}
        aria-label={`Filter ${line}: field`}
        placeholder="field"
        autocomplete="off"
        spellcheck={false}
        value={typed(field)}
        {...refusedInput(refused)}
      />
      <span class="soft">equals</span>
      <input
        id={value}
        name={value}
        aria-label={`Filter ${line}: value`}
        placeholder="value"
        autocomplete="off"
        spellcheck={false}
        value={typed(value)}
      />
      <Mistake of={refused} />
    </div>
  );
}
