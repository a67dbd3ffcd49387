import { expect, test } from "bun:test";
import { shellWord } from "../../../src/lib/own_process.ts";

test("shellWord is one word of a shell, whatever the text", () => {
  for (const text of ["/a/b-c.d", "/my tools/$HOME", "it's", "", "a;b"]) {
    const { stdout } = Bun.spawnSync(["sh", "-c", `printf '%s|' ${shellWord(text)}`]);
    expect(stdout.toString()).toBe(`${text}|`);
  }
});
