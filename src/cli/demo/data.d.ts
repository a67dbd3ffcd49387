// Rows of a demo feed, one JSON text per line. `with { type: "text" }` also embeds them in the compiled executable.
declare module "*.ndjson" {
  const text: string;
  export default text;
}
