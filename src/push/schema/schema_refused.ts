/**
 * A provider's schema that is not accepted. Thrown only inside this folder. The worker turns it into an outcome.
 *
 * @module
 */
import { boundedPointer } from "../../lib/json_text.ts";

/** The message is a sentence for the provider, and `pointer` (RFC 6901) says where in the schema. */
export class SchemaRefused extends Error {
  override readonly name = "SchemaRefused";
  readonly pointer: string;

  constructor(message: string, pointer: string) {
    super(message);
    this.pointer = boundedPointer(pointer);
  }
}
