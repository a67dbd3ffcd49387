// Files that pages need, as texts. The docs import some as files, and get a path.
declare module "*.css" {
  const text: string;
  export default text;
}
declare module "*.svg" {
  const text: string;
  export default text;
}
declare module "uplot/dist/uPlot.iife.min.js" {
  const text: string;
  export default text;
}
declare module "*/page_script.js" {
  const text: string;
  export default text;
}
declare module "*/search_script.js" {
  const text: string;
  export default text;
}
declare module "*/live_script.js" {
  const text: string;
  export default text;
}
