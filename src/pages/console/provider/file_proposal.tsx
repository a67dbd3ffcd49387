/** @jsxImportSource preact */
/**
 * The feed that is proposed for a file: its rows as they will be read, and a form with everything that can be changed.
 *
 * @module
 */
import { parseFeedFields } from "../../../feeds/feed_fields.ts";
import { indentJson } from "../../../lib/indent_json.ts";
import { SITE_ROWS_BYTES_MAX } from "../../../limits.ts";
import { type FeedProposal, proposeFeed } from "../../../push/rows/propose_feed.ts";
import {
  type FileReading,
  type FirstRows,
  lookAtFile,
  type RowFile,
  readFileRows,
  type UnreadableFile,
} from "../../../push/rows/read_file.ts";
import { counted, digits, Message, Table, Tabs } from "../../layout/parts.tsx";
import { RowTable } from "../../layout/row_table.tsx";
import { cellOf, cut, firstRowOf, oneLine, showRows } from "../../layout/shown_rows.ts";
import { Json } from "../../layout/table_and_json.tsx";
import { Fields } from "../act_form.tsx";
import type { FormField } from "../form_field.ts";
import { PlacedMistakes } from "../mistake_list.tsx";
import type { Form, Refused, Visit } from "../visit.ts";
import { listingFields, marked, PriceFields } from "./listing_form.tsx";
import { fieldsOfFile } from "./sent_file.ts";

/** What a file was proposed as. */
export interface Proposed {
  readonly file: RowFile;
  readonly looked: FirstRows;
  readonly proposal: FeedProposal;
}

/** Rows shown. */
const ROWS_SHOWN = 10;
/** Rows that are checked before a feed is published. Its import checks all of them. */
const ROWS_CHECKED = 1_000;
/** The choice of no field. */
const NONE = "none";
/** What the form asks about the file: the feed's type, and places in the lists of fields that are offered. */
const CHOICES = ["feed_type", "id_field", "time_field"] as const;
type Choice = (typeof CHOICES)[number];

/** What was chosen when schema and sample were proposed. */
function chosenBefore(choice: Choice): string {
  return `proposed_${choice}`;
}

/** Looks at a file, and proposes a feed for it by what was chosen. */
export async function proposeFor(
  { services }: Visit,
  file: RowFile,
  form: Form,
): Promise<Proposed | UnreadableFile> {
  const looked = await lookAtFile(file, { rowBytesMax: services.config.limits.rowBytes });
  if (looked.kind === "unreadable") return looked;
  const { rows, isDocument } = looked;
  const types = ["collection", "stream"] as const;
  const options = {
    fileName: file.name,
    isDocument,
    canRename: true,
    feedType: isDocument ? undefined : types.find((type) => type === form.text("feed_type")),
  };
  const first = proposeFeed(rows, options);
  if (CHOICES.every((choice) => form.text(choice) === "")) return { file, looked, proposal: first };
  const place = (choice: Choice) => Number(form.given(choice) ?? "0");
  const idField = first.idFields[place("id_field")];
  const isTimeless = form.text("time_field") === NONE;
  const timeField = isTimeless ? "" : first.timeFields[place("time_field")];
  return { file, looked, proposal: proposeFeed(rows, { ...options, idField, timeField }) };
}

/** How the file's rows become those of the feed, by what was typed. */
export function readingOf({ proposal }: Proposed, form: Form, visit: Visit): FileReading {
  const { feedType, renames } = proposal;
  const { rowBytes } = visit.services.config.limits;
  const schema = form.text("schema_definition");
  return { feedType, renames, rowBytesMax: rowBytes, schema: isJson(schema) ? schema : null };
}

/** The first rows as the feed would have them, with their mistakes. */
export function checkRows(proposed: Proposed, reading: FileReading) {
  return readFileRows(proposed.file, { ...reading, rowsMax: ROWS_CHECKED });
}

function isJson(text: string): boolean {
  try {
    return JSON.parse(text) !== undefined;
  } catch {
    return false;
  }
}

/**
 * The form with what the proposal says, where nothing was typed. Schema and sample are those of the proposal, too, if
 * another type or field was chosen since they were proposed.
 */
export function withProposal(form: Form, { proposal }: Proposed): Form {
  const { name, slug, feedType, schema, sample } = proposal;
  // What the form did not offer was not chosen.
  const isChanged = CHOICES.some(
    (choice) => form.text(choice) !== "" && form.text(choice) !== form.text(chosenBefore(choice)),
  );
  const proposed = new Map([
    ["name", name],
    ["endpoint_path", slug],
    ["price_type", "free"],
  ]);
  const isFirst = form.fields.every(([known]) => known !== "endpoint_path");
  const fields = new Map([...(isFirst ? proposed : []), ...form.fields]);
  if (isFirst || isChanged) {
    fields.set("schema_definition", indentJson(JSON.stringify(schema)));
    fields.set("sample_response", sample === null ? "" : indentJson(sample));
  }
  fields.set("feed_type", feedType);
  fields.set("id_field", String(Math.max(0, proposal.idFields.indexOf(proposal.idField ?? ""))));
  const timePlace = proposal.timeFields.indexOf(proposal.timeField ?? "");
  fields.set("time_field", timePlace < 0 ? NONE : String(timePlace));
  for (const choice of CHOICES) fields.set(chosenBefore(choice), fields.get(choice) ?? "");
  const typed = (known: string) => fields.get(known) ?? "";
  const text = (known: string) => typed(known).trim();
  return {
    fields: [...fields],
    file: form.file,
    typed,
    text,
    given: (known) => text(known) || undefined,
  };
}

interface ProposalProps {
  readonly proposed: Proposed;
  /** With the proposal. */
  readonly form: Form;
  readonly rows: Awaited<ReturnType<typeof checkRows>>;
  readonly errors: Refused["errors"];
}

export function ProposalForm({ proposed, form, rows, errors }: ProposalProps) {
  const { file, proposal } = proposed;
  const parts = listingFields();
  const typed = (name: string) => form.typed(name);
  const fields = (list: readonly FormField[]) => (
    <Fields fields={marked(list, form, errors)} typed={typed} />
  );
  const isRows = proposal.feedType !== "singleton";
  return (
    <form class="stack wide" method="post" encType="multipart/form-data">
      {[...fieldsOfFile(file), ...sentAlong(form)].map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      <h2>{isRows ? "Row preview" : "Document preview"}</h2>
      <RowsRead proposed={proposed} rows={rows} />
      {isRows && <RowChoices proposal={proposal} form={form} />}
      {!isRows && <input type="hidden" name="feed_type" value="singleton" />}
      <h2>Listing</h2>
      {fields(parts.listing.filter(({ name }) => name !== "feed_type"))}
      <h2>Fields</h2>
      <FieldsSeen proposed={proposed} schema={form.typed("schema_definition")} />
      {fields(parts.schema)}
      <details open={hasErrorIn("sample_response", errors)}>
        <summary>Sample</summary>
        {fields(parts.sample)}
      </details>
      <PriceFields form={form} />
      <details>
        <summary>Category, interval, README</summary>
        <div class="stack">{fields(parts.more)}</div>
      </details>
      <div class="actions">
        <button type="submit" name="act" value="publish">
          Publish
        </button>
        <button class="quiet" type="submit" name="act" value="draft">
          Save as draft
        </button>
      </div>
      <p class="hint">
        Publishing stores the rows, opens the feed to every read key at this price, and asks the
        operator to list it in the catalog. Only you can see a draft; it has no rows yet.
      </p>
    </form>
  );
}

/** Fields listed. A file may have thousands. */
const FIELDS_SHOWN = 30;

/** The fields of the schema, as long as it can be read. */
function FieldsSeen({ proposed, schema }: { proposed: Proposed; schema: string }) {
  if (!isJson(schema)) return null;
  const { fields, unnamedCount } = parseFeedFields(schema, null);
  const examples = firstRowOf(proposed.proposal.sample ?? "null");
  const rest = unnamedCount + Math.max(0, fields.length - FIELDS_SHOWN);
  return (
    <>
      <Table
        label="Fields"
        rows={fields.slice(0, FIELDS_SHOWN)}
        columns={[
          { head: "Field", kind: "slug", cell: ({ name }) => <code>{name}</code> },
          { head: "Type", cell: ({ type }) => type },
          {
            head: "Example",
            kind: "slug",
            cell: ({ name }) => {
              const { text, kind } = cellOf(examples.get(name));
              return kind === "absent" ? "" : <code>{cut(text, FIELD_CHARS_MAX)}</code>;
            },
          },
        ]}
        empty="The schema lists no fields, so agents learn them only when they read the feed. Fields are not listed if there are more than 500."
      />
      {rest > 0 && <p class="soft small">{counted(rest, "more field")} not listed here.</p>}
    </>
  );
}

/** What was chosen when schema and sample were proposed. */
function sentAlong(form: Form): Form["fields"] {
  return CHOICES.map((choice) => [chosenBefore(choice), form.typed(chosenBefore(choice))]);
}

function hasErrorIn(field: string, errors: Refused["errors"]): boolean {
  return errors?.some(({ path }) => path.startsWith(`/${field}`)) === true;
}

function RowChoices({ proposal, form }: { proposal: FeedProposal; form: Form }) {
  const { idFields, timeFields, feedType } = proposal;
  const places = (names: readonly string[]) =>
    names.map((name, place) => [String(place), shownField(name)] as const);
  const hasId = idFields.length > 0;
  return (
    <>
      <div class="line">
        <Fields
          fields={[
            {
              name: "feed_type",
              label: "Type",
              choices: [
                ["collection", "collection: rows by id"],
                ["stream", "stream: events in time"],
              ],
            },
            ...(hasId ? [{ name: "id_field", label: "Id", choices: places(idFields) }] : []),
            ...(feedType === "stream"
              ? [
                  {
                    name: "time_field",
                    label: "Event time",
                    choices: [...places(timeFields), [NONE, "time of receipt"] as const],
                  },
                ]
              : []),
          ]}
          typed={(name) => form.typed(name)}
        />
        <button class="quiet" type="submit" name="act" value="again">
          Update the preview
        </button>
      </div>
      <p class="hint">{hasId ? <RenameHint proposal={proposal} /> : <NoId />}</p>
    </>
  );
}

function NoId() {
  return (
    <>
      Each row needs an <code>id</code>, but no field in this file is unique. Add one to the file
      and select it again.
    </>
  );
}

function RenameHint({ proposal: { renames } }: { proposal: FeedProposal }) {
  if (renames.size === 0)
    return <>If you change the type, the proposed schema and sample change too.</>;
  return (
    <>
      {[...renames].map(([from, to], place) => (
        <>
          {place > 0 && " and "}
          <code>{shownField(from)}</code> becomes <code>{to}</code>
        </>
      ))}
      . Use the same names in files that you push later. If you change a choice, the proposed schema
      and sample change too.
    </>
  );
}

const FIELD_CHARS_MAX = 60;

function shownField(name: string): string {
  return cut(oneLine(name), FIELD_CHARS_MAX) || "(no name)";
}

function RowsRead({ proposed, rows }: Pick<ProposalProps, "proposed" | "rows">) {
  const { looked } = proposed;
  const { mistakes } = rows;
  return (
    <>
      {mistakes.length > 0 && (
        <Message tone="warn">
          <p>These rows can't be stored. Correct the file and select it again.</p>
          <PlacedMistakes of={mistakes} form={looked.form} />
        </Message>
      )}
      {rows.kind === "rows" && (
        <>
          <p class="soft small">{countWords(proposed, rows.rows.length)}</p>
          <RowsSeen texts={rows.rows.slice(0, ROWS_SHOWN).map(({ text }) => text)} />
        </>
      )}
    </>
  );
}

function countWords({ looked }: Proposed, read: number): string {
  if (looked.isDocument) return "";
  const shown = Math.min(read, ROWS_SHOWN);
  if (looked.isCut) {
    return `The first ${digits(shown)}. The proposal is based on the first ${counted(looked.rows.length, "row")}.`;
  }
  return shown === looked.rows.length
    ? `All ${counted(shown, "row")}.`
    : `The first ${digits(shown)} of ${counted(looked.rows.length, "row")}.`;
}

function RowsSeen({ texts }: { readonly texts: readonly string[] }) {
  const json = `[${texts.join(",")}]`;
  const asJson = <Json json={json} rest={null} />;
  if (json.length > SITE_ROWS_BYTES_MAX) return asJson;
  return (
    <Tabs
      label="View"
      name="rows_view"
      tabs={[
        { head: "Table", body: <RowTable id="rows" {...showRows(json, ROWS_SHOWN)} /> },
        { head: "JSON", body: asJson },
      ]}
    />
  );
}
