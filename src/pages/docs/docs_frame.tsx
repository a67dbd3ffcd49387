/** @jsxImportSource preact */
/**
 * The common parts of the reference and the guides: their stylesheet and script, and links to all guides.
 *
 * @module
 */
import { GUIDE_NAMES, titleOf } from "./guide_texts.ts";

interface Rooted {
  /** The way from the page's folder to the gateway's root, without a trailing slash. */
  readonly root: string;
}

export function DocsHead({ root }: Rooted) {
  return (
    <>
      <link rel="stylesheet" href={`${root}/docs/assets/docs.css`} />
      <script src={`${root}/docs/assets/docs.js`} type="module" />
    </>
  );
}

export function GuideLinks({ root }: Rooted) {
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

/** A search over all guides. It is the script's alone, so without JavaScript it is not shown. */
export function GuideSearch({ root }: Rooted) {
  return (
    <search
      hidden
      class="guide-search"
      data-index={`${root}/docs/assets/guides.json`}
      data-guides={`${root}/docs/guides`}
    >
      <label class="sr" for="guide-search">
        Search the guides
      </label>
      <input
        id="guide-search"
        type="search"
        placeholder="Search the guides"
        maxLength={100}
        autocomplete="off"
      />
      <div class="found" hidden>
        <p class="small soft" role="status" />
        <ol />
      </div>
    </search>
  );
}
