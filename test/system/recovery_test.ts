/**
 * Recovery to a moment, by the commands of the deployment guide as printed, but for folders and the moment.
 */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { readConfig } from "../../src/config.ts";
import { createLog } from "../../src/lib/log.ts";
import { connect } from "../../src/postgres/client/connect.ts";
import { startGateway } from "../../src/server.ts";
import { countLogged } from "../support/account_checks.ts";
import { insertKey } from "../support/insert_key.ts";
import { HAS_OLD_POSTGRES, startOldPostgres } from "../support/other_postgres.ts";
import { seedFeed } from "../support/seed.ts";

const GUIDE = Bun.file(new URL("../../src/docs/guides/deploy.md", import.meta.url));

/** The blocks of a section, in its order. */
function blocksOf(guide: string, section: string, language: string): string[] {
  const text = guide.split(`## ${section}\n`)[1]?.split("\n## ")[0] ?? "";
  return [...text.matchAll(new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, "gs"))].map(
    ([, block = ""]) => block,
  );
}

test.skipIf(!HAS_OLD_POSTGRES)(
  "a database goes back to the moment before a mistake, with each usage id and credit of then",
  async () => {
    const guide = await GUIDE.text();
    const [setUp = "", goBack = ""] = blocksOf(guide, "Point-in-time recovery", "sh");
    const [renew = ""] = blocksOf(guide, "After a failover that lost commits", "sql");
    const postgres = startOldPostgres();
    const here = (script: string) =>
      script
        .replaceAll("/var/lib/postgresql/18/main", postgres.dataDir)
        .replaceAll("/backups", join(postgres.folder, "backups"));
    try {
      postgres.runScript(here(setUp));
      const start = () =>
        startGateway(
          readConfig({ PORT: "0", DATABASE_URL: postgres.url }),
          createLog({ level: "silent" }),
          { closingNoticeMs: 0 },
        );
      let sql = connect({ url: postgres.url }, { connectionsMax: 1, statementTimeoutMs: 0 });
      let gateway = await start();
      const [account] = await sql`
        insert into accounts (name, max_feeds_allowed) values ('Acme', 10) returning account_id`;
      const [readKey, writeKey] = [
        await insertKey(sql, account?.account_id, "read"),
        await insertKey(sql, account?.account_id, "write"),
      ];
      const rows = [{ id: 1, name: "kept" }];
      const { feedId } = await seedFeed({ sql }, account?.account_id, { type: "collection", rows });
      const read = async () => {
        const response = await fetch(`${gateway.baseUrl}/v1/feed/${feedId}`, {
          headers: { "x-api-key": readKey },
        });
        const body = (await response.json()) as { data: unknown; _origin: { usage_id: string } };
        return { data: body.data, usageId: body._origin.usage_id };
      };
      const before = await read();
      const [moment] = await sql`select clock_timestamp()::text as now`;
      const mistake = await fetch(`${gateway.baseUrl}/v1/provider/feed/${feedId}/push`, {
        method: "POST",
        headers: { Authorization: `Bearer ${writeKey}`, "Content-Type": "application/json" },
        body: JSON.stringify({ payload: [{ id: 1, name: "a mistake" }] }),
      });
      expect(mistake.status).toBe(200);
      const after = await read();
      expect(after.data).toEqual([{ id: 1, name: "a mistake" }]);
      await gateway.stop();
      await sql.end();

      const script = here(goBack).replace("2026-11-25 10:00:00+00", moment?.now);
      expect(script).toContain(moment?.now);
      postgres.runScript(script);
      postgres.runScript(`psql postgres <<'END'\n${renew}\nEND`);
      gateway = await start();
      sql = connect({ url: postgres.url }, { connectionsMax: 1, statementTimeoutMs: 0 });
      expect((await read()).data).toEqual(rows);
      expect(await countLogged(sql, [before.usageId])).toBe(1);
      expect(await countLogged(sql, [after.usageId])).toBe(0);
      await gateway.stop();
      await sql.end();
    } finally {
      postgres.stop();
    }
  },
);
