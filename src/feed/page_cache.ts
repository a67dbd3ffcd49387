/**
 * Pages in memory, bounded by bytes. A page is used only at the data version that admission returned,
 * so what is here can be old but is never shown old. Design, "The idea".
 *
 * @module
 */
import type { Page } from "./build_page.ts";

export interface PageCache {
  get(key: string): Page | undefined;
  set(key: string, page: Page): void;
  readonly bytes: number;
}

/** Of an entry beside its text: the map's own cost and the page object, roughly. */
const ENTRY_OVERHEAD_BYTES = 256;
const BYTES_PER_CHARACTER = 2;

/** The least recently used pages go first. A page larger than an eighth of the cache is not kept. */
export function createPageCache(bytesMax: number): PageCache {
  const pages = new Map<string, Page>();
  let bytes = 0;

  function sizeOf(key: string, page: Page): number {
    return ENTRY_OVERHEAD_BYTES + BYTES_PER_CHARACTER * (key.length + page.text.length);
  }

  function remove(key: string): void {
    const page = pages.get(key);
    if (page === undefined) return;
    bytes -= sizeOf(key, page);
    pages.delete(key);
  }

  return {
    get(key) {
      const page = pages.get(key);
      if (page === undefined) return undefined;
      pages.delete(key);
      pages.set(key, page);
      return page;
    },
    set(key, page) {
      remove(key);
      const size = sizeOf(key, page);
      if (!page.isCacheable || size > bytesMax / 8) return;
      for (const oldest of pages.keys()) {
        if (bytes + size <= bytesMax) break;
        remove(oldest);
      }
      bytes += size;
      pages.set(key, page);
    },
    get bytes() {
      return bytes;
    },
  };
}
