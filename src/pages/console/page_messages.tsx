/** @jsxImportSource preact */
/**
 * Messages above the content of a page.
 *
 * @module
 */
import { Message, Text, type Tone } from "../layout/parts.tsx";
import type { Refused } from "./visit.ts";

/** Why a form was refused. */
export function messageOfRefusal({ why, mistakes = [] }: Refused) {
  return (
    <Message tone="bad">
      <p>
        <Text of={why} />
      </p>
      {mistakes.length > 0 && (
        <ul>
          {mistakes.map((mistake) => (
            <li>
              <Text of={mistake} />
            </li>
          ))}
        </ul>
      )}
    </Message>
  );
}

/** What was done, or why not; nothing if there is nothing to say. */
export function messageOf(tone: Tone, text: string | undefined) {
  if (text === undefined) return undefined;
  return (
    <Message tone={tone}>
      <p>
        <Text of={text} />
      </p>
    </Message>
  );
}
