/**
 * A cache of public pages, limited in bytes. A page is built once for all its visitors.
 *
 * A page without a version is built again when it is a few seconds old. A page with a version is kept longer: its
 * version is checked at most once a second, for all visitors together, and the page is built again when the version has
 * changed.
 *
 * @module
 */
import { LRUCache } from "lru-cache";
import { compressedContent, type SharedContent } from "../../http/shared_content.ts";
import {
  PUBLIC_PAGE_LOOK_MS,
  PUBLIC_PAGE_MS_MAX,
  PUBLIC_PAGES_BYTES_MAX,
  VERSIONED_PAGE_MS_MAX,
} from "../../limits.ts";

/** Makes a page; undefined if there is none. */
type Make = () => Promise<string | undefined>;

interface Versioned {
  /** Looks up the version of what the page shows; undefined if there is no page. */
  findVersion(): Promise<string | undefined>;
  /** Makes the page at the version found before, or at a later one; undefined if there is none. */
  readonly make: Make;
}

export interface PublicPages {
  /** Whether it is in memory and needs no statement now. */
  has(key: string): boolean;
  /** `key` names what is shown. What is not there is asked for each time. */
  find(key: string, make: Make): Promise<SharedContent | undefined>;
  /**
   * The same for a page that is kept until its version changes. `isMoved`: it has just changed, so its version is looked up
   * now, once for all that ask at the time.
   */
  findVersioned(
    key: string,
    page: Versioned,
    options?: { readonly isMoved?: boolean },
  ): Promise<SharedContent | undefined>;
}

interface KeptPage {
  readonly content: SharedContent;
  /** Undefined if the page has no version. */
  readonly version: string | undefined;
  readonly madeMs: number;
}

/** Finds a page, given the one that was made before. */
type Renew = (kept: KeptPage | undefined) => Promise<KeptPage | undefined>;

const PAGE_OVERHEAD_BYTES = 1_024;
/** Of all pages in memory, what one may take. */
const PAGE_SHARE_MAX = 1 / 4;

export function createPublicPages(): PublicPages {
  const pages = new LRUCache<string, KeptPage, Renew>({
    maxSize: PUBLIC_PAGES_BYTES_MAX,
    maxEntrySize: PUBLIC_PAGES_BYTES_MAX * PAGE_SHARE_MAX,
    ttl: PUBLIC_PAGE_MS_MAX,
    sizeCalculation: ({ content: { body, compressed } }, key) =>
      PAGE_OVERHEAD_BYTES + key.length + body.size + (compressed?.size ?? 0),
    fetchMethod: (_key, kept, { context: renew }) => renew(kept),
    ignoreFetchAbort: true,
  });

  async function keep(
    text: string | undefined,
    version: string | undefined,
  ): Promise<KeptPage | undefined> {
    if (text === undefined) return undefined;
    return { content: await compressedContent(text), version, madeMs: performance.now() };
  }

  return {
    has: (key) => pages.has(key),
    async find(key, make) {
      const page = await pages.fetch(key, { context: async () => keep(await make(), undefined) });
      return page?.content;
    },
    async findVersioned(key, { findVersion, make }, { isMoved = false } = {}) {
      const renew: Renew = async (kept) => {
        const version = await findVersion();
        if (version === undefined) return undefined;
        const isCurrent =
          kept?.version === version && performance.now() - kept.madeMs < VERSIONED_PAGE_MS_MAX;
        return isCurrent ? kept : keep(await make(), version);
      };
      const page = await pages.fetch(key, {
        context: renew,
        ttl: PUBLIC_PAGE_LOOK_MS,
        forceRefresh: isMoved,
      });
      return page?.content;
    },
  };
}
