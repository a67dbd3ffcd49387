// Files that the docs serve, imported `with { type: "file" }`: where Bun finds them, in the binary too.
declare module "*/swagger-ui-bundle.js" {
  const path: string;
  export default path;
}
declare module "*/try_page_script.js" {
  const path: string;
  export default path;
}
declare module "*/docs_script.js" {
  const path: string;
  export default path;
}
// The guides.
declare module "*.md" {
  const text: string;
  export default text;
}
declare module "*.png" {
  const path: string;
  export default path;
}
