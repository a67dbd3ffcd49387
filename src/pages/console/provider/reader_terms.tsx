/** @jsxImportSource preact */
/**
 * The terms of a grant, as a form shows them: free or not, the last day, and a note.
 *
 * The fields are inside their labels, because a page has such a form for each request.
 *
 * @module
 */
import { Problem } from "../../../http/problem_details.ts";
import { MS_PER_DAY } from "../../../lib/time_units.ts";
import { dayOf } from "../../../lib/utc_day.ts";
import type { Form } from "../visit.ts";

interface Terms {
  readonly is_free: boolean;
  readonly expires_at: string | null;
  readonly note?: string | null;
}

interface TermsFieldsProps {
  /** Those that hold now. @default those of a new grant */
  readonly of?: Terms;
  /** What was typed into this form, if that was refused. */
  readonly form: Form | undefined;
  /** Whether the form asks for a note. @default false */
  readonly hasNote?: boolean;
}

export function TermsFields({ of, form, hasNote = false }: TermsFieldsProps) {
  const isFree = form === undefined ? of?.is_free === true : form.text("is_free") === "yes";
  const end = of?.expires_at ?? null;
  return (
    <>
      <label class="check">
        <input type="checkbox" name="is_free" value="yes" checked={isFree} />
        Reads are free
      </label>
      <label>
        Last day (UTC); leave empty for no end
        <input
          type="date"
          name="last_day"
          class="short"
          min={dayOf(Date.now())}
          value={form?.text("last_day") ?? (end === null ? "" : lastDayOf(end))}
        />
      </label>
      {end !== null && <input type="hidden" name="end" value={end} />}
      {hasNote && (
        <label>
          Note (visible only to your account)
          <textarea name="note">{`\n${form?.typed("note") ?? of?.note ?? ""}`}</textarea>
        </label>
      )}
    </>
  );
}

/** What the fields say. @throws {Problem} 400 */
export function termsIn(form: Form): Terms {
  return {
    is_free: form.text("is_free") === "yes",
    expires_at: endIn(form),
    note: form.given("note") ?? null,
  };
}

/** The first moment after the last day. An end that was not touched stays exact. */
function endIn(form: Form): string | null {
  const day = form.given("last_day");
  if (day === undefined) return null;
  const end = form.given("end");
  if (end !== undefined && day === lastDayOf(end)) return end;
  const startMs = /^\d{4}-\d{2}-\d{2}$/.test(day) ? Date.parse(day) : Number.NaN;
  // The engine takes the 31st of February for a day in March.
  if (Number.isNaN(startMs) || dayOf(startMs) !== day) {
    throw new Problem("INVALID_PARAMETER", {
      detail: "The last day must be a date such as 2026-12-31.",
    });
  }
  if (startMs + MS_PER_DAY <= Date.now()) {
    throw new Problem("INVALID_PARAMETER", {
      detail: "The last day has passed. Choose a later date, or leave it empty.",
    });
  }
  return new Date(startMs + MS_PER_DAY).toISOString();
}

function lastDayOf(end: string): string {
  const ms = Date.parse(end);
  return Number.isNaN(ms) ? "" : dayOf(ms - 1);
}
