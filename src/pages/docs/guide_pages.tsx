/** @jsxImportSource preact */
/**
 * The guides: a page for each, with links to the previous and the next one, and their index.
 *
 * @module
 */

import type { ComponentChildren } from "preact";
import { type PageFrame, PUBLIC_MENU, renderPage } from "../layout/page.tsx";
import { PUBLIC_PAGE_HEADERS } from "../layout/page_headers.ts";
import { DocsHead, GuideSearch } from "./docs_frame.tsx";
import {
  GUIDE_NAMES,
  GUIDE_TOPICS,
  type GuideName,
  type GuidePlace,
  guideText,
  titleOf,
} from "./guide_texts.ts";

/** Guides are revalidated: they change with the program. */
export const GUIDE_HEADERS = { ...PUBLIC_PAGE_HEADERS, "Cache-Control": "public, no-cache" };

/** A heading in a list of contents. */
interface Heading {
  readonly id: string;
  readonly title: string;
}

/** A link to a file of the repository, such as `../../app.ts`. `../../docs` is an address of the gateway. */
const SOURCE_LINK = /\[([^\]]+)\]\(\.\.\/\.\.\/(?!docs[)#])[^)]*\)/g;

/** A guide. In the repository, guides link to one another and to source files, which a gateway does not serve. */
export function renderGuide(name: GuideName, place: GuidePlace, frame: PageFrame): string {
  const text = guideText(name, place)
    .replace(/\]\(([a-z]+)\.md(#[^)]*)?\)/g, "]($1$2)")
    .replace(SOURCE_LINK, "$1");
  const html = Bun.markdown
    .html(text, { headings: { ids: true } })
    // Wide tables scroll within themselves, and the keyboard reaches what scrolls.
    .replaceAll("<table>", '<section class="scroll" aria-label="Table" tabindex="0"><table>')
    .replaceAll("</table>", "</table></section>")
    .replaceAll("<pre>", '<pre tabindex="0">');
  return renderPage({
    ...frame,
    title: titleOf(name),
    description: GUIDE_TOPICS[name],
    root: "../..",
    menu: PUBLIC_MENU,
    current: "docs/guides",
    head: <DocsHead root="../.." />,
    children: (
      <GuideFrame name={name} headings={headingsOf(text)}>
        {/* The guides are ours. */}
        <article class="markdown guide" dangerouslySetInnerHTML={{ __html: html }} />
      </GuideFrame>
    ),
  });
}

/** What `/docs/guides` lists. */
export function renderGuideIndex(frame: PageFrame): string {
  return renderPage({
    ...frame,
    title: "Guides",
    description: "How to read, publish and sell feeds, and how to run the gateway.",
    root: "..",
    menu: PUBLIC_MENU,
    current: "docs/guides",
    head: <DocsHead root=".." />,
    children: (
      <>
        <h1>Guides</h1>
        <p class="lead">
          All routes, parameters and errors are in <a href="../docs">the reference</a>.
        </p>
        <GuideSearch root=".." />
        <dl class="cards wide">
          {GUIDE_NAMES.map((name) => (
            <div class="card">
              <dt>
                <a href={`./guides/${name}`}>{titleOf(name)}</a>
              </dt>
              <dd>{GUIDE_TOPICS[name]}</dd>
            </div>
          ))}
        </dl>
      </>
    ),
  });
}

interface GuideFrameProps {
  readonly name: GuideName;
  readonly headings: readonly Heading[];
  readonly children: ComponentChildren;
}

/** A guide between all guides and its own contents, which stand folded above it where there is no room beside it. */
function GuideFrame({ name, headings, children }: GuideFrameProps) {
  const contents = headings.map(({ id, title }) => <a href={`#${id}`}>{title}</a>);
  return (
    <div class="with-side guides">
      <nav class="side" aria-label="Guides">
        <p>Guides</p>
        {GUIDE_NAMES.map((each) => (
          <a href={`./${each}`} aria-current={each === name ? "page" : undefined}>
            {titleOf(each)}
          </a>
        ))}
      </nav>
      <nav class="side contents" aria-label="On this page">
        <p>On this page</p>
        {contents}
      </nav>
      <div>
        <GuideSearch root="../.." />
        <details class="contents-above">
          <summary>On this page</summary>
          <nav aria-label="On this page">{contents}</nav>
        </details>
        {children}
        <Neighbours of={name} />
      </div>
    </div>
  );
}

/** The guides before and after this one, in the order of the menu. */
function Neighbours({ of }: { readonly of: GuideName }) {
  const place = GUIDE_NAMES.indexOf(of);
  const before = GUIDE_NAMES[place - 1];
  const after = GUIDE_NAMES[place + 1];
  return (
    <nav class="neighbours" aria-label="Previous and next guide">
      {before !== undefined && (
        <a class="card" rel="prev" href={`./${before}`}>
          <span class="small soft">Previous</span> <b>{titleOf(before)}</b>
        </a>
      )}
      {after !== undefined && (
        <a class="card next" rel="next" href={`./${after}`}>
          <span class="small soft">Next</span> <b>{titleOf(after)}</b>
        </a>
      )}
    </nav>
  );
}

/** The second-level headings of a guide, in order. */
function headingsOf(text: string): readonly Heading[] {
  const headings: Heading[] = [];
  Bun.markdown.render(
    text,
    {
      heading: (title, { level, id }) => {
        if (level === 2 && id !== undefined) headings.push({ id, title });
        return "";
      },
    },
    { headings: { ids: true } },
  );
  return headings;
}
