// Files of swagger-ui-dist, imported `with { type: "file" }`: where Bun finds them, in the binary too.
declare module "swagger-ui-dist/swagger-ui-bundle.js" {
  const path: string;
  export default path;
}
declare module "swagger-ui-dist/swagger-ui.css" {
  const path: string;
  export default path;
}
declare module "swagger-ui-dist/favicon-32x32.png" {
  const path: string;
  export default path;
}
// The guides.
declare module "*.md" {
  const text: string;
  export default text;
}
