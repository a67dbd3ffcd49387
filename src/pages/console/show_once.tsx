/** @jsxImportSource preact */
/**
 * Secrets that are shown only once: a new key, a sign-in link.
 *
 * @module
 */
import type { Acted } from "./visit.ts";

export function showOnce(title: string, text: string, note: string): Acted {
  const content = (
    <>
      <h1>{title}</h1>
      <pre>{text}</pre>
      <p class="text">{note}</p>
      <p>
        <a class="button quiet" href="?">
          Go back
        </a>
      </p>
    </>
  );
  return { kind: "show", view: { title, content } };
}
