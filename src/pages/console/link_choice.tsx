/** @jsxImportSource preact */
/**
 * A choice made of links, each of which leads to the same page with another value in its address. With it, lists are
 * sorted and filtered without a form.
 *
 * @module
 */

interface LinkChoiceProps {
  /** Of the page's address. */
  readonly query: URLSearchParams;
  /** Names the choice, such as `Time`. */
  readonly label: string;
  /** The parameter. */
  readonly name: string;
  /** The first is what the page shows without the parameter, if its value is "". */
  readonly choices: readonly (readonly [value: string, text: string])[];
  readonly chosen: string;
  /** Parameters that another choice takes away. */
  readonly without?: readonly string[];
}

export function LinkChoice({ query, label, name, choices, chosen, without = [] }: LinkChoiceProps) {
  return (
    <nav class="choice" aria-label={label}>
      <span class="soft">{label}</span>
      {choices.map(([value, text]) => (
        <a
          href={addressWith(query, { name, value, without })}
          aria-current={value === chosen ? "true" : undefined}
        >
          {text}
        </a>
      ))}
    </nav>
  );
}

interface Changed {
  readonly name: string;
  /** "" takes the parameter away. */
  readonly value: string;
  readonly without?: readonly string[];
}

/** The page's own address with another value. It begins at the first page of its lists. */
export function addressWith(
  query: URLSearchParams,
  { name, value, without = [] }: Changed,
): string {
  const next = new URLSearchParams(
    [...query].filter(([each]) => each !== name && !without.includes(each) && !PLACE.test(each)),
  );
  if (value !== "") next.set(name, value);
  return `?${next}`;
}

/** Parameters that are a place in a list, or that say what was done. */
export const PLACE = /^(?:cursor|offset|done|csv|\w+_cursor)$/;
