/** Finds addresses in a text, and those that are not allowed. */
import type { CheckResult } from './check.ts';

/** Which addresses are allowed. */
export interface AllowedUrls {
  /** Domains, addresses with a path, IPv4 addresses and their blocks (`10.0.0.0/8`). */
  allowedUrls: string[];
  /** `https`, `mailto` */
  allowedSchemes: string[];
  blockUserinfo: boolean;
  allowSubdomains: boolean;
}

const END = '[^\\s<>"{}|\\\\^`\\[\\]]{1,2048}';
const COMPLETE = [
  new RegExp(`https?://${END}`, 'gi'),
  new RegExp(`ftp://${END}`, 'gi'),
  new RegExp(`\\b(?:data|javascript|vbscript|mailto):${END}`, 'gi'),
];
const BARE = [
  /\b(?:[a-z0-9][a-z0-9-]{0,62}\.){1,10}[a-z]{2,24}(?:\/\S{0,2048})?/gi,
  /\b(?:\d{1,3}\.){3}\d{1,3}(?::\d{1,5})?(?:\/\S{0,2048})?/g,
];
const WITHOUT_HOST = ['data', 'javascript', 'vbscript', 'mailto'];

/** Checks all addresses of a text. Without a scheme an address counts as `http`. */
export function checkUrls(text: string, allowed: AllowedUrls): CheckResult {
  const detected = findUrls(text);
  const reasons = detected.map((url) => ({ url, reason: objection(url, allowed) }));
  const blocked = reasons.filter(({ reason }) => reason !== undefined);
  return {
    name: 'urls',
    triggered: blocked.length > 0,
    info: {
      detected,
      allowed: reasons.filter(({ reason }) => reason === undefined).map(({ url }) => url),
      blocked: blocked.map(({ url }) => url),
      blockedReasons: blocked.map(({ url, reason }) => `${url}: ${reason}`),
    },
    hidden: { URL: blocked.map(({ url }) => url) },
  };
}

function findUrls(text: string): string[] {
  let rest = text;
  const found: string[] = [];
  for (const pattern of COMPLETE) {
    rest = rest.replace(pattern, (match) => {
      found.push(withoutEnd(match));
      return ' '.repeat(match.length);
    });
  }
  const hosts = new Set(found.flatMap((url) => (URL.canParse(url) ? [bareHost(new URL(url).hostname)] : [])));
  for (const pattern of BARE) {
    for (const [match] of rest.matchAll(pattern)) {
      const url = withoutEnd(match);
      if (!hosts.has(bareHost(url))) found.push(url);
    }
  }
  return [...new Set(found)];
}

/** A sentence may end with the address. */
const withoutEnd = (url: string) => url.replace(/[.,;:!?)\]]{1,20}$/, '');
const bareHost = (host: string) => host.toLowerCase().replace(/^www\./, '');

/** The reason against an address. Undefined: it is allowed. */
function objection(url: string, allowed: AllowedUrls): string | undefined {
  const isComplete = url.includes('://') || /^(?:data|javascript|vbscript|mailto):/i.test(url);
  const address = isComplete ? url : `http://${url}`;
  if (!URL.canParse(address)) return 'Invalid URL format';
  const parsed = new URL(address);
  const scheme = parsed.protocol.slice(0, -1);
  if (!allowed.allowedSchemes.includes(scheme)) return `Blocked scheme: ${scheme}`;
  if (allowed.blockUserinfo && (parsed.username || parsed.password))
    return 'Contains userinfo (potential credential injection)';
  if (WITHOUT_HOST.includes(scheme)) return undefined;
  return allowed.allowedUrls.some((entry) => isCovered(parsed, entry.toLowerCase(), allowed))
    ? undefined
    : 'Not in allow list';
}

function isCovered(url: URL, entry: string, { allowSubdomains }: AllowedUrls): boolean {
  const host = url.hostname.toLowerCase();
  if (entry.includes('://')) {
    if (!URL.canParse(entry)) throw new Error(`Invalid URL in allow list: "${entry}"`);
    const { hostname, pathname } = new URL(entry);
    return host === hostname && url.pathname.startsWith(pathname);
  }
  const [network = '', prefix] = entry.split('/');
  if (addressNumber(network) !== undefined) {
    return prefix === undefined ? host === network : isInBlock(host, network, Number(prefix));
  }
  const domain = bareHost(entry);
  return bareHost(host) === domain || (allowSubdomains && host.endsWith(`.${domain}`));
}

function isInBlock(host: string, network: string, prefix: number): boolean {
  const [address, base] = [addressNumber(host), addressNumber(network)];
  if (address === undefined || base === undefined) return false;
  if (!Number.isInteger(prefix) || prefix < 0 || prefix > 32) return false;
  const size = 2 ** (32 - prefix);
  return Math.floor(address / size) === Math.floor(base / size);
}

/** An IPv4 address as a number. Undefined for other texts. */
function addressNumber(text: string): number | undefined {
  const parts = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text)?.slice(1).map(Number);
  if (!parts || parts.some((part) => part > 255)) return undefined;
  return parts.reduce((sum, part) => sum * 256 + part, 0);
}
