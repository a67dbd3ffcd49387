import { describe, expect, test } from "bun:test";
import { Webhook } from "standardwebhooks";
import { NoticeSignatureError, verifyNotice } from "../../src/client/mod.ts";

const secret = `whsec_${Buffer.from("a secret of at least 24 bytes").toString("base64")}`;
const other = `whsec_${Buffer.from("another one of that length too").toString("base64")}`;
const body = '{"type":"feed.updated","timestamp":"2026-01-15T09:30:00Z","data":{"data_version":7}}';

function headersOf(secrets: readonly string[], sentMs = Date.now(), signed = body): Headers {
  const sentAt = new Date(sentMs);
  return new Headers({
    "webhook-id": "id",
    "webhook-timestamp": String(Math.floor(sentMs / 1_000)),
    "webhook-signature": secrets
      .map((each) => new Webhook(each).sign("id", sentAt, signed))
      .join(" "),
  });
}

describe("verifyNotice", () => {
  test("resolves with a notice that Standard Webhooks has signed, also during a rotation", async () => {
    const notice = {
      id: "id",
      type: "feed.updated",
      timestamp: "2026-01-15T09:30:00Z",
      data: { data_version: 7 },
    };
    expect(await verifyNotice({ secret, body, headers: headersOf([secret]) })).toEqual(notice);
    const rotated = headersOf([other, secret]);
    expect(await verifyNotice({ secret, body, headers: rotated })).toEqual(notice);
  });

  test("refuses what is changed, old, unsigned or signed by another secret", async () => {
    const changed = body.replace("7", "8");
    for (const notice of [
      { secret, body: changed, headers: headersOf([secret]) },
      { secret: other, body, headers: headersOf([secret]) },
      { secret, body, headers: headersOf([secret], Date.now() - 6 * 60_000) },
      { secret, body, headers: headersOf([secret], Date.now() + 6 * 60_000) },
      { secret, body, headers: new Headers() },
      { secret: "whsec_ä", body, headers: headersOf([secret]) },
    ]) {
      const refused = await verifyNotice(notice).catch((error) => error);
      expect(refused).toBeInstanceOf(NoticeSignatureError);
    }
  });
});
