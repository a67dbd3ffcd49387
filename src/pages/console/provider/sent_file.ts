/**
 * A file that was uploaded with a form. A browser uploads a file only once, so the following forms contain it in hidden
 * fields, with all its bytes unchanged.
 *
 * @module
 */
import type { RowFile } from "../../../push/rows/read_file.ts";
import type { Form } from "../visit.ts";

export const FILE_NAME = "file_name";
export const FILE_BASE64 = "file_base64";

/** Whether a form has a file, or the fields of one. */
export function hasFile(form: Form): boolean {
  return form.file !== undefined || form.text(FILE_BASE64) !== "";
}

/** Undefined if no file was chosen. */
export async function fileOf(form: Form): Promise<RowFile | undefined> {
  const { file } = form;
  if (file !== undefined) {
    return { name: file.name, bytes: new Uint8Array(await file.arrayBuffer()) };
  }
  const base64 = form.text(FILE_BASE64);
  if (base64 === "") return undefined;
  return { name: form.text(FILE_NAME), bytes: new Uint8Array(Buffer.from(base64, "base64")) };
}

/** The hidden fields that hold a file. */
export function fieldsOfFile({ name, bytes }: RowFile): Form["fields"] {
  return [
    [FILE_NAME, name],
    [FILE_BASE64, Buffer.from(bytes).toString("base64")],
  ];
}
