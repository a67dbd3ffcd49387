import { describe, expect, test } from "bun:test";
import {
  judgeArchive,
  judgeCertificate,
  judgeClock,
  judgeConnections,
  judgeDisk,
  judgeLedgers,
  judgeMail,
  judgeReplica,
  judgeServer,
  judgeTopups,
  judgeTotals,
} from "../../src/operator/examine.ts";

const GIB = 1_024 ** 3;

describe("what an examination finds", () => {
  test("of the clock: the time of the question is no difference", () => {
    const asked = { startedMs: 10_000, endedMs: 15_000 };
    for (const serverMs of [9_000, 10_000, 12_000, 15_000, 17_000]) {
      expect([serverMs, judgeClock({ serverMs, ...asked }).health]).toEqual([serverMs, "ok"]);
    }
    expect(judgeClock({ serverMs: 7_900, ...asked })).toMatchObject({
      health: "low",
      found: "2.1 s ahead of the database",
    });
    expect(judgeClock({ serverMs: 75_000, ...asked }).found).toBe("60.0 s behind the database");
  });

  test("of the disk: a tenth is little, and less than the next segment of the WAL is none", () => {
    const of = (freeBytes: number) => judgeDisk({ freeBytes, usedBytes: 100 * GIB - freeBytes });
    expect(of(11 * GIB).health).toBe("ok");
    expect(of(9 * GIB)).toMatchObject({ health: "low", found: "9664 MB free (9 %)" });
    expect(of(15 * 1_024 ** 2).health).toBe("bad");
    expect(judgeDisk(undefined).health).toBe("ok");
  });

  test("of the server: its version, and whether it can be written to", () => {
    const server = {
      version: "18.4",
      version_number: 180_004,
      is_standby: false,
      now_seconds: 0,
      database_bytes: 12_300_000n,
    };
    expect(judgeServer(server)).toEqual({
      name: "database",
      health: "ok",
      found: "PostgreSQL 18.4, 12.3 MB",
    });
    const old = { ...server, version: "14.9", version_number: 140_009, database_bytes: null };
    expect(judgeServer(old)).toMatchObject({ health: "bad", found: "PostgreSQL 14.9" });
    expect(judgeServer({ ...server, is_standby: true }).health).toBe("bad");
  });

  test("of connections: whether all that the processes may open is given", () => {
    const room = { room: 97, open_count: 14 };
    expect(judgeConnections(room, 3)).toEqual({
      name: "connections",
      health: "ok",
      found: "PostgreSQL allows 97, enough for 3 processes; 14 open on the server",
    });
    expect(judgeConnections(room, 4)).toMatchObject({
      health: "low",
      hint: expect.stringContaining("24 per process of all gateways, plus 10"),
    });
    expect(judgeConnections({ room: 5, open_count: 1 }).found).toContain("enough for 0 processes");
  });

  test("of a certificate: its time and its name", () => {
    const certificate = {
      validFrom: "Nov  1 00:00:00 2026 GMT",
      validTo: "Dec 31 00:00:00 2026 GMT",
      checkHost: (name: string) => (name === "feeds.example.com" ? name : undefined),
      checkIP: (address: string) => (address === "::1" ? address : undefined),
    };
    const at = (time: string, baseUrl?: string) =>
      judgeCertificate(certificate, { baseUrl, nowMs: Date.parse(time) });
    expect(at("2026-11-25", "https://feeds.example.com/base").health).toBe("ok");
    expect(at("2026-11-25", "https://[::1]:3000").health).toBe("ok");
    expect(at("2026-11-25").health).toBe("ok");
    expect(at("2026-12-20").health).toBe("low");
    expect(at("2027-01-01")).toMatchObject({ health: "bad", hint: expect.any(String) });
    expect(at("2026-10-31").health).toBe("bad");
    expect(at("2026-11-25", "https://other.example.com").found).toContain("other.example.com");
  });

  test("of ledgers, totals and replica", () => {
    const wrong = { amount: 2n, detail: "one,two" };
    expect(judgeLedgers({ check: wrong, isComplete: true })).toMatchObject({
      health: "bad",
      found: "2 do not balance: one,two",
    });
    expect(judgeLedgers({ check: { amount: 0n, detail: "" }, isComplete: true }).health).toBe("ok");
    expect(judgeLedgers({ check: undefined, isComplete: false }).health).toBe("low");
    expect(judgeTotals(undefined).health).toBe("ok");
    expect(judgeArchive(undefined)).toMatchObject({ health: "ok", found: "not configured" });
    expect(judgeArchive({ amount: 0n, detail: "" }).health).toBe("ok");
    expect(judgeArchive({ amount: 1n, detail: "00000001000000000000000A" })).toMatchObject({
      health: "bad",
      found: expect.stringContaining("00000001000000000000000A"),
    });
    expect(judgeTopups(0n).health).toBe("ok");
    expect(judgeTopups(2n)).toMatchObject({
      health: "low",
      hint: expect.stringContaining("--alerts"),
    });
    expect(judgeMail(3n, 600).health).toBe("ok");
    expect(judgeMail(3n, 700)).toMatchObject({
      health: "low",
      found: "3 emails waiting, the oldest for 12 min",
    });
    expect(judgeTotals(300).health).toBe("ok");
    expect(judgeTotals(301)).toMatchObject({ health: "low", found: "301 s behind the usage log" });
    expect(judgeReplica(30).health).toBe("ok");
    expect(judgeReplica(31).health).toBe("low");
  });
});
