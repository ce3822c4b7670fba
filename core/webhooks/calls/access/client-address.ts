/** The client's address, and lists of addresses. */
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/**
 * The client's address behind proxies. Each proxy adds the address of its own client to the end of X-Forwarded-For.
 * @param connected the address that the connection came from
 * @param hops number of trusted proxies in front of this server
 */
export function clientAddress(connected: string, forwardedFor: string | null, hops: number): string {
  if (hops <= 0 || !forwardedFor) return connected;
  const chain = [...forwardedFor.split(',').map((part) => part.trim()), connected];
  return chain[Math.max(0, chain.length - 1 - hops)]!;
}

/**
 * @param list addresses and CIDR ranges, separated by commas; an invalid entry matches no address, an empty list
 *   matches every address
 */
export function isListed(address: string, list: string): boolean {
  const entries = list
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
  if (entries.length === 0) return true;
  const parsed = parseAddress(address);
  return parsed !== undefined && entries.some((entry) => matches(entry, parsed));
}

function matches(entry: string, address: Address): boolean {
  if (!entry.includes('/')) {
    return parseAddress(entry)?.toNormalizedString() === address.toNormalizedString();
  }
  if (!ipaddr.isValidCIDR(entry)) return false;
  const [range, bits] = ipaddr.parseCIDR(entry);
  return range.kind() === address.kind() && address.match(range as never, bits);
}

/** An IPv4 address that arrived over IPv6 becomes the IPv4 address. Short forms such as `127.1` are invalid. */
function parseAddress(text: string): Address | undefined {
  const plain = text.replace(/^\[|\]$/g, '').replace(/%.*$/, '');
  const isIPv4 = ipaddr.IPv4.isValidFourPartDecimal(plain);
  if (!isIPv4 && !ipaddr.IPv6.isValid(plain)) return undefined;
  return ipaddr.process(plain);
}
