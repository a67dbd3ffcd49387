/**
 * Pages in memory, bounded by bytes. A page is used only at the data version that admission returned,
 * so what is here can be old but is never shown old.
 *
 * @module
 */
import type { Page } from "./build_page.ts";
import { type CompressedStart, compressStart } from "./compression.ts";

interface Entry {
  readonly page: Page;
  bytes: number;
  compressed?: Promise<CompressedStart>;
}

/**
 * Of an entry beside its texts: its objects and the map's slot, 480 bytes as measured, and the headers that
 * its answers share, 880 with an address of usual length.
 */
const ENTRY_OVERHEAD_BYTES = 1_536;
const COMPRESSED_OVERHEAD_BYTES = 256;
/** Of the whole cache, what one page may take. */
const PAGE_SHARE_MAX = 1 / 8;

/** The least recently used pages go first. A page larger than an eighth of the cache is not kept. */
export class PageCache {
  readonly #bytesMax: number;
  /** The least recently used first. */
  readonly #entries = new Map<string, Entry>();
  /** The last that was put there, which need not be moved: many readers may want one page. */
  #newest: Entry | undefined;
  #bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get(key: string): Page | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    if (entry !== this.#newest) {
      this.#entries.delete(key);
      this.#append(key, entry);
    }
    return entry.page;
  }

  /** An older page than the one that is there is not kept. */
  set(key: string, page: Page): void {
    const known = this.#entries.get(key)?.page;
    if (known !== undefined && known.dataVersion > page.dataVersion) return;
    this.#remove(key);
    const size = ENTRY_OVERHEAD_BYTES + textBytes(key) + textBytes(page.text);
    if (!page.isCacheable || size > this.#bytesMax * PAGE_SHARE_MAX) return;
    this.#makeRoom(size);
    this.#bytes += size;
    this.#append(key, { page, bytes: size });
  }

  /** The page compressed, once for all its readers; kept and counted as long as the page is. */
  compressed(key: string, page: Page): Promise<CompressedStart> {
    const entry = this.#entries.get(key);
    if (entry?.page !== page) return compressStart(page.text);
    entry.compressed ??= this.#compressInto(key, entry);
    return entry.compressed;
  }

  async #compressInto(key: string, entry: Entry): Promise<CompressedStart> {
    try {
      const start = await compressStart(entry.page.text);
      const isKept = this.#grow(key, entry, COMPRESSED_OVERHEAD_BYTES + start.bytes.length);
      if (!isKept) delete entry.compressed;
      return start;
    } catch (error) {
      delete entry.compressed;
      throw error;
    }
  }

  /** Where the entry has gone meanwhile, or would become too large, what is added is not kept. */
  #grow(key: string, entry: Entry, size: number): boolean {
    const isTooLarge = entry.bytes + size > this.#bytesMax * PAGE_SHARE_MAX;
    if (this.#entries.get(key) !== entry || isTooLarge) return false;
    // Taken out while room is made, so that it does not make way for itself.
    this.#remove(key);
    entry.bytes += size;
    this.#makeRoom(entry.bytes);
    this.#append(key, entry);
    this.#bytes += entry.bytes;
    return true;
  }

  #append(key: string, entry: Entry): void {
    this.#entries.set(key, entry);
    this.#newest = entry;
  }

  #makeRoom(size: number): void {
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes + size <= this.#bytesMax) return;
      this.#remove(oldest);
    }
  }

  #remove(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#bytes -= entry.bytes;
    this.#entries.delete(key);
  }
}

/** In memory a character takes one byte where all are ASCII, else two. */
function textBytes(text: string): number {
  return Buffer.byteLength(text, "utf8") === text.length ? text.length : 2 * text.length;
}
