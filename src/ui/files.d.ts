// Files that pages need, imported `with { type: "file" }`: where Bun finds them, in the executable, too.
declare module "*.css" {
  const path: string;
  export default path;
}
declare module "*.svg" {
  const path: string;
  export default path;
}
declare module "uplot/dist/uPlot.iife.min.js" {
  const path: string;
  export default path;
}
declare module "*/page_script.js" {
  const path: string;
  export default path;
}
