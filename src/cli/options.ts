/**
 * Options by type: credits, counts, times, texts. If a value is invalid, the error says what is accepted.
 *
 * @module
 */

import { hasAtMost } from "../lib/code_points.ts";
import { parseEventTime } from "../lib/date_time.ts";
import { parseDay } from "../lib/utc_day.ts";
import { NAME_LENGTH_MAX } from "../limits.ts";
import { nanosOfCredits, nanosOfUsd } from "../money/money.ts";
import { AMOUNT_NANOS_MAX, COUNT_MAX } from "../operator/common_shapes.ts";
import { type Option, UsageError } from "./command.ts";

/** Each worker has a connection pool, and PostgreSQL limits connections. */
const WORKERS_MAX = 64;

const SECONDS_PER_DAY = 86_400;
const SECONDS_OF: Readonly<Record<string, number>> = { m: 60, h: 3_600, d: SECONDS_PER_DAY };

function optional<Value>(
  said: { readonly placeholder: string; readonly about: string },
  read: Option<Value>["read"],
): Option<Value> {
  return { ...said, isRequired: false, read };
}

/** Makes an option required. */
export function required<Value>(option: Option<Value>): Option<Value, true> {
  return { ...option, isRequired: true };
}

/** A flag, without a value. */
export function flag(about: string): Option<boolean> {
  return optional({ placeholder: "", about }, () => true);
}

interface TextForm {
  /** @default "S" */
  readonly placeholder?: string;
  /** In code points. @default the limit for names */
  readonly lengthMax?: number;
}

export function text(
  about: string,
  { placeholder = "S", lengthMax = NAME_LENGTH_MAX }: TextForm = {},
): Option<string> {
  return optional({ placeholder, about }, (given, name) => {
    if (given.trim() === "") throw new UsageError(`${name} must not be blank`);
    if (given.includes("\0")) throw new UsageError(`${name} must not contain a NUL character`);
    if (!hasAtMost(given, lengthMax)) {
      throw new UsageError(`${name} must have at most ${lengthMax} characters`);
    }
    return given;
  });
}

export function oneOf<const Choice extends string>(
  choices: readonly Choice[],
  about: string,
): Option<Choice> {
  return optional({ placeholder: choices.join("|"), about }, (given, name) => {
    const choice = choices.find((each) => each === given);
    if (choice !== undefined) return choice;
    throw new UsageError(`${name} must be ${choices.join(" or ")}, got "${given}"`);
  });
}

interface Range {
  readonly least: number;
  readonly most: number;
}

export function integer(about: string, range: Range): Option<number> {
  return optional({ placeholder: "N", about }, (given, name) => readInteger(given, name, range));
}

/** An integer of at least 1. */
export function count(about: string): Option<number> {
  return integer(about, { least: 1, most: COUNT_MAX });
}

/** A number of processes. `auto` is the number of CPU cores. */
export function workers(about: string): Option<number> {
  return optional({ placeholder: "N|auto", about }, (given, name) =>
    given === "auto"
      ? navigator.hardwareConcurrency
      : readInteger(given, `${name}, if not auto,`, { least: 1, most: WORKERS_MAX }),
  );
}

/** Credits above 0, with up to 3 decimals, as nano-dollars. */
export function credits(about: string): Option<bigint> {
  return optional({ placeholder: "N", about }, (given, name) => {
    const nanos = nanosOfCredits(given);
    if (nanos !== undefined && nanos > 0n && nanos <= AMOUNT_NANOS_MAX) return nanos;
    throw new UsageError(
      `${name} must be greater than 0 and at most 10^15, with up to 3 decimals, got "${given}"`,
    );
  });
}

/** USD above 0, with up to 9 decimals, as nano-dollars. */
export function usd(about: string): Option<bigint> {
  return optional({ placeholder: "N", about }, (given, name) => {
    const nanos = nanosOfUsd(given);
    if (nanos !== undefined && nanos > 0n && nanos <= AMOUNT_NANOS_MAX) return nanos;
    throw new UsageError(
      `${name} must be greater than 0 and at most 10^9, with up to 9 decimals, got "${given}"`,
    );
  });
}

/** The value of whichever equivalent option was given, such as credits or USD. @throws {UsageError} if several are */
export function eitherOf<Value>(options: Readonly<Record<string, Value | undefined>>) {
  const given = Object.entries(options).flatMap(([name, value]) =>
    value === undefined ? [] : [{ name, value }],
  );
  if (given.length > 1) {
    throw new UsageError(`give ${given.map(({ name }) => `--${name}`).join(" or ")}, not both`);
  }
  return given[0]?.value;
}

/** Also accepts a word that stands for null, such as `none` or `never`. */
export function orNull<Value>(option: Option<Value>, word: string): Option<Value | null> {
  return {
    ...option,
    placeholder: `${option.placeholder}|${word}`,
    read: (given, name) => (given === word ? null : option.read(given, name)),
  };
}

/** A comma-separated list. */
export function list(about: string, form: TextForm): Option<readonly string[]> {
  const whole = text(about, form);
  return optional(whole, (given, name) => {
    const parts = whole
      .read(given, name)
      .split(",")
      .map((part) => part.trim());
    if (!parts.includes("")) return parts;
    throw new UsageError(`${name} must be a comma-separated list, got "${given}"`);
  });
}

/** A duration such as `30m`, `24h`, `7d` or `0`, in seconds. */
export function duration(about: string, secondsMax: number): Option<number> {
  return optional({ placeholder: "TIME", about }, (given, name) => {
    const [, count, unit = "s"] = /^(\d{1,9})([mhd])$/.exec(given) ?? /^(0)$/.exec(given) ?? [];
    const seconds = Number(count) * (SECONDS_OF[unit] ?? 1);
    if (seconds <= secondsMax) return seconds;
    throw new UsageError(
      `${name} must be a duration such as 30m, 24h, 7d or 0, and at most ${secondsMax / SECONDS_PER_DAY}d, got "${given}"`,
    );
  });
}

/** A UTC day. */
export function day(about: string): Option<string> {
  return optional({ placeholder: "DAY", about }, (given, name) => {
    const found = parseDay(given);
    if (found !== undefined) return found;
    throw new UsageError(`${name} must be a date such as 2026-11-21, got "${given}"`);
  });
}

/** An RFC 3339 date-time, or a date, which means its start in UTC. Converted to UTC. */
export function time(about: string): Option<string> {
  return optional({ placeholder: "TIME", about }, (given, name) => {
    const utc = parseEventTime(given) ?? parseEventTime(`${given}T00:00:00Z`);
    if (utc !== undefined) return utc;
    throw new UsageError(
      `${name} must be a date such as 2026-11-21 (midnight UTC), or an RFC 3339 timestamp such as 2026-11-21T06:27:00Z, got "${given}"`,
    );
  });
}

function readInteger(given: string, name: string, { least, most }: Range): number {
  const number = Number(given);
  if (/^\d{1,16}$/.test(given) && number >= least && number <= most) return number;
  throw new UsageError(`${name} must be an integer from ${least} to ${most}, got "${given}"`);
}

/** The option of commands that name an account. */
export const ACCOUNT_OPTION = text("account id or exact name", { placeholder: "ID" });

/** The option of commands that name a feed. */
export const FEED_OPTION = text("feed id or slug", { placeholder: "ID" });

/** The option of commands that suspend an account or feed. */
export const SUSPENSION_REASON = required(text("reason, shown to the owner"));
