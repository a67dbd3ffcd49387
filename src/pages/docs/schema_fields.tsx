/** @jsxImportSource preact */
/**
 * The fields of a body as a list: name, type, whether it is required, and its description. Nested fields are collapsed.
 *
 * @module
 */
import type { ReferenceDocument, Schema } from "./reference_document.ts";
import { resolved } from "./reference_document.ts";

/** Fields within fields within fields are in the OpenAPI document. */
const DEPTH_MAX = 3;

interface SchemaFieldsProps {
  readonly of: Schema;
  readonly document: ReferenceDocument;
  readonly depth?: number;
}

/** Nothing if the schema has no fields. */
export function SchemaFields({ of, document, depth = 0 }: SchemaFieldsProps) {
  const { properties = {}, required = [] } = objectIn(of, document);
  const fields = Object.entries(properties);
  if (fields.length === 0) return null;
  return (
    <dl class="fields">
      {fields.map(([name, schema]) => (
        <SchemaField
          name={name}
          schema={schema}
          isRequired={required.includes(name)}
          document={document}
          depth={depth}
        />
      ))}
    </dl>
  );
}

interface SchemaFieldProps {
  readonly name: string;
  readonly schema: Schema;
  readonly isRequired: boolean;
  readonly document: ReferenceDocument;
  readonly depth: number;
}

function SchemaField({ name, schema, isRequired, document, depth }: SchemaFieldProps) {
  const { schema: own } = resolved(schema, document);
  const hasFields =
    depth < DEPTH_MAX && Object.keys(objectIn(own, document).properties ?? {}).length > 0;
  return (
    <>
      <FieldName name={name} type={typeText(own, document)} isRequired={isRequired} />
      <dd>
        <Coded text={schema.description ?? own.description ?? ""} />
        <Choices of={own} />
        {hasFields && (
          <details>
            <summary>
              Fields of <code>{name}</code>
            </summary>
            <SchemaFields of={own} document={document} depth={depth + 1} />
          </details>
        )}
      </dd>
    </>
  );
}

interface FieldNameProps {
  readonly name: string;
  readonly type: string;
  readonly isRequired: boolean;
}

/** The head of a field, or of a parameter. */
export function FieldName({ name, type, isRequired }: FieldNameProps) {
  return (
    <dt>
      <code>{name}</code> <span class="type">{type}</span>
      {isRequired && <span class="required"> required</span>}
    </dt>
  );
}

/** The values that a field is limited to. */
export function Choices({ of }: { readonly of: Schema }) {
  const values = (of.enum ?? of.items?.enum ?? []).filter((value) => value !== null);
  if (values.length < 2 || values.length > 12) return null;
  return (
    <p class="choices">
      {values.map((value, place) => (
        <>
          {place > 0 && " · "}
          <code>{String(value)}</code>
        </>
      ))}
    </p>
  );
}

/** `string`, `integer or null`, `array of Feed`. */
export function typeText(schema: Schema, document: ReferenceDocument): string {
  const { name, schema: own } = resolved(schema, document);
  if (own.anyOf !== undefined) {
    return [...new Set(own.anyOf.map((each) => typeText(each, document)))].join(" or ");
  }
  const types = [own.type ?? "any"].flat();
  return types
    .map((type) => {
      if (type === "array" && own.items !== undefined) {
        return `array of ${typeText(own.items, document)}`;
      }
      if (type === "string" && own.format !== undefined) return own.format;
      return type === "object" && name !== undefined ? name : type;
    })
    .join(" or ");
}

/** The object in a schema: itself, an item of its array, or the first of its alternatives that has one. */
function objectIn(schema: Schema, document: ReferenceDocument): Schema {
  const { schema: own } = resolved(schema, document);
  if (own.properties !== undefined) return own;
  if (own.items !== undefined) return objectIn(own.items, document);
  for (const each of own.anyOf ?? []) {
    const found = objectIn(each, document);
    if (found.properties !== undefined) return found;
  }
  return own;
}

/** Our own text, with code in backticks. */
export function Coded({ text }: { readonly text: string }) {
  return (
    <>{text.split("`").map((part, index) => (index % 2 === 0 ? part : <code>{part}</code>))}</>
  );
}
