import { expect, test } from "bun:test";
import { readConfig } from "../../src/config.ts";
import { listenOn, publicAddress } from "../../src/http/listener.ts";

test("a port that the account may not listen on is reported as such", () => {
  const denied = () => {
    throw Object.assign(new Error("permission denied 127.0.0.1:80"), { code: "EACCES" });
  };
  const config = readConfig({ PORT: "80" });
  expect(() => listenOn(publicAddress(config), denied)).toThrow(
    /^this account may not listen on port 80: choose /,
  );
});
