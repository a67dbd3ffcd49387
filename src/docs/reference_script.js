// Starts Swagger UI on the server that the page came from, and jumps to the error that the address names.
const jump = () => {
  const asked =
    location.hash.startsWith("#errors") && document.getElementById(location.hash.slice(1));
  if (asked) asked.scrollIntoView();
};
const response = await fetch("docs/json");
const spec = await response.json();
// The public address may lie behind a proxy that this browser does not use.
spec.servers = [{ url: new URL(".", location.href).href.replace(/\/$/, "") }];
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
  onComplete: jump,
});
addEventListener("hashchange", jump);
