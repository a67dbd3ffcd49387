/** @jsxImportSource preact */
/**
 * The pushes of a feed as a timeline, newest first: the changes of each push, or why it was refused.
 *
 * @module
 */
import type { listPushes } from "../../../provider/push_history.ts";
import { counted, digits, Text, Time } from "../../layout/parts.tsx";

type HistoricPush = Awaited<ReturnType<typeof listPushes>>["body"]["pushes"][number];

export function PushTimeline({ of: pushes }: { readonly of: readonly HistoricPush[] }) {
  if (pushes.length === 0) {
    return (
      <div class="empty">
        No pushes in the last 90 days. Push a file, or see the providers' guide.
      </div>
    );
  }
  return (
    <ol class="timeline" aria-label="Pushes">
      {pushes.map((push) => (
        <li class={push.outcome === "stored" ? "good" : "bad"}>
          <p>
            <strong>
              {push.outcome === "stored" ? storedWords(push) : <>Refused: {push.code}</>}
            </strong>
            {push.batch_id !== null && (
              <>
                {" "}
                in batch{" "}
                <code>
                  <Text of={push.batch_id} />
                </code>
              </>
            )}
          </p>
          {push.detail !== null && (
            <p class="small">
              <Text of={push.detail} />
            </p>
          )}
          <p class="small soft">
            <Time of={push.pushed_at} /> · {bytesText(push.bytes)} · {digits(push.ms)} ms
          </p>
        </li>
      ))}
    </ol>
  );
}

/** `3 new, 1 changed, 2 duplicate`. A document is replaced. */
function storedWords(push: HistoricPush): string {
  const { rows_inserted: added, rows_updated: changed, rows_duplicate: known } = push;
  const words = [
    added > 0 && `${digits(added)} new`,
    changed > 0 && `${digits(changed)} changed`,
    known > 0 && `${digits(known)} duplicate`,
  ].filter(Boolean);
  return words.length === 0
    ? `${counted(push.rows_received, "row")}, nothing changed`
    : words.join(", ");
}

const BYTES_PER_KB = 1_024;

function bytesText(bytes: number): string {
  if (bytes < BYTES_PER_KB) return counted(bytes, "byte");
  const kb = bytes / BYTES_PER_KB;
  return kb < BYTES_PER_KB
    ? `${digits(Math.round(kb))} KB`
    : `${digits((kb / BYTES_PER_KB).toFixed(1))} MB`;
}
