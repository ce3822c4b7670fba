/** Which addresses lie inside: of this computer, of the network around it, or of no place at all. */
import ipaddr from 'ipaddr.js';

/** False for names and for addresses of the public internet. */
export function isPrivateAddress(host: string): boolean {
  const text = host.replace(/^\[|\]$/g, '');
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.process(text);
  const range = address.range();
  if (range === 'unicast') return false;
  // Translated for networks that speak IPv6 only: what counts is where it leads.
  if (range === 'rfc6052') {
    const bytes = (address as ipaddr.IPv6).toByteArray().slice(12);
    return isPrivateAddress(bytes.join('.'));
  }
  return true;
}

/** Names that stand for this computer or its network whatever a resolver says. */
export function isPrivateName(host: string): boolean {
  return /(^|\.)(localhost|local|internal|home\.arpa)\.?$/i.test(host);
}

export function isLoopback(host: string): boolean {
  const text = host.replace(/^\[|\]$/g, '');
  if (/^localhost\.?$/i.test(text)) return true;
  return ipaddr.isValid(text) && ipaddr.process(text).range() === 'loopback';
}
