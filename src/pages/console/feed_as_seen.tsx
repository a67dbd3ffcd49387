/** @jsxImportSource preact */
/**
 * A feed as agents see it: its description, price, fields, and sample.
 *
 * @module
 */
import { type Column, dollars, Facts, type Figure, Table, Text } from "../layout/parts.tsx";
import { Json } from "../layout/table_and_json.tsx";

export interface ShownFeed {
  readonly name: string;
  readonly description?: string | null;
  readonly readme_md?: string | null;
  readonly category?: string | null;
  readonly endpoint_path: string | null;
  readonly feed_type: string | null;
  readonly update_frequency_text?: string | null;
  readonly price_type: string;
  readonly price_per_1k: Figure | null;
  readonly one_time_price_cents: Figure | null;
  readonly schema_definition?: unknown;
  readonly sample_response?: unknown;
}

export function FeedAsSeen({ feed }: { readonly feed: ShownFeed }) {
  const fields = fieldsOf(feed.schema_definition);
  return (
    <>
      <Facts
        of={{
          Name: <Text of={feed.name} />,
          Slug: feed.endpoint_path && <code>{feed.endpoint_path}</code>,
          Description: feed.description && <Text of={feed.description} />,
          Category: feed.category && <Text of={feed.category} />,
          Price: priceText(feed),
          Type: feed.feed_type ?? "not set",
          Updates: feed.update_frequency_text && <Text of={feed.update_frequency_text} />,
        }}
      />
      <h3>Fields</h3>
      <Table
        label="Fields"
        rows={fields}
        columns={[
          {
            head: "Field",
            cell: (row) => (
              <code>
                <Text of={row.name} />
              </code>
            ),
          },
          { head: "Type", cell: (row) => <Text of={row.type} /> },
          ...(fields.some((field) => field.description !== "") ? [FIELD_WORDS] : []),
        ]}
        empty="The feed has no schema, so agents learn its fields only when they read it."
      />
      <h3>Sample</h3>
      {feed.sample_response === null || feed.sample_response === undefined ? (
        <div class="empty">The feed has no sample. Agents must read the feed to see a row.</div>
      ) : (
        <Json
          json={JSON.stringify(feed.sample_response)}
          rest="Agents see all of it in the metadata."
        />
      )}
      {feed.readme_md && (
        <details>
          <summary>README as plain text</summary>
          <p class="words">
            <Text of={feed.readme_md} />
          </p>
        </details>
      )}
    </>
  );
}

const FIELD_WORDS: Column<FieldSeen> = {
  head: "Description",
  cell: (row) => <Text of={row.description} />,
};

/** In words, with the unit. */
export function priceText(
  feed: Pick<ShownFeed, "price_type" | "price_per_1k" | "one_time_price_cents">,
): string {
  switch (feed.price_type) {
    case "metered":
      return `${dollars(feed.price_per_1k ?? 0)} USD per 1,000 calls`;
    case "one_time":
      return `${(Number(feed.one_time_price_cents) / 100).toFixed(2)} USD once`;
    default:
      return "free";
  }
}

interface FieldSeen {
  readonly name: string;
  readonly type: string;
  readonly description: string;
}

/** The top-level properties of a schema. */
function fieldsOf(schema: unknown): readonly FieldSeen[] {
  const properties = member(schema, "properties");
  if (typeof properties !== "object" || properties === null) return [];
  return Object.entries(properties).map(([name, each]) => {
    // A schema may hold anything where no validator looks, and a number here is no primitive.
    const types = [member(each, "type")].flat().filter((type) => typeof type === "string");
    const description = member(each, "description");
    return {
      name,
      type: types.length > 0 ? types.join(" or ") : "any",
      description: typeof description === "string" ? description : "",
    };
  });
}

function member(of: unknown, name: string): unknown {
  return typeof of === "object" && of !== null
    ? Object.getOwnPropertyDescriptor(of, name)?.value
    : undefined;
}
