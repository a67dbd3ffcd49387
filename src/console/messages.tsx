/** @jsxImportSource preact */
/**
 * Messages above the content of a page.
 *
 * @module
 */
import { Message, Text, type Tone } from "../ui/parts.tsx";

/** What was done, or why not; nothing if there is nothing to say. */
export function messageOf(
  tone: Tone,
  text: string | undefined,
  link?: { readonly href: string; readonly text: string },
) {
  if (text === undefined) return undefined;
  return (
    <Message tone={tone}>
      <p>
        <Text of={text} /> {link !== undefined && <a href={link.href}>{link.text}</a>}
      </p>
    </Message>
  );
}
