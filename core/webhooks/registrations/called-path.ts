import { decodePercent } from '#core/base';
import type { Endpoints } from '../settings/endpoints.ts';

/** The webhook path of a request. */
export interface CalledPath {
  kind: 'webhook' | 'form' | 'mcp';
  mode: 'production' | 'test' | 'waiting';
  /** The part after the prefix: decoded, without a slash at its end. */
  path: string;
}

type Prefix = [prefix: string, kind: CalledPath['kind'], mode: CalledPath['mode']];

const FORM_PREFIXES: Prefix[] = [
  ['form', 'form', 'production'],
  ['form-test', 'form', 'test'],
  ['form-waiting', 'form', 'waiting'],
];

/**
 * Undefined for a path of another API. Prefixes match in upper and lower case, but the paths after them are
 * case-sensitive.
 */
export function parseCalledPath(pathname: string, endpoints: Endpoints): CalledPath | undefined {
  const prefixes: Prefix[] = [
    [endpoints.webhook, 'webhook', 'production'],
    [endpoints.test, 'webhook', 'test'],
    [endpoints.waiting, 'webhook', 'waiting'],
    ...FORM_PREFIXES,
    ['mcp', 'mcp', 'production'],
  ];
  for (const [prefix, kind, mode] of prefixes) {
    const end = prefix.length + 1;
    if (pathname.slice(1, end).toLowerCase() !== prefix.toLowerCase()) continue;
    if (pathname.length > end && pathname[end] !== '/') continue;
    return { kind, mode, path: decodePercent(pathname.slice(end + 1)).replace(/\/$/, '') };
  }
  return undefined;
}
