/**
 * A provider's schema that is not accepted, with a sentence for the provider.
 *
 * Thrown inside this folder only, out of ajv's callbacks and the recursion over the schema; the worker
 * turns it into the outcome `invalid_schema`.
 *
 * @module
 */
export class SchemaRefused extends Error {
  override readonly name = "SchemaRefused";
}
