// Starts Swagger UI on the server that the page came from.

// What Swagger UI draws lacks names for screen readers, keeps the keyboard from what scrolls, and has a main part within
// ours. It draws anew whenever something is opened.
const mend = () => {
  for (const part of api.querySelectorAll("main")) part.setAttribute("role", "presentation");
  for (const list of api.querySelectorAll("select:not([aria-label])")) {
    const isExample = list.className === "examples-select-element";
    list.setAttribute("aria-label", isExample ? "Example" : "Value");
  }
  for (const box of api.querySelectorAll("textarea:not([aria-label])")) {
    box.setAttribute("aria-label", "Body");
  }
  for (const code of api.querySelectorAll("pre:not([tabindex])")) code.tabIndex = 0;
  // A link within the button that opens the operation, and does no more than that.
  for (const link of api.querySelectorAll("button a[href]")) link.removeAttribute("href");
};
const api = document.querySelector("#api");
new MutationObserver(mend).observe(api, { childList: true, subtree: true });

// Swagger UI resolves the whole document for each operation that is opened, which takes seconds. It gets the operations
// of this page and their schemas, without webhooks, which can't be called, and examples of errors, which the reference
// shows.
const root = new URL(`${api.dataset.root}/`, location.href);
const response = await fetch(new URL("docs/json", root));
const { webhooks: _, ...spec } = await response.json();
const operations = new Set(api.dataset.operations.split(" "));
for (const [path, methods] of Object.entries(spec.paths)) {
  for (const [method, operation] of Object.entries(methods)) {
    if (!operations.has(operation.operationId)) delete methods[method];
    for (const [status, answer] of Object.entries(operation.responses)) {
      if (Number(status) >= 400) delete answer.content;
    }
  }
  if (Object.keys(methods).length === 0) delete spec.paths[path];
}
const tags = new Set(
  Object.values(spec.paths)
    .flatMap(Object.values)
    .flatMap(({ tags }) => tags),
);
spec.tags = spec.tags.filter(({ name }) => tags.has(name));
const schemas = {};
const keep = (part) => {
  for (const [, name] of JSON.stringify(part).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
    if (name in schemas) continue;
    schemas[name] = spec.components.schemas[name];
    keep(schemas[name]);
  }
};
keep(spec.paths);
spec.components.schemas = schemas;
// The public address may lie behind a proxy that this browser does not use.
spec.servers = [{ url: root.href.replace(/\/$/, "") }];
SwaggerUIBundle({
  spec,
  dom_id: "#api",
  deepLinking: true,
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  docExpansion: "list",
  persistAuthorization: false,
  tryItOutEnabled: false,
  validatorUrl: null,
});
