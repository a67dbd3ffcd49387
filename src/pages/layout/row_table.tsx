/** @jsxImportSource preact */
/**
 * Rows of a feed as a table. Values without a named column are listed below it.
 *
 * @module
 */
import { SITE_CELL_CHARS_MAX } from "../../limits.ts";
import { counted, digits } from "./parts.tsx";
import type { Cell, ShownRows } from "./shown_rows.ts";

interface RowTableProps extends ShownRows {
  /** Of the table, for a chart that draws it. */
  readonly id: string;
}

export function RowTable({ id, rows, columns, others, otherCount }: RowTableProps) {
  return (
    <>
      <section class="scroll rows" aria-label="Rows" tabIndex={0}>
        <table id={id}>
          <thead>
            <tr>
              {columns.map(({ head, isNumeric }) => (
                <th scope="col" class={isNumeric ? "num" : undefined}>
                  {head}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr>
                {row.map((cell, place) => (
                  <RowCell {...cell} isNumeric={columns[place]?.isNumeric === true} />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      <Others names={others} count={otherCount} />
      {rows.flat().some(({ isCut }) => isCut) && (
        <p class="soft small">
          Long values are cut after {digits(SITE_CELL_CHARS_MAX)} characters.
        </p>
      )}
    </>
  );
}

/** Texts longer than this take several lines. */
const LINE_CHARS_MAX = 80;

function RowCell({ text, kind, isNumeric }: Cell & { readonly isNumeric: boolean }) {
  const className = [
    isNumeric && "num",
    text.length > LINE_CHARS_MAX && "long",
    kind === "null" && "soft",
  ]
    .filter(Boolean)
    .join(" ");
  return <td class={className || undefined}>{kind === "nested" ? <code>{text}</code> : text}</td>;
}

function Others({ names, count }: { readonly names: readonly string[]; readonly count: number }) {
  if (count === 0) return null;
  const rest = count - names.length;
  return (
    <p class="soft small">
      {counted(count, "more field")} not shown:{" "}
      {names.map((name, place) => (
        <>
          {place > 0 && ", "}
          <code>{name}</code>
        </>
      ))}
      {rest > 0 && ` and ${digits(rest)} others`}.
    </p>
  );
}
