/** Recognizes addresses that are not part of the public internet. */
import ipaddr from 'ipaddr.js';

/** Whether an IP address is not a public one: loopback, private, link-local, reserved … False for names. */
export function isPrivateAddress(host: string): boolean {
  const text = host.replace(/^\[|\]$/g, '');
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.process(text);
  const range = address.range();
  if (range === 'unicast') return false;
  // NAT64: the last four bytes are the IPv4 address that it leads to.
  if (range === 'rfc6052') {
    const bytes = (address as ipaddr.IPv6).toByteArray().slice(12);
    return isPrivateAddress(bytes.join('.'));
  }
  return true;
}

/** Whether a name means this computer or its network, whatever it resolves to. */
export function isPrivateName(host: string): boolean {
  return /(^|\.)(localhost|local|internal|home\.arpa)\.?$/i.test(host);
}

/** Whether a host is this computer: `localhost`, or a loopback address. */
export function isLoopbackHost(host: string): boolean {
  const text = host.replace(/^\[|\]$/g, '');
  if (/^localhost\.?$/i.test(text)) return true;
  return ipaddr.isValid(text) && ipaddr.process(text).range() === 'loopback';
}
