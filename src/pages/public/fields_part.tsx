/** @jsxImportSource preact */
/**
 * The fields of a feed, as its schema describes them.
 *
 * @module
 */
import { type Column, counted, Table } from "../layout/parts.tsx";
import type { describeFields, FieldDetails } from "./field_details.ts";

export function FieldsPart({ fields, unnamedCount }: ReturnType<typeof describeFields>) {
  const hasDescriptions = fields.some(({ description }) => description !== "");
  const hasExamples = fields.some(({ example }) => example !== "");
  return (
    <section>
      <h2>Fields</h2>
      <Table
        label="Fields"
        rows={fields}
        columns={[
          NAME,
          TYPE,
          ...(hasDescriptions ? [DESCRIPTION] : []),
          ...(hasExamples ? [EXAMPLE] : []),
        ]}
        empty="The provider has added neither a schema nor a sample."
      />
      {unnamedCount > 0 && (
        <p class="soft small">{counted(unnamedCount, "more field")} not listed here.</p>
      )}
    </section>
  );
}

const NAME: Column<FieldDetails> = {
  head: "Field",
  kind: "slug",
  cell: ({ name, isRequired }) => (
    <>
      <code>{name}</code>
      {isRequired && <span class="soft small"> required</span>}
    </>
  ),
};

const TYPE: Column<FieldDetails> = {
  head: "Type",
  cell: ({ type, values, otherValues }) => (
    <>
      {type}
      {values.length > 0 && (
        <div class="soft small">
          {values.length === 1 && otherValues === 0 ? "always " : "one of "}
          {values.map((value, place) => (
            <>
              {place > 0 && ", "}
              <code>{value}</code>
            </>
          ))}
          {otherValues > 0 && ` and ${otherValues} more`}
        </div>
      )}
    </>
  ),
};

const DESCRIPTION: Column<FieldDetails> = {
  head: "Description",
  cell: ({ description }) => description,
};

const EXAMPLE: Column<FieldDetails> = {
  head: "Example",
  kind: "slug",
  cell: ({ example }) => example !== "" && <code>{example}</code>,
};
