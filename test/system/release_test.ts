/**
 * This program on what releases have left behind: their data folders, and their backups. `bun run fixture` makes both
 * (`test/release/make.ts`).
 *
 * @module
 */

import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { linesOf, runFeedgate } from "../cli/support.ts";
import {
  RELEASES,
  type Release,
  readRelease,
  releaseFiles,
  unpackRelease,
} from "../release/scene.ts";
import { temporaryFolder } from "../support/folders.ts";
import { serveGateway } from "../support/served_gateway.ts";

/** A command takes the beginning of a key that `key list` shows. */
const KEY_START_CHARS = 12;

/** All that must work on it, `isSame` if cursors of the release are still good. */
async function expectServed(
  dataDir: string,
  release: Release,
  { isSame }: { isSame: boolean },
): Promise<void> {
  const serving = await serveGateway(["serve", "--data-dir", dataDir], {});
  try {
    const read = async (path: string) => {
      const response = await fetch(serving.baseUrl + path, {
        headers: { "x-api-key": release.readKey },
      });
      return { status: response.status, body: await response.json() };
    };
    expect((await fetch(`${serving.baseUrl}/readyz`)).status).toBe(200);
    const command = async (...argv: readonly string[]) => {
      const said = await runFeedgate([...argv, "--json", "--data-dir", dataDir], {});
      expect([argv, said.code, linesOf(said.stderr)]).toEqual([argv, 0, []]);
      return JSON.parse(said.stdout);
    };
    const shown = await command("account", "show", release.accountId);
    expect(shown).toMatchObject({
      balance_credits: release.balanceCredits,
      ledger: { is_balanced: true },
    });
    for (const [slug, { id, data, cursor }] of Object.entries(release.feeds)) {
      const page = await read(`/v1/feed/${slug}`);
      expect([slug, page]).toMatchObject([slug, { status: 200, body: { data } }]);
      expect((await read(`/v1/feed/${id}/metadata`)).status).toBe(200);
      const found = await read(`/v1/search?q=${slug.replace("-", "+")}`);
      expect(found.body).toMatchObject({
        results: expect.arrayContaining([expect.objectContaining({ endpoint_path: slug })]),
      });
      if (cursor === undefined) continue;
      const next = await read(`/v1/feed/${slug}?cursor=${encodeURIComponent(cursor)}`);
      expect([slug, next]).toMatchObject(
        isSame && Array.isArray(data)
          ? [slug, { status: 200, body: { data: data.slice(1) } }]
          : [slug, { status: 400, body: { code: "CURSOR_INVALID" } }],
      );
    }
    const rows: Record<string, unknown> = {
      "old-rates": [{ id: "JPY", rate: 160.2 }],
      "old-status": { state: "newer" },
      "old-events": [{ id: "third", kind: "storm" }],
    };
    for (const [slug, body] of Object.entries(rows)) {
      const id = release.feeds[slug]?.id;
      const pushed = await fetch(`${serving.baseUrl}/v1/provider/feed/${id}/push`, {
        method: "POST",
        headers: {
          "Content-Type": "application/json",
          Authorization: `Bearer ${release.writeKey}`,
        },
        body: JSON.stringify(body),
      });
      expect([slug, pushed.status]).toEqual([slug, 200]);
      expect((await read(`/v1/feed/${slug}`)).status).toBe(200);
    }
    const rotated = await command("key", "rotate", release.readKey.slice(0, KEY_START_CHARS));
    expect(rotated.key).toStartWith("fg_read_");
    expect(await command("account", "show", release.accountId)).toMatchObject({
      ledger: { is_balanced: true },
    });
    await command("report", "revenue");
    await command("audit");
  } finally {
    await serving.stop();
  }
}

describe.each(RELEASES)("what %s has left behind", (version) => {
  const release = readRelease(version);

  test("its data folder is served: its rows, keys, balance and cursors are there, and it goes on", () =>
    expectServed(unpackRelease(version), release, { isSame: true }));

  test("its backup is restored and served", async () => {
    const dataDir = join(temporaryFolder(), "data");
    const { backup } = releaseFiles(version);
    const restored = await runFeedgate(["restore", backup, "--data-dir", dataDir], {});
    expect([restored.code, restored.stderr]).toEqual([0, ""]);
    await expectServed(dataDir, release, { isSame: false });
  });
});
