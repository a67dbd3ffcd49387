import { describe, expect, test } from "bun:test";
import { faultOfRedirect, isSameRedirect } from "../../src/oauth/redirect_address.ts";

const FAULTY = [
  "",
  "back",
  "/back",
  "//agent.example/back",
  "http://agent.example/back",
  "http://127.0.0.1.evil.example/back",
  "http://localhost.evil.example/back",
  "ftp://agent.example/back",
  "javascript:alert(1)",
  "data:text/html,x",
  "agent:back",
  "agent:/back",
  "agent://",
  "javascript://agent.example/%0aalert(1)",
  "JavaScript://agent.example/x",
  "data://agent.example/x",
  "file://agent.example/x",
  "ms-word://agent.example/x",
  "microsoft-edge://agent.example/x",
  "chrome-untrusted://agent.example/x",
  "sftp://agent.example/x",
  "shell://agent.example/x",
  "itms-services://agent.example/x",
  "cursor://agent;x/back",
  "cursor://user@agent/back",
  "cursor://agent/back#part",
  "com.example.app:/back#",
  "https://agent.example;script-src/back",
  "https://agent.example,b/back",
  "https:agent.example",
  "https:/agent.example",
  "https://",
  "https://user@agent.example/back",
  "https://user:secret@agent.example/back",
  "https://@agent.example/back",
  "https://agent.example/back#part",
  "https://agent.example/back#",
  "https://agent.example\\@evil.example/",
  "https://agent.example/a b",
  "https://agent.example/back\n",
  " https://agent.example/back",
  "https://agent.example/\u202e",
  "https://ägent.example/back",
  `https://agent.example/${"x".repeat(1_000)}`,
];

describe("redirect addresses", () => {
  for (const text of FAULTY) {
    test(`${JSON.stringify(text.slice(0, 60))} can't be registered`, () =>
      expect(faultOfRedirect(text)).toBeString());
  }

  test("https, the own machine and a program's own scheme can be registered", () => {
    for (const text of [
      "https://agent.example/back",
      "https://agent.example",
      "https://agent.example:8443/back?tenant=1",
      "http://127.0.0.1:33418/",
      "http://localhost/callback",
      "http://[::1]:8080/callback",
      "cursor://anysphere.cursor-mcp/oauth/callback",
      "vscode://agent/back",
      "com.example.app:/oauth2redirect",
      "com.example.app://callback",
    ]) {
      expect([text, faultOfRedirect(text)]).toEqual([text, undefined]);
    }
  });

  test("are compared character for character", () => {
    const registered = "https://agent.example/back?a=1";
    expect(isSameRedirect(registered, registered)).toBe(true);
    for (const asked of [
      "https://agent.example/back",
      "https://agent.example/back?a=1&b=2",
      "https://agent.example/back/?a=1",
      "https://agent.example/BACK?a=1",
      "https://agent.example/x/../back?a=1",
      "https://agent.example:443/back?a=1",
      "https://agent.example:8443/back?a=1",
      "https://www.agent.example/back?a=1",
      "https://agent.example.evil.example/back?a=1",
      "http://agent.example/back?a=1",
    ]) {
      expect([asked, isSameRedirect(registered, asked)]).toEqual([asked, false]);
    }
  });

  test("only the port of the own machine is free, RFC 8252, 7.3", () => {
    for (const host of ["127.0.0.1", "localhost", "[::1]"]) {
      const same = (asked: string) => isSameRedirect(`http://${host}/callback`, asked);
      expect(same(`http://${host}:49152/callback`)).toBe(true);
      expect(same(`http://${host}:49152/other`)).toBe(false);
      expect(same(`https://${host}:49152/callback`)).toBe(false);
      expect(same(`http://${host}:49152/callback?x=1`)).toBe(false);
    }
    expect(isSameRedirect("http://127.0.0.1/callback", "http://localhost/callback")).toBe(false);
    expect(isSameRedirect("https://localhost/callback", "https://localhost:1/callback")).toBe(
      false,
    );
  });
});
