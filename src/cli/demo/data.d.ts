// Rows of a demo feed, one JSON text a line, imported `with { type: "text" }`: in the binary, too.
declare module "*.ndjson" {
  const text: string;
  export default text;
}
