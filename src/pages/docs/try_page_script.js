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

const response = await fetch("json");
const spec = await response.json();
// Swagger UI resolves the whole document for each operation that is opened. Most of it is examples of errors, with which
// that takes twice as long; the reference shows them.
for (const operation of Object.values(spec.paths).flatMap(Object.values)) {
  for (const [status, answer] of Object.entries(operation.responses)) {
    if (Number(status) >= 400) delete answer.content;
  }
}
// The public address may lie behind a proxy that this browser does not use.
spec.servers = [{ url: new URL("..", location.href).href.replace(/\/$/, "") }];
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
