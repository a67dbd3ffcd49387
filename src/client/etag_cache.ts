/**
 * Answers by their address, with their tags, so that what has not changed is neither sent nor charged again
 * (`If-None-Match`, RFC 9110 section 13). Bounded by characters; what was used least recently goes first.
 *
 * @module
 */

/** An answer that may still hold. */
export interface TaggedAnswer {
  readonly etag: string;
  readonly text: string;
}

/** Answers by their address. */
export class EtagCache {
  readonly #answers = new Map<string, TaggedAnswer>();
  readonly #charsMax: number;
  #chars = 0;

  /** @param charsMax characters of all answers together; 0 keeps none */
  constructor(charsMax: number) {
    this.#charsMax = charsMax;
  }

  /** The answer of an address, which is then the one that was used last. */
  find(url: string): TaggedAnswer | undefined {
    const found = this.#answers.get(url);
    if (found === undefined) return undefined;
    this.#answers.delete(url);
    this.#answers.set(url, found);
    return found;
  }

  /** Keeps an answer in place of an earlier one of its address. One that is larger than all the room is not kept. */
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
