/**
 * A field of a form.
 *
 * @module
 */
import type { ComponentChildren } from "preact";
import type { Mark } from "./marked_lines.tsx";

export interface FormField {
  readonly name: string;
  readonly label: string;
  /** Below the input: what is to be known. */
  readonly hint?: ComponentChildren;
  /**
   * `lines` is several lines of text, `code` several of JSON. What is typed as a `key` is not shown again. `usd` is an
   * amount of dollars, `time` a date and time without a zone.
   * @default "text"
   */
  readonly kind?:
    | "text"
    | "decimal"
    | "usd"
    | "integer"
    | "search"
    | "lines"
    | "code"
    | "check"
    | "time"
    | "key";
  /** Names to choose from, of which the field takes others, too. */
  readonly suggestions?: {
    readonly names: readonly string[];
    /** Finds more of them while one types, as JSON. */
    readonly address: string;
  };
  /** Its values and what they are called, if it is chosen. */
  readonly choices?: readonly (readonly [value: string, text: string])[];
  /** What is there before anything is typed. @default "" */
  readonly value?: string;
  readonly isRequired?: boolean;
  /** Mistakes in what was typed, by line. */
  readonly marks?: readonly Mark[];
  /** Why what was typed was refused. */
  readonly mistake?: string | undefined;
}
