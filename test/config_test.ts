import { describe, expect, test } from "bun:test";
import { isIP } from "node:net";
import { type ConfigError, listenerUrl, readConfig, signUpWarning } from "../src/config.ts";
import { networkList } from "../src/lib/network_list.ts";

function mistakesOf(environment: Record<string, string>): readonly string[] {
  try {
    readConfig(environment);
    return [];
  } catch (error) {
    return (error as ConfigError).mistakes;
  }
}

describe("readConfig: names", () => {
  test("a variable that is nearly one of ours is named with ours; others are left alone", () => {
    const { warnings } = readConfig({
      FEEDGATE_BASEURL: "https://h",
      FEEDGATE_READ_LIMIT_FRE: "5",
      FEEDGATE_PORT: "80",
      FEEDGATE_RAED_LIMIT: "5",
      FEEDGATE_READ_LIMIT: "5",
      FEEDGATE_READ_KEY: "fg_read_x",
      FEEDGATE_ROWS: "5",
      BASE_URL: "x",
    });
    expect(warnings).toEqual([
      "Feedgate has no variable FEEDGATE_BASEURL. Did you mean FEEDGATE_BASE_URL?",
      "Feedgate has no variable FEEDGATE_PORT. Did you mean PORT?",
      "Feedgate has no variable FEEDGATE_RAED_LIMIT. Did you mean FEEDGATE_READ_LIMIT_FREE or FEEDGATE_READ_LIMIT_PAID?",
      "Feedgate has no variable FEEDGATE_READ_LIMIT. Did you mean FEEDGATE_READ_LIMIT_FREE or FEEDGATE_READ_LIMIT_PAID?",
      "Feedgate has no variable FEEDGATE_READ_LIMIT_FRE. Did you mean FEEDGATE_READ_LIMIT_FREE?",
    ]);
    expect(readConfig({ FEEDGATE_ROWS: "5" }).warnings).toEqual([]);
  });
});

describe("readConfig: addresses", () => {
  test.each([
    ["https://feeds.example.com/", "https://feeds.example.com"],
    ["http://feeds.example.com:8080/base/", "http://feeds.example.com:8080/base"],
    ["http://[::1]:3000", "http://[::1]:3000"],
  ])("FEEDGATE_BASE_URL %j is %j", (given, used) => {
    expect(readConfig({ FEEDGATE_BASE_URL: given }).baseUrl).toBe(used);
  });

  test.each(['http://a b,"', "http://", "ftp://example.com", "postgres://a,b/c", "example.com"])(
    "%j is no address of the gateway, and none to bill at",
    (given) => {
      for (const name of ["FEEDGATE_BASE_URL", "FEEDGATE_BILLING_URL"]) {
        expect(mistakesOf({ [name]: given })).toEqual([expect.stringContaining(name)]);
      }
    },
  );

  test("other addresses are put behind the base URL, so it ends with its path; where to pay may go on", () => {
    for (const given of ["https://example.com/?x=1", "https://example.com/base#f"]) {
      expect(mistakesOf({ FEEDGATE_BASE_URL: given })).toHaveLength(1);
      expect(readConfig({ FEEDGATE_BILLING_URL: given }).billingUrl).toBe(given);
    }
  });

  test("an address that becomes a header holds no blank and no line break; one that is blank is absent", () => {
    for (const given of ["https://h\n", "https://h ", "https://h/\u0001"]) {
      for (const name of ["FEEDGATE_BASE_URL", "FEEDGATE_BILLING_URL"]) {
        expect(mistakesOf({ [name]: given })).toEqual([
          `${name} must not contain spaces or line breaks`,
        ]);
      }
    }
    expect(readConfig({ FEEDGATE_BASE_URL: " ", FEEDGATE_DATA_DIR: " " })).toMatchObject({
      baseUrl: undefined,
      dataDir: ".feedgate",
    });
  });

  test("a % that begins no escape, and a port that is none, are named, without the address", () => {
    for (const name of ["DATABASE_URL", "DATABASE_READ_URL"]) {
      const others = name === "DATABASE_URL" ? {} : { DATABASE_URL: "postgres://h/d" };
      expect(mistakesOf({ ...others, [name]: "postgres://u:50%off@a,b/d" })).toEqual([
        `${name} contains a % that is not part of an escape: in a password, write % as %25`,
      ]);
    }
    expect(mistakesOf({ DATABASE_URL: "postgres://u:p@h:99999/d" })).toEqual([
      "DATABASE_URL is not a valid address: check its host and port",
    ]);
  });

  test("PostgreSQL's may come with the line break that a file of secrets ends with", () => {
    const { databaseUrl } = readConfig({ DATABASE_URL: "postgres://u:p@h/d\n" });
    expect(databaseUrl).toBe("postgres://u:p@h/d");
  });

  test("only PostgreSQL's may name several hosts", () => {
    const several = "postgres://a:5432,b:5433/feedgate";
    expect(readConfig({ DATABASE_URL: several }).databaseUrl).toBe(several);
    expect(mistakesOf({ DATABASE_URL: "http://a,b/feedgate" })).toHaveLength(1);
  });
});

test("listenerUrl brackets an address of IPv6, once", () => {
  const at = (host: string) => listenerUrl({ tls: undefined, host, port: 3000 });
  expect(at("::1")).toBe("http://[::1]:3000");
  expect(at("[::1]")).toBe("http://[::1]:3000");
  expect(at("127.0.0.1")).toBe("http://127.0.0.1:3000");
  // Nobody can call all addresses at once.
  expect(at("0.0.0.0")).toBe("http://127.0.0.1:3000");
  expect(at("::")).toBe("http://[::1]:3000");
  expect(at("[::]")).toBe("http://[::1]:3000");
});

test("the operator's listener has a port of its own, and its host none without it", () => {
  expect(readConfig({}).admin).toBeUndefined();
  expect(readConfig({ FEEDGATE_ADMIN_PORT: "9000" }).admin).toEqual({
    host: "127.0.0.1",
    port: 9000,
  });
  expect(mistakesOf({ FEEDGATE_ADMIN_HOST: "10.0.0.1" })).toEqual([
    "FEEDGATE_ADMIN_HOST requires FEEDGATE_ADMIN_PORT",
  ]);
  expect(mistakesOf({ FEEDGATE_ADMIN_PORT: "3000" })).toEqual([
    "FEEDGATE_ADMIN_PORT must differ from PORT (3000)",
  ]);
  expect(mistakesOf({ FEEDGATE_METRICS_TOKEN: "short" })).toEqual([
    "FEEDGATE_METRICS_TOKEN must have at least 16 characters, got 5",
  ]);
});

describe("readConfig: trusted proxies", () => {
  const read = (networks: string) =>
    readConfig({ FEEDGATE_TRUSTED_PROXIES: networks }).trustedProxies;
  // As a supervisor sends it to a worker.
  const listed = (networks: string) => networkList(structuredClone(read(networks) ?? []));

  test("they are addresses and networks, and none by default", () => {
    expect(readConfig({}).trustedProxies).toBeUndefined();
    expect(read(" ")).toBeUndefined();
    const list = listed("10.0.0.1, 192.0.2.0/24,2001:db8::1 ,fd00::/8");
    const trusts = (address: string) => list.check(address, isIP(address) === 4 ? "ipv4" : "ipv6");
    for (const address of ["10.0.0.1", "192.0.2.255", "2001:db8::1", "fd12::1"]) {
      expect([address, trusts(address)]).toEqual([address, true]);
    }
    for (const address of ["10.0.0.2", "192.0.3.0", "2001:db8::2", "fe80::1"]) {
      expect([address, trusts(address)]).toEqual([address, false]);
    }
  });

  test.each([
    "localhost",
    "10.0.0",
    "10.0.0.1:80",
    "[::1]",
    "fe80::1%eth0",
    "10.0.0.0/8/8",
    "/8",
    "*",
    "10.0.0.1 10.0.0.2",
  ])("%j is neither", (network) => {
    expect(mistakesOf({ FEEDGATE_TRUSTED_PROXIES: network })).toEqual([
      `FEEDGATE_TRUSTED_PROXIES must be IP addresses and networks such as 10.0.0.0/8, separated by commas, got "${network}"`,
    ]);
  });

  test("each mistake is named", () => {
    expect(
      mistakesOf({
        FEEDGATE_TRUSTED_PROXIES: "10.0.0.0/33,10.0.0.0/08,::1/129,::1/,10.0.0.1,0.0.0.0/0,",
      }),
    ).toEqual([
      'FEEDGATE_TRUSTED_PROXIES must have a prefix length from 1 to 32 in an IPv4 network, got "10.0.0.0/33"',
      'FEEDGATE_TRUSTED_PROXIES must have a prefix length from 1 to 32 in an IPv4 network, got "10.0.0.0/08"',
      'FEEDGATE_TRUSTED_PROXIES must have a prefix length from 1 to 128 in an IPv6 network, got "::1/129"',
      'FEEDGATE_TRUSTED_PROXIES must have a prefix length from 1 to 128 in an IPv6 network, got "::1/"',
      'FEEDGATE_TRUSTED_PROXIES can\'t trust all addresses, because callers could forge theirs, got "0.0.0.0/0"',
      'FEEDGATE_TRUSTED_PROXIES must be IP addresses and networks such as 10.0.0.0/8, separated by commas, got ""',
    ]);
  });
});

test("FEEDGATE_BILLING_TEXT may be a page long", () => {
  expect(readConfig({ FEEDGATE_BILLING_TEXT: "a\n\nb" }).billingText).toBe("a\n\nb");
  expect(mistakesOf({ FEEDGATE_BILLING_TEXT: "x".repeat(4_001) })).toEqual([
    "FEEDGATE_BILLING_TEXT must have at most 4000 characters",
  ]);
});

describe("readConfig: x402", () => {
  const X402 = {
    FEEDGATE_X402_PAY_TO: `0x${"0f".repeat(20)}`,
    FEEDGATE_X402_NETWORK: "eip155:8453",
    FEEDGATE_X402_FACILITATOR_URL: "https://facilitator.example.org/v2/",
    FEEDGATE_X402_RPC_URL: "https://node.example.org/key",
  };

  test("without more, it is USDC of the network and three confirmations", () => {
    expect(readConfig(X402).topups?.x402).toEqual({
      payTo: X402.FEEDGATE_X402_PAY_TO,
      network: "eip155:8453",
      asset: {
        address: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
        name: "USD Coin",
        version: "2",
      },
      facilitatorUrl: "https://facilitator.example.org/v2",
      facilitatorToken: undefined,
      rpcUrl: X402.FEEDGATE_X402_RPC_URL,
      confirmations: 3,
      waitMs: 20_000,
    });
  });

  test("another network needs its token, and settings beside x402 need x402", () => {
    const elsewhere = { ...X402, FEEDGATE_X402_NETWORK: "eip155:5" };
    expect(mistakesOf(elsewhere)).toEqual([
      expect.stringContaining("FEEDGATE_X402_NETWORK is eip155:5, whose USDC address is unknown"),
    ]);
    const asset = { FEEDGATE_X402_ASSET: `0x${"aa".repeat(20)},My Dollar,1` };
    expect(readConfig({ ...elsewhere, ...asset }).topups?.x402?.asset).toEqual({
      address: `0x${"aa".repeat(20)}`,
      name: "My Dollar",
      version: "1",
    });
    expect(mistakesOf(asset)).toEqual([
      "FEEDGATE_X402_ASSET can be set only with FEEDGATE_X402_PAY_TO, FEEDGATE_X402_NETWORK, FEEDGATE_X402_FACILITATOR_URL",
    ]);
  });

  test("what can't be used is named", () => {
    expect(
      mistakesOf({
        ...X402,
        FEEDGATE_X402_PAY_TO: `0x${"00".repeat(20)}`,
        FEEDGATE_X402_NETWORK: "base",
        FEEDGATE_X402_CONFIRMATIONS: "0",
        FEEDGATE_X402_ASSET: "USDC",
      }),
    ).toEqual([
      expect.stringContaining("FEEDGATE_X402_PAY_TO must be an address"),
      expect.stringContaining("FEEDGATE_X402_NETWORK must be a CAIP-2 id"),
      expect.stringContaining("FEEDGATE_X402_CONFIRMATIONS must be an integer from 1 to 300"),
      expect.stringContaining("FEEDGATE_X402_ASSET must be an address, a name and a version"),
    ]);
    const { FEEDGATE_X402_FACILITATOR_URL: _, ...rest } = X402;
    expect(mistakesOf(rest)).toEqual([expect.stringMatching(/^set all of .*, or none$/)]);
  });

  test("without a node of one's own, it is the network's public one, if that is known", () => {
    const { FEEDGATE_X402_RPC_URL: _, ...three } = X402;
    expect(readConfig(three).topups?.x402?.rpcUrl).toBe("https://mainnet.base.org");
    expect(mistakesOf({ ...three, FEEDGATE_X402_NETWORK: "eip155:137" })).toEqual([
      "FEEDGATE_X402_NETWORK is eip155:137, which has no known public node: also set FEEDGATE_X402_RPC_URL",
    ]);
  });
});

describe("readConfig: OpenID Connect", () => {
  const OIDC = {
    FEEDGATE_OIDC_ISSUER: "https://id.example.com/realms/acme",
    FEEDGATE_OIDC_CLIENT_ID: "feedgate",
    FEEDGATE_OIDC_CLIENT_SECRET: "SECRET\n",
  };

  test("is off by default, and needs an issuer, a client and its secret", () => {
    expect(readConfig({}).oidc).toBeUndefined();
    expect(readConfig(OIDC).oidc).toEqual({
      issuer: OIDC.FEEDGATE_OIDC_ISSUER,
      clientId: "feedgate",
      clientSecret: "SECRET",
      name: "id.example.com",
    });
    for (const name of Object.keys(OIDC)) {
      expect(mistakesOf({ ...OIDC, [name]: " " })).toEqual([
        "set all of FEEDGATE_OIDC_ISSUER, FEEDGATE_OIDC_CLIENT_ID, FEEDGATE_OIDC_CLIENT_SECRET, or none",
      ]);
    }
    expect(mistakesOf({ FEEDGATE_OIDC_NAME: "Acme" })).toEqual([
      expect.stringContaining("FEEDGATE_OIDC_NAME requires FEEDGATE_OIDC_ISSUER"),
    ]);
  });

  test("the name on the button is one short line", () => {
    expect(readConfig({ ...OIDC, FEEDGATE_OIDC_NAME: " Bücher & Co " }).oidc?.name).toBe(
      "Bücher & Co",
    );
    for (const name of ["two\nlines", "a\u202eb", "x".repeat(41)]) {
      expect(mistakesOf({ ...OIDC, FEEDGATE_OIDC_NAME: name })).toEqual([
        "FEEDGATE_OIDC_NAME must be a single line of at most 40 characters",
      ]);
    }
  });

  test.each([
    "https://accounts.google.com",
    "https://tenant.auth0.com/",
    "http://localhost:8080/realms/x",
    "http://127.0.0.1:9000",
    "http://[::1]:9000",
  ])("%j is an issuer, as it is written", (issuer) => {
    expect(readConfig({ ...OIDC, FEEDGATE_OIDC_ISSUER: issuer }).oidc?.issuer).toBe(issuer);
  });

  test.each([
    "accounts.google.com",
    "ftp://id.example.com",
    "http://id.example.com",
    "http://10.0.0.1",
    "http://localhost.example.com",
    "https://id.example.com/?tenant=x",
    "https://id.example.com/#x",
    "https://user:SECRET@id.example.com",
    "https://id.exa mple.com",
    "https://id.example.com:99999",
  ])("%j is none", (issuer) => {
    expect(mistakesOf({ ...OIDC, FEEDGATE_OIDC_ISSUER: issuer })).toEqual([
      expect.stringMatching(/^FEEDGATE_OIDC_ISSUER (?!.*SECRET)/),
    ]);
  });

  test("is enough for people to join without mail", () => {
    const warningOf = (environment: Record<string, string>) =>
      signUpWarning(readConfig({ ...environment, FEEDGATE_SIGN_UP: "open" }));
    expect(warningOf(OIDC)).toBeUndefined();
    expect(warningOf({})).toContain("FEEDGATE_OIDC_ISSUER");
  });
});

describe("readConfig: mail", () => {
  const MAIL = {
    FEEDGATE_SMTP_URL: "smtp://feeds%40example.com:s%2Fecret@smtp.example.com:587",
    FEEDGATE_MAIL_FROM: "Example Feeds <feeds@example.com>",
  };

  test("is off by default, and needs a server and a sender", () => {
    expect(readConfig({}).mail).toBeUndefined();
    expect(readConfig(MAIL).mail).toEqual({
      smtpUrl: MAIL.FEEDGATE_SMTP_URL,
      from: { name: "Example Feeds", address: "feeds@example.com" },
    });
    for (const [name, value] of Object.entries(MAIL)) {
      expect(mistakesOf({ [name]: value })).toEqual([
        "set both FEEDGATE_SMTP_URL and FEEDGATE_MAIL_FROM, or neither",
      ]);
    }
  });

  test.each([
    "smtp://localhost",
    "smtp://localhost:25/",
    "smtps://u:p@[::1]:465",
    "smtps://u:p@smtp.example.com\n",
  ])("%j is a mail server", (url) => {
    expect(readConfig({ ...MAIL, FEEDGATE_SMTP_URL: url }).mail).toMatchObject({
      smtpUrl: url.trim(),
    });
  });

  test.each([
    "smtp.example.com",
    "http://u:SECRET@smtp.example.com",
    "smtp://",
    "smtp://u:SECRET@",
    "smtp://u:SECRET@smtp.example.com:99999",
    "smtp://u:SECRET@smtp.example.com/path",
    "smtp://u:SECRET@smtp.example.com?tls.rejectUnauthorized=false",
    "smtp://u:SECRET@smtp.example.com#x",
    "smtp://u:SECR/ET@smtp.example.com",
    "smtp://u:SECR?ET@smtp.example.com",
    "smtp://u:SECR#ET@smtp.example.com",
    "smtp://u:SECR ET@smtp.example.com",
    "smtp://u:SECR\r\nET@smtp.example.com",
    "smtp://u:SECR%ET@smtp.example.com",
    "smtp://u:SECR%0d%0aET@smtp.example.com",
    "smtp://u:SECR%ffET@smtp.example.com",
    "smtp://u@smtp.example.com",
    "smtp://:SECRET@smtp.example.com",
  ])("%j is none, and the mistake repeats nothing of it", (url) => {
    const mistakes = mistakesOf({ ...MAIL, FEEDGATE_SMTP_URL: url });
    expect(mistakes).toEqual([expect.stringMatching(/^FEEDGATE_SMTP_URL /)]);
    expect(mistakes[0]).not.toMatch(/SECR|example/);
  });

  test.each([
    ["feeds@example.com", { name: "", address: "feeds@example.com" }],
    ["<feeds@example.com>", { name: "", address: "feeds@example.com" }],
    [
      " Gözde’s Feeds, Inc. <Feeds@Example.com> ",
      { name: "Gözde’s Feeds, Inc.", address: "Feeds@example.com" },
    ],
    ['"Feeds" <feeds@bücher.example>', { name: "Feeds", address: "feeds@xn--bcher-kva.example" }],
  ])("%j is a sender", (given, from) => {
    expect(readConfig({ ...MAIL, FEEDGATE_MAIL_FROM: given }).mail).toMatchObject({ from });
  });

  test.each([
    "Example Feeds",
    "feeds@localhost",
    "Feeds feeds@example.com",
    "Feeds <feeds@example.com> x",
    "Feeds <feeds@example.com>, Eve <eve@example.net>",
    "feeds@example.com, eve@example.net",
    "Feeds\r\nBcc: eve@example.net <feeds@example.com>",
    "Fe\u2028eds <feeds@example.com>",
    "Fe\u202eeds <feeds@example.com>",
    "Fe\0eds <feeds@example.com>",
    "Feeds <feeds@example.com\r\nBcc: eve@example.net>",
    `${"F".repeat(101)} <feeds@example.com>`,
  ])("%j is no sender", (given) => {
    expect(mistakesOf({ ...MAIL, FEEDGATE_MAIL_FROM: given })).toEqual([
      "FEEDGATE_MAIL_FROM must be an address such as feeds@example.com or Example Feeds <feeds@example.com>, on one line",
    ]);
  });
});
