/** @jsxImportSource preact */
/**
 * The building blocks of pages: figures, tables, times, money, badges, messages. All texts are escaped when they are
 * rendered, and invisible characters are removed from untrusted texts.
 *
 * @module
 */
import type { ComponentChildren } from "preact";
import { withoutInvisible } from "../../lib/invisible_text.ts";

/** A number with all its digits, as `JSON.rawJSON` makes it, or a plain one. */
export type Figure = number | bigint | string | { readonly rawJSON: string };

const GROUPS = /\B(?=(\d{3})+$)/g;

/** `1234567.5` as it is, for an input or a program. */
export function plain(figure: Figure): string {
  return typeof figure === "object" ? figure.rawJSON : String(figure);
}

/** `1234567.5` as `1,234,567.5`, for people; no digit is lost. */
export function digits(figure: Figure): string {
  const [whole = "", fraction] = plain(figure).split(".");
  const grouped = whole.replace(GROUPS, ",");
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

/** A stranger's text. */
export function Text({ of }: { readonly of: string | null | undefined }) {
  return <>{withoutInvisible(of ?? "")}</>;
}

/** `1 purchase`, `2 purchases`. */
export function counted(figure: Figure, one: string, many = `${one}s`): string {
  const text = digits(figure);
  return `${text} ${text === "1" ? one : many}`;
}

export function Credits({ of }: { readonly of: Figure }) {
  return <span>{digits(of)} credits</span>;
}

/** Dollars for people: `5` as `5.00`, `1234.5` as `1,234.50`; no digit is lost. */
export function dollars(figure: Figure): string {
  const [whole = "", fraction = ""] = digits(figure).split(".");
  return `${whole}.${fraction.padEnd(CENT_DECIMALS, "0")}`;
}

const CENT_DECIMALS = 2;

export function Usd({ of }: { readonly of: Figure }) {
  return <span>{dollars(of)} USD</span>;
}

interface MoneyProps {
  readonly usd: Figure;
  readonly credits: Figure;
}

/** An amount in USD, and the same in credits beside it. */
export function Money({ usd, credits }: MoneyProps) {
  return (
    <>
      <Usd of={usd} /> <span class="soft small">{counted(credits, "credit")}</span>
    </>
  );
}

interface TimeProps {
  readonly of: string | null | undefined;
  /** Whether seconds are shown. @default false */
  readonly isExact?: boolean;
}

/** A time with its zone: in UTC without JavaScript, local with it. */
export function Time({ of, isExact = false }: TimeProps) {
  if (of === null || of === undefined) return <span class="soft">never</span>;
  const text = of.slice(0, isExact ? EXACT_LENGTH : MINUTE_LENGTH).replace("T", " ");
  return (
    <time dateTime={of} data-exact={isExact ? "" : undefined}>
      {text} UTC
    </time>
  );
}

const MINUTE_LENGTH = "2026-11-21T10:00".length;
const EXACT_LENGTH = "2026-11-21T10:00:00".length;

export type Tone = "good" | "bad" | "warn" | "plain";

export function Badge({ tone = "plain", children }: { tone?: Tone; children: ComponentChildren }) {
  return <span class={tone === "plain" ? "badge" : `badge ${tone}`}>{children}</span>;
}

/** One number that matters, with its unit in words. */
export function FigureCard(card: {
  readonly label: string;
  readonly value: ComponentChildren;
  readonly note?: ComponentChildren;
}) {
  return (
    <div class="card figure">
      <div class="label">{card.label}</div>
      <div class={`value ${lengthClass(card.value)}`}>{card.value}</div>
      {card.note !== undefined && <div class="note">{card.note}</div>}
    </div>
  );
}

/** Characters that a card's width has room for in the usual size, and in the next smaller one. */
const VALUE_CHARACTERS = 10;
const LONG_VALUE_CHARACTERS = 12;

function lengthClass(value: ComponentChildren): string {
  const { length } = String(value);
  if (length <= VALUE_CHARACTERS) return "";
  return length <= LONG_VALUE_CHARACTERS ? "long" : "longest";
}

/** Name and value, a line each. What has no value is left out. */
export function Facts({ of }: { readonly of: Readonly<Record<string, ComponentChildren>> }) {
  const given = Object.entries(of).filter(
    ([, value]) => value !== null && value !== undefined && value !== "" && value !== false,
  );
  if (given.length === 0) return null;
  return (
    <dl class="facts">
      {given.map(([name, value]) => (
        <>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </>
      ))}
    </dl>
  );
}

/** A column of a table. */
export interface Column<Row> {
  readonly head: string;
  /** How a cell is set. @default as text */
  readonly kind?: "num" | "when" | "id" | "slug";
  cell(row: Row): ComponentChildren;
}

interface TableProps<Row> {
  /** What the table lists, for people who can't see where it stands. */
  readonly label: string;
  readonly rows: readonly Row[];
  readonly columns: readonly Column<Row>[];
  /** What is said, and what to do next, if there are no rows. */
  readonly empty: ComponentChildren;
}

/** Rows in columns. It scrolls within itself where it is wider than the page. */
export function Table<Row>({ label, rows, columns, empty }: TableProps<Row>) {
  if (rows.length === 0) return <div class="empty">{empty}</div>;
  return (
    <section class="scroll" aria-label={label} tabIndex={0}>
      <table class="cells">
        <thead>
          <tr>
            {columns.map(({ head, kind }) => (
              <th scope="col" class={kind === "num" ? "num" : undefined}>
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr>
              {columns.map(({ head, cell, kind }) => (
                <td class={kind} data-head={head}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

export interface Tab {
  readonly head: string;
  readonly body: ComponentChildren;
}

interface TabsProps {
  /** What the tabs choose, for people who can't see where they are. */
  readonly label: string;
  /** Unique on the page. */
  readonly name: string;
  /** At most 6, which is what the stylesheet has rules for. */
  readonly tabs: readonly Tab[];
}

/** Parts of which one is in sight. They are radio buttons, so they work without JavaScript. */
export function Tabs({ label, name, tabs }: TabsProps) {
  return (
    <div class="tabs">
      <fieldset class="tab-heads">
        <legend class="sr">{label}</legend>
        {tabs.map(({ head }, place) => (
          <label>
            <input type="radio" name={name} value={place} checked={place === 0} />
            <span>{head}</span>
          </label>
        ))}
      </fieldset>
      {tabs.map(({ head, body }) => (
        <section class="tab" aria-label={head}>
          {body}
        </section>
      ))}
    </div>
  );
}

/** A message above a page's content: what was done, or why not. */
export function Message({ tone, children }: { tone: Tone; children: ComponentChildren }) {
  return (
    <div class={`note-box ${tone}`} role={tone === "bad" ? "alert" : "status"}>
      {children}
    </div>
  );
}

/** A field of a form with its label and, below it, what is to be known. The input has the field's name as its id. */
export function Field({
  label,
  name,
  hint,
  children,
}: {
  readonly label: string;
  readonly name: string;
  readonly hint?: ComponentChildren;
  readonly children: ComponentChildren;
}) {
  return (
    <div>
      <label for={name}>{label}</label>
      {children}
      {hint !== undefined && <p class="hint">{hint}</p>}
    </div>
  );
}

/** A series of figures over time. */
export interface ChartProps {
  readonly title: string;
  /** The heads of the columns behind the time. */
  readonly series: readonly string[];
  readonly points: readonly {
    /** RFC 3339, or a day. */
    readonly at: string;
    readonly values: readonly Figure[];
  }[];
}

/** A chart, drawn from the table below it, which is all there is without JavaScript. */
export function Chart({ title, series, points }: ChartProps) {
  return (
    <figure class="chart">
      <figcaption>{title}</figcaption>
      <div class="plot" hidden aria-hidden="true" />
      <details>
        <summary>As a table</summary>
        <section class="scroll" aria-label={title} tabIndex={0}>
          <table>
            <thead>
              <tr>
                <th scope="col">Time (UTC)</th>
                {series.map((name) => (
                  <th scope="col" class="num">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {points.map(({ at, values }) => (
                <tr>
                  <td data-value={Date.parse(at) / 1_000}>{at.slice(0, 16).replace("T", " ")}</td>
                  {values.map((value) => (
                    <td class="num" data-value={plain(value)}>
                      {digits(value)}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      </details>
    </figure>
  );
}
