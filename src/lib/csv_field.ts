/**
 * Fields of CSV files (RFC 4180) that people open in a spreadsheet.
 *
 * @module
 */

/**
 * A text as a field. One that a spreadsheet would interpret as a formula gets an apostrophe prefix, which spreadsheets
 * don't show.
 */
export function csvField(value: string): string {
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Fields as a line, with its end. */
export function csvLine(fields: readonly string[]): string {
  return `${fields.join(",")}\r\n`;
}
