/**
 * Pages in memory, bounded by bytes. A page is used only at the data version that admission returned,
 * so what is here can be old but is never shown old. Design, "The idea".
 *
 * @module
 */
import type { Page } from "./build_page.ts";
import { type CompressedStart, compressStart, type Encoding } from "./compression.ts";

export interface PageCache {
  get(key: string): Page | undefined;
  set(key: string, page: Page): void;
  /** The page compressed, once for all its readers; kept and counted as long as the page is. */
  compressed(key: string, page: Page, encoding: Encoding): Promise<CompressedStart>;
  readonly bytes: number;
}

interface Entry {
  readonly page: Page;
  bytes: number;
  readonly compressed: Map<Encoding, Promise<CompressedStart>>;
}

/** Of an entry beside its texts: its objects, the map's slot. Measured: 480 bytes. */
const ENTRY_OVERHEAD_BYTES = 512;
const COMPRESSED_OVERHEAD_BYTES = 256;
/** Of the whole cache, what one page may take. */
const PAGE_SHARE_MAX = 1 / 8;

/** The least recently used pages go first. A page larger than an eighth of the cache is not kept. */
export function createPageCache(bytesMax: number): PageCache {
  const entries = new Map<string, Entry>();
  let bytes = 0;

  function remove(key: string): void {
    const entry = entries.get(key);
    if (entry === undefined) return;
    bytes -= entry.bytes;
    entries.delete(key);
  }

  function makeRoom(size: number): void {
    for (const oldest of entries.keys()) {
      if (bytes + size <= bytesMax) return;
      remove(oldest);
    }
  }

  /** Where the entry has gone meanwhile, or would become too large, what is added is not kept. */
  function grow(key: string, entry: Entry, size: number): boolean {
    if (entries.get(key) !== entry || entry.bytes + size > bytesMax * PAGE_SHARE_MAX) return false;
    // Taken out while room is made, so that it does not make way for itself.
    remove(key);
    entry.bytes += size;
    makeRoom(entry.bytes);
    entries.set(key, entry);
    bytes += entry.bytes;
    return true;
  }

  async function compressInto(key: string, entry: Entry, encoding: Encoding) {
    try {
      const start = await compressStart(entry.page.text, encoding);
      const isKept = grow(key, entry, COMPRESSED_OVERHEAD_BYTES + start.bytes.length);
      if (!isKept) entry.compressed.delete(encoding);
      return start;
    } catch (error) {
      entry.compressed.delete(encoding);
      throw error;
    }
  }

  return {
    get(key) {
      const entry = entries.get(key);
      if (entry === undefined) return undefined;
      entries.delete(key);
      entries.set(key, entry);
      return entry.page;
    },
    set(key, page) {
      remove(key);
      const size = ENTRY_OVERHEAD_BYTES + textBytes(key) + textBytes(page.text);
      if (!page.isCacheable || size > bytesMax * PAGE_SHARE_MAX) return;
      makeRoom(size);
      bytes += size;
      entries.set(key, { page, bytes: size, compressed: new Map() });
    },
    compressed(key, page, encoding) {
      const entry = entries.get(key);
      if (entry?.page !== page) return compressStart(page.text, encoding);
      const known = entry.compressed.get(encoding);
      if (known !== undefined) return known;
      const made = compressInto(key, entry, encoding);
      entry.compressed.set(encoding, made);
      return made;
    },
    get bytes() {
      return bytes;
    },
  };
}

/** In memory a character takes one byte where all are ASCII, else two. */
function textBytes(text: string): number {
  return Buffer.byteLength(text, "utf8") === text.length ? text.length : 2 * text.length;
}
