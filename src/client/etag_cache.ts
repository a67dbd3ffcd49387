/**
 * Answers by address, with their tags, so that an unchanged answer is neither sent nor charged again (`If-None-Match`,
 * RFC 9110 section 13). Bounded by characters. The least recently used answer is evicted first.
 *
 * @module
 */

/** A cached answer that may still be current. */
export interface TaggedAnswer {
  readonly etag: string;
  readonly text: string;
}

/** Answers by address. */
export class EtagCache {
  readonly #answers = new Map<string, TaggedAnswer>();
  readonly #charsMax: number;
  #chars = 0;

  /** @param charsMax characters of all answers together; 0 disables the cache */
  constructor(charsMax: number) {
    this.#charsMax = charsMax;
  }

  /** The answer of an address, which becomes the most recently used one. */
  find(url: string): TaggedAnswer | undefined {
    const found = this.#answers.get(url);
    if (found === undefined) return undefined;
    this.#answers.delete(url);
    this.#answers.set(url, found);
    return found;
  }

  /** Stores an answer, replacing an earlier one of its address. An answer larger than the whole cache is not stored. */
  keep(url: string, answer: TaggedAnswer): void {
    this.#drop(url);
    if (answer.text.length > this.#charsMax) return;
    this.#answers.set(url, answer);
    this.#chars += answer.text.length;
    for (const oldest of this.#answers.keys()) {
      if (this.#chars <= this.#charsMax) return;
      this.#drop(oldest);
    }
  }

  #drop(url: string): void {
    this.#chars -= this.#answers.get(url)?.text.length ?? 0;
    this.#answers.delete(url);
  }
}
