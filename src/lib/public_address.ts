/**
 * Checks whether an IP address is public: not that of the machine itself, of a local network, or of a cloud's metadata
 * service, and not in a form that embeds such an address. IANA's special-purpose registries (RFC 6890).
 *
 * @module
 */
import { BlockList, isIP } from "node:net";

const SPECIAL_IPV4: readonly (readonly [string, number])[] = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.31.196.0", 24],
  ["192.52.193.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["192.175.48.0", 24],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
];

/**
 * All addresses assigned to networks so far. It excludes loopback, link-local, unique local, and multicast addresses,
 * and the forms that embed an IPv4 address: mapped (`::ffff:`), compatible (`::`), and translated (`64:ff9b:`).
 */
const GLOBAL_IPV6: readonly [string, number] = ["2000::", 3];
/**
 * Exceptions within it: IETF's own (Teredo and others), documentation, 6to4, which embeds an IPv4 address, and AS112.
 */
const SPECIAL_IPV6: readonly (readonly [string, number])[] = [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["2620:4f:8000::", 48],
  ["3fff::", 20],
];

const special = new BlockList();
const global = new BlockList();
const loopback = new BlockList();
for (const [net, prefix] of SPECIAL_IPV4) special.addSubnet(net, prefix, "ipv4");
for (const [net, prefix] of SPECIAL_IPV6) special.addSubnet(net, prefix, "ipv6");
global.addSubnet(...GLOBAL_IPV6, "ipv6");
loopback.addSubnet("127.0.0.0", 8, "ipv4");
loopback.addAddress("::1", "ipv6");
loopback.addSubnet("::ffff:127.0.0.0", 104, "ipv6");

/** False if the text is not an IP address. */
export function isPublicAddress(text: string): boolean {
  switch (isIP(text)) {
    case 4:
      return !special.check(text, "ipv4");
    case 6:
      return global.check(text, "ipv6") && !special.check(text, "ipv6");
    default:
      return false;
  }
}

/** Whether an IP address is the machine's own. */
export function isLoopbackAddress(text: string): boolean {
  return isListed(loopback, text);
}

/** Whether an IP address is in a list. An IPv4 address also matches in its IPv6 form (`::ffff:`). */
export function isListed(list: BlockList, text: string): boolean {
  const family = isIP(text);
  return family !== 0 && list.check(text, family === 4 ? "ipv4" : "ipv6");
}

/** The address without a zone (`%eth0`), and in the form of IPv4 if it is mapped to IPv6 (`::ffff:`). */
export function plainAddress(text: string): string {
  const [address = ""] = text.split("%");
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address;
}

/** Names of the machine itself, as they appear in a URL. */
export function isLoopbackHost(hostname: string): boolean {
  return hostname === "localhost" || isLoopbackAddress(hostname.replace(/^\[(.*)\]$/, "$1"));
}

/** Hextets of an IPv6 address that identify a network, and a site, which is the most that one customer is assigned. */
const NETWORK_HEXTETS = 4;
const SITE_HEXTETS = 3;
const HEXTETS = 8;

/**
 * The unit by which callers are counted: an IPv4 address, or the /64 network of an IPv6 address, because a network has
 * too many addresses to count.
 */
export function networkOf(address: string): string {
  return networksOf(address)[0] ?? "";
}

/** The same, and for an IPv6 address also the /48 site of the network. Empty for "", which is no address. */
export function networksOf(address: string): readonly string[] {
  const plain = plainAddress(address);
  if (isIP(plain) !== 6) return plain === "" ? [] : [plain];
  const [head = [], tail = []] = plain.split("::").map((part) => part.split(":").filter(Boolean));
  const zeros: string[] = Array(Math.max(0, HEXTETS - head.length - tail.length)).fill("0");
  const hextets = [...head, ...zeros, ...tail].map((hextet) =>
    hextet.replace(/^0+(?=.)/, "").toLowerCase(),
  );
  return [
    hextets.slice(0, NETWORK_HEXTETS).join(":"),
    `${hextets.slice(0, SITE_HEXTETS).join(":")}::/48`,
  ];
}
