/** @jsxImportSource preact */
/**
 * Forms of the console, built from lists of their fields. A refused form keeps its input.
 *
 * @module
 */
import type { ComponentChildren } from "preact";
import { withoutInvisible } from "../../lib/invisible_text.ts";
import { Field, Text } from "../layout/parts.tsx";
import type { FormField } from "./form_field.ts";
import { type Mark, MarkedLines } from "./marked_lines.tsx";
import type { Form } from "./visit.ts";

/** A button, by the name of what it does. */
interface ActButton {
  readonly act: string;
  readonly text: string;
  readonly tone?: "quiet" | "danger";
}

interface ActFormProps {
  /** What was typed into a form of the page, if that was refused. A form shows it only if it has its button. */
  readonly form?: Form | undefined;
  readonly fields?: readonly FormField[];
  /** Sent along, and not shown. */
  readonly hidden?: Readonly<Record<string, string>>;
  readonly buttons: readonly ActButton[];
  /** Whether each field has a line of its own. @default false */
  readonly isTall?: boolean;
  /** Whether its buttons act at once. Sent twice, the form acts once. @default false */
  readonly isDirect?: boolean;
  /** What its buttons will do. */
  readonly effect?: ComponentChildren;
}

/** A form whose buttons are acts of its page. */
export function ActForm({ form, fields = [], hidden = {}, buttons, ...look }: ActFormProps) {
  const { isTall = false, isDirect = false, effect } = look;
  const pressed = buttons.map(({ act, text, tone }) => (
    <button class={tone} type="submit" name="act" value={act}>
      {text}
    </button>
  ));
  const isSent = form !== undefined && buttons.some(({ act }) => act === form.text("act"));
  return (
    <form method="post" class={fields.length === 0 ? "actions" : isTall ? "stack" : "line"}>
      {Object.entries(hidden).map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      {isDirect && (
        <input type="hidden" name="once" value={crypto.randomUUID()} autoComplete="off" />
      )}
      <Fields fields={fields} typed={isSent ? (name) => form.typed(name) : undefined} />
      {isTall ? <div class="actions">{pressed}</div> : pressed}
      {effect !== undefined && <p class="hint effect">{effect}</p>}
    </form>
  );
}

interface FoldedFormProps extends ActFormProps {
  readonly summary: string;
}

/** A form that opens where it belongs. It is open if it was refused. */
export function FoldedForm({ summary, ...props }: FoldedFormProps) {
  const { form, buttons } = props;
  return (
    <details class="folded" open={buttons.some(({ act }) => act === form?.text("act"))}>
      <summary>{summary}</summary>
      <ActForm {...props} />
    </details>
  );
}

interface FilterFormProps {
  /** Of the page's address. */
  readonly query: URLSearchParams;
  readonly fields: readonly FormField[];
  readonly button: string;
  /** Parameters of the page's address that stay. @default none */
  readonly keeps?: readonly string[];
}

/** A form that shows the same page with another query. */
export function FilterForm({ query, fields, button, keeps = [] }: FilterFormProps) {
  const kept = keeps.map((name) => [name, query.get(name) ?? ""] as const);
  return (
    <form method="get" class="line">
      {kept.map(
        ([name, value]) => value !== "" && <input type="hidden" name={name} value={value} />,
      )}
      <Fields fields={fields} typed={(name) => query.get(name)?.trim() ?? ""} />
      <button class="quiet" type="submit">
        {button}
      </button>
    </form>
  );
}

interface FieldsProps {
  readonly fields: readonly FormField[];
  /** What was typed into a field; absent if nothing was. */
  readonly typed: ((name: string) => string) | undefined;
}

export function Fields({ fields, typed }: FieldsProps) {
  return (
    <>
      {fields.map((field) => (
        <OneField field={field} value={typed?.(field.name) ?? field.value ?? ""} />
      ))}
    </>
  );
}

interface OneFieldProps {
  readonly field: FormField;
  readonly value: string;
}

function OneField({ field, value }: OneFieldProps) {
  const { name, label, hint } = field;
  if (field.kind === "check") {
    return (
      <label class="check">
        <input type="checkbox" name={name} value="yes" checked={value === "yes"} />
        {label}
      </label>
    );
  }
  return (
    <Field label={label} name={name} hint={hint}>
      <Input field={field} value={value} />
      <Mistake of={field} />
      {hasMarks(field) && <MarkedLines id={marksId(name)} text={value} marks={field.marks} />}
    </Field>
  );
}

/** Why a field was refused. */
export function Mistake({ of }: { readonly of: Pick<FormField, "name" | "mistake"> }) {
  if (of.mistake === undefined) return null;
  return (
    <p class="mistake" id={mistakeId(of.name)}>
      <Text of={of.mistake} />
    </p>
  );
}

/** Says of an input that it was refused, and why. */
export function refusedInput({ name, mistake }: Pick<FormField, "name" | "mistake">) {
  if (mistake === undefined) return {};
  return { "aria-invalid": true, "aria-describedby": mistakeId(name) } as const;
}

function mistakeId(name: string): string {
  return `${name}-mistake`;
}

type MarkedField = FormField & { readonly marks: readonly Mark[] };

function hasMarks(field: FormField): field is MarkedField {
  return field.marks !== undefined && field.marks.length > 0;
}

function marksId(name: string): string {
  return `${name}-mistakes`;
}

function Input({ field, value }: OneFieldProps) {
  const { name, kind = "text", choices, suggestions, isRequired = false } = field;
  if (suggestions !== undefined) {
    return (
      <>
        <input
          id={name}
          name={name}
          list={`${name}-names`}
          data-find={suggestions.address}
          autoComplete="off"
          spellcheck={false}
          value={value}
          required={isRequired}
        />
        <datalist id={`${name}-names`}>
          {suggestions.names.map((each) => (
            <option value={withoutInvisible(each)} />
          ))}
        </datalist>
      </>
    );
  }
  if (choices !== undefined) {
    return (
      <select id={name} name={name}>
        {choices.map(([choice, text]) => (
          <option value={choice} selected={choice === value}>
            {text}
          </option>
        ))}
      </select>
    );
  }
  switch (kind) {
    case "lines":
    case "code":
      return (
        <textarea
          id={name}
          name={name}
          class={kind}
          spellcheck={kind === "lines"}
          {...refusedInput(field)}
          {...(hasMarks(field) && { "aria-invalid": true, "aria-describedby": marksId(name) })}
        >
          {/* Browsers drop the first line end of the text. */}
          {`\n${value}`}
        </textarea>
      );
    case "decimal":
    case "integer":
      return (
        <input
          id={name}
          name={name}
          inputMode={kind === "decimal" ? "decimal" : "numeric"}
          value={value}
          required={isRequired}
          {...refusedInput(field)}
        />
      );
    case "usd":
      return (
        <span class="unit">
          <input id={name} name={name} inputMode="decimal" value={value} required={isRequired} />
          <span aria-hidden="true">USD</span>
        </span>
      );
    case "key":
      return (
        <input
          id={name}
          name={name}
          autocomplete="off"
          spellcheck={false}
          value={field.value ?? ""}
          required
        />
      );
    case "search":
      return <input id={name} name={name} type="search" value={value} />;
    case "time":
      return (
        <input
          id={name}
          name={name}
          type="datetime-local"
          step="1"
          value={value}
          {...refusedInput(field)}
        />
      );
    default:
      return (
        <input id={name} name={name} value={value} required={isRequired} {...refusedInput(field)} />
      );
  }
}
