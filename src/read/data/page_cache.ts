/**
 * Pages in memory, bounded by bytes. A cached page may be old. It is served only if its data version is the one that
 * admission returned.
 *
 * @module
 */
import { LRUCache } from "lru-cache";
import type { Page } from "./build_page.ts";
import { type CompressedStart, compressStart } from "./compression.ts";

interface Entry {
  readonly page: Page;
  readonly bytes: number;
  compressed?: Promise<CompressedStart>;
}

/** Measured size of an entry without its texts: its objects, and the headers that its answers share. */
const ENTRY_OVERHEAD_BYTES = 1_536;
const COMPRESSED_OVERHEAD_BYTES = 256;
/** The share of the cache that one page may take. */
const PAGE_SHARE_MAX = 1 / 8;

/** Evicts the least recently used pages first. A page larger than an eighth of the cache is not cached. */
export class PageCache {
  readonly #entryBytesMax: number;
  readonly #entries: LRUCache<string, Entry>;

  constructor(bytesMax: number) {
    this.#entryBytesMax = bytesMax * PAGE_SHARE_MAX;
    this.#entries = new LRUCache({
      maxSize: bytesMax,
      maxEntrySize: this.#entryBytesMax,
      sizeCalculation: ({ bytes }) => bytes,
    });
  }

  get bytes(): number {
    return this.#entries.calculatedSize;
  }

  get(key: string): Page | undefined {
    return this.#entries.get(key)?.page;
  }

  /** A page older than the cached one is not stored. */
  set(key: string, page: Page): void {
    const known = this.#entries.peek(key)?.page;
    if (known !== undefined && known.dataVersion > page.dataVersion) return;
    const bytes = ENTRY_OVERHEAD_BYTES + textBytes(key) + textBytes(page.text);
    if (page.expiresMs > Date.now()) this.#entries.set(key, { page, bytes });
    else this.#entries.delete(key);
  }

  /** The compressed page, which all its readers share. It is cached, and counted, as long as the page is. */
  compressed(key: string, page: Page): Promise<CompressedStart> {
    const entry = this.#entries.peek(key);
    if (entry?.page !== page) return compressStart(page.text);
    entry.compressed ??= this.#compress(key, entry);
    return entry.compressed;
  }

  async #compress(key: string, entry: Entry): Promise<CompressedStart> {
    try {
      const start = await compressStart(entry.page.text);
      const bytes = entry.bytes + COMPRESSED_OVERHEAD_BYTES + start.bytes.length;
      const isKept = this.#entries.peek(key) === entry && bytes <= this.#entryBytesMax;
      if (isKept) this.#entries.set(key, { ...entry, bytes });
      else delete entry.compressed;
      return start;
    } catch (error) {
      delete entry.compressed;
      throw error;
    }
  }
}

/** In memory, a character takes one byte if all characters are ASCII, else two. */
function textBytes(text: string): number {
  return Buffer.byteLength(text, "utf8") === text.length ? text.length : 2 * text.length;
}
