import { expect, test } from "bun:test";

test("idle schema workers do not keep the process alive", async () => {
  const script = `
    import { createRowSchemas } from "./src/push/schema/row_schemas.ts";
    const rowSchemas = createRowSchemas();
    const caller = { accountId: "a", signal: new AbortController().signal };
    const { kind } = await rowSchemas.validateRows("{}", ["1"], caller);
    console.log(kind, (await rowSchemas.checkSchema("{}", caller)).kind);`;
  const child = Bun.spawn([process.execPath, "-e", script], {
    cwd: Bun.fileURLToPath(new URL("../../../..", import.meta.url)),
    stdout: "pipe",
    timeout: 20_000,
  });
  expect(await child.exited).toBe(0);
  expect(await new Response(child.stdout).text()).toBe("valid valid\n");
});
