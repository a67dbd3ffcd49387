/**
 * The search index of the guides: the text of each section of each guide. `docs_routes.ts` imports it as a macro, so it
 * is generated at build time and is a string in the executable.
 *
 * @module
 */
import { GUIDE_NAMES, GUIDES, titleOf } from "./guide_texts.ts";

/** A section: the guide's name, its title, the heading with its anchor, and the text below it. */
interface GuideSection {
  readonly guide: string;
  readonly title: string;
  readonly heading: string;
  /** "" before the first heading. */
  readonly id: string;
  readonly text: string;
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'",
};

/** The index as JSON. */
export function guideIndexText(): string {
  return JSON.stringify(GUIDE_NAMES.flatMap(sectionsOf));
}

function sectionsOf(guide: (typeof GUIDE_NAMES)[number]): readonly GuideSection[] {
  const html = Bun.markdown.html(GUIDES[guide], { headings: { ids: true } });
  const title = titleOf(guide);
  // Headings of the first three levels begin a section. Each piece begins with the heading's id.
  const [, ...pieces] = html.split(/<h[123] id="/);
  return pieces.map((piece, place) => {
    const [, id = "", heading = "", body = ""] = /^([^"]*)">(.*?)<\/h\d>(.*)$/s.exec(piece) ?? [];
    return {
      guide,
      title,
      heading: place === 0 ? title : plain(heading),
      id: place === 0 ? "" : id,
      text: plain(body),
    };
  });
}

/** The words of HTML that was made of our own Markdown. */
function plain(html: string): string {
  return html
    .replace(/<\/(?:p|li|td|th|pre|h\d)>/g, " ")
    .replace(/<[^>]+>/g, "")
    .replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => ENTITIES[entity] ?? entity)
    .replace(/\s+/g, " ")
    .trim();
}
