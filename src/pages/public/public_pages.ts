/**
 * Public pages in memory, bounded by bytes. A page is made once for all its visitors and is at most a few seconds
 * behind, so a page costs a statement in that time, and not one a visitor.
 *
 * @module
 */
import { LRUCache } from "lru-cache";
import { compressedContent, type SharedContent } from "../../http/shared_content.ts";
import { PUBLIC_PAGE_MS_MAX, PUBLIC_PAGES_BYTES_MAX } from "../../limits.ts";

/** Makes a page; undefined if there is none. */
type Make = () => Promise<string | undefined>;

export interface PublicPages {
  /** Whether it is in memory. */
  has(key: string): boolean;
  /** `key` names what is shown. What is not there is asked for each time. */
  find(key: string, make: Make): Promise<SharedContent | undefined>;
}

const PAGE_OVERHEAD_BYTES = 1_024;
/** Of all pages in memory, what one may take. */
const PAGE_SHARE_MAX = 1 / 4;

export function createPublicPages(): PublicPages {
  const pages = new LRUCache<string, SharedContent, Make>({
    maxSize: PUBLIC_PAGES_BYTES_MAX,
    maxEntrySize: PUBLIC_PAGES_BYTES_MAX * PAGE_SHARE_MAX,
    ttl: PUBLIC_PAGE_MS_MAX,
    sizeCalculation: ({ body, compressed }, key) =>
      PAGE_OVERHEAD_BYTES + key.length + body.size + (compressed?.size ?? 0),
    fetchMethod: async (_key, _stale, { context: make }) => {
      const text = await make();
      return text === undefined ? undefined : compressedContent(text);
    },
    ignoreFetchAbort: true,
  });
  return {
    has: (key) => pages.has(key),
    find: (key, make) => pages.fetch(key, { context: make }),
  };
}
