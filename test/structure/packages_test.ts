import { expect, test } from "bun:test";
import packageInfo from "../../package.json" with { type: "json" };

test("no install script runs but that of the pinned Bun, which puts its program in place", () => {
  // Without this list Bun trusts hundreds of packages, one of ours among them, which reports each install.
  expect(packageInfo.trustedDependencies).toEqual(["bun"]);
});
