/** Which address a call came from, and whether a list names it. */
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/**
 * The caller's address. What proxies say of it counts only as far as they are trusted: `hops` of them stand before
 * this server, each adding the address it was called from to the end of X-Forwarded-For.
 */
export function clientAddress(connected: string, forwardedFor: string | null, hops: number): string {
  if (hops <= 0 || !forwardedFor) return connected;
  const chain = [...forwardedFor.split(',').map((part) => part.trim()), connected];
  return chain[Math.max(0, chain.length - 1 - hops)]!;
}

/** `list`: addresses and ranges, separated by commas. What is neither matches nobody; an empty list everyone. */
export function isListed(address: string, list: string): boolean {
  const entries = list
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
  if (entries.length === 0) return true;
  const known = parsed(address);
  return known !== undefined && entries.some((entry) => names(entry, known));
}

function names(entry: string, address: Address): boolean {
  if (!entry.includes('/')) return parsed(entry)?.toNormalizedString() === address.toNormalizedString();
  if (!ipaddr.isValidCIDR(entry)) return false;
  const [range, bits] = ipaddr.parseCIDR(entry);
  return range.kind() === address.kind() && address.match(range as never, bits);
}

/** An IPv4 address that came in over IPv6 is the IPv4 address. Short forms such as `127.1` are none. */
function parsed(text: string): Address | undefined {
  const plain = text.replace(/^\[|\]$/g, '').replace(/%.*$/, '');
  const isFour = ipaddr.IPv4.isValidFourPartDecimal(plain);
  if (!isFour && !ipaddr.IPv6.isValid(plain)) return undefined;
  return ipaddr.process(plain);
}
