/** @jsxImportSource preact */
/**
 * The pages of the docs: the reference, which is Swagger UI over the document and every error explained
 * under the anchor that a problem's `type` points to, and the guides. Decisions 1, 2 and 10.
 *
 * @module
 */

import type { ComponentChildren } from "preact";
import { PROBLEM_CODES, PROBLEM_DOCS } from "../../api/reference/problem_docs.ts";
import { anchorOf, PROBLEMS } from "../../http/problem_details.ts";
import { type PageFrame, PUBLIC_MENU, renderPage } from "../layout/page.tsx";
import { PUBLIC_PAGE_HEADERS } from "../layout/page_headers.ts";
import {
  GUIDE_NAMES,
  GUIDE_TOPICS,
  type GuideName,
  type GuidePlace,
  guideText,
} from "./guide_texts.ts";

/** Guides are revalidated: they change with the program. */
export const GUIDE_HEADERS = { ...PUBLIC_PAGE_HEADERS, "Cache-Control": "public, no-cache" };

/** Swagger UI sets styles on elements, so styles can't be confined to files. */
export const REFERENCE_HEADERS = {
  ...GUIDE_HEADERS,
  "Content-Security-Policy": GUIDE_HEADERS["Content-Security-Policy"].replace(
    "style-src 'self'",
    "style-src 'self' 'unsafe-inline'",
  ),
};

/** A heading in a list of contents. */
interface Heading {
  readonly id: string;
  readonly title: string;
}

/** The reference, the same for every deployment. */
export function renderReference(frame: PageFrame): string {
  return renderPage({
    ...frame,
    title: "API reference",
    description: "Every route of the gateway, with parameters, answers and errors.",
    root: ".",
    menu: PUBLIC_MENU,
    current: "docs",
    head: (
      <>
        <link rel="stylesheet" href="./docs/assets/swagger-ui.css" />
        <link rel="stylesheet" href="./docs/assets/reference.css" />
        <script src="./docs/assets/swagger-ui-bundle.js" defer />
        <script src="./docs/assets/reference.js" type="module" />
      </>
    ),
    children: (
      <>
        <h1>API reference</h1>
        <p class="lead">
          All routes, with their parameters and answers. Open one to see what it takes, or choose
          “Try it out” there. <a href="./docs/json">OpenAPI document</a> ·{" "}
          <a href="#errors">Errors</a>
        </p>
        <div id="api">
          <noscript>
            The API is described in <a href="./docs/json">the OpenAPI document</a>.
          </noscript>
        </div>
        <section id="errors">
          <h2>Errors</h2>
          <p class="lead">
            Every error is a problem document (RFC 9457, <code>application/problem+json</code>).
            Decide by <code>code</code>; <code>detail</code> says what to do in the case at hand.
          </p>
          {PROBLEM_CODES.map((code) => (
            <ProblemDoc code={code} />
          ))}
        </section>
        <GuideLinks root="." />
      </>
    ),
  });
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
    children: (
      <>
        <h1>Guides</h1>
        <p class="lead">
          All routes, parameters and errors are in <a href="./">the reference</a>.
        </p>
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
        <details class="contents-above">
          <summary>On this page</summary>
          <nav aria-label="On this page">{contents}</nav>
        </details>
        {children}
      </div>
    </div>
  );
}

function GuideLinks({ root }: { readonly root: string }) {
  return (
    <section>
      <h2>Guides</h2>
      <p class="guide-links">
        {GUIDE_NAMES.map((name) => (
          <a href={`${root}/docs/guides/${name}`}>{titleOf(name)}</a>
        ))}
      </p>
    </section>
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

/** In the menu. */
function titleOf(name: GuideName): string {
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}

function ProblemDoc({ code }: { readonly code: (typeof PROBLEM_CODES)[number] }) {
  const { status, title } = PROBLEMS[code];
  const { when, remedy } = PROBLEM_DOCS[code];
  const anchor = anchorOf(code);
  return (
    <article id={anchor} class="problem">
      <h3>
        <a href={`#${anchor}`}>
          <code>{code}</code>
        </a>{" "}
        <span>
          {code === "KEY_INVALID" ? "401 or 403" : status} · {title}
        </span>
      </h3>
      <p>
        <Coded text={when} />
      </p>
      <p>
        <b>What to do:</b> <Coded text={remedy} />
      </p>
    </article>
  );
}

/** Text with code in backticks. */
function Coded({ text }: { readonly text: string }) {
  return (
    <>{text.split("`").map((part, index) => (index % 2 === 0 ? part : <code>{part}</code>))}</>
  );
}
