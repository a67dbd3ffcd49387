/**
 * Lists of IP addresses and networks, as in a setting.
 *
 * @module
 */
import { BlockList, isIP } from "node:net";

const IPV4_BITS = 32;
const IPV6_BITS = 128;

/** What is wrong with an address or a network in CIDR notation, as the end of a sentence. Undefined if nothing is. */
export function findNetworkFault(text: string): string | undefined {
  const [address = "", prefix, ...rest] = text.split("/");
  const family = isIP(address);
  if (family === 0 || address.includes("%") || rest.length > 0) {
    return "must be IP addresses and networks such as 10.0.0.0/8, separated by commas";
  }
  const bits = bitsOf(family);
  if (prefix === "0") return "can't trust all addresses, because callers could forge theirs";
  if (prefix !== undefined && !(/^[1-9]\d{0,2}$/.test(prefix) && Number(prefix) <= bits)) {
    return `must have a prefix length from 1 to ${bits} in an IPv${family} network`;
  }
  return undefined;
}

/** The list of addresses and networks in which `findNetworkFault` finds no fault. */
export function networkList(texts: readonly string[]): BlockList {
  const list = new BlockList();
  for (const text of texts) {
    const [address = "", prefix] = text.split("/");
    const family = isIP(address);
    list.addSubnet(address, Number(prefix ?? bitsOf(family)), family === 4 ? "ipv4" : "ipv6");
  }
  return list;
}

function bitsOf(family: number): number {
  return family === 4 ? IPV4_BITS : IPV6_BITS;
}
