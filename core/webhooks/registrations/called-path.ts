/** Which webhook address a request is for. */
import type { Endpoints } from '../settings/endpoints.ts';

export interface CalledPath {
  kind: 'webhook' | 'form';
  mode: 'production' | 'test' | 'waiting';
  /** What stands behind the prefix: decoded, without a slash at its end. */
  path: string;
}

type Named = Pick<CalledPath, 'kind' | 'mode'>;

const FORMS: [string, Named][] = [
  ['form', { kind: 'form', mode: 'production' }],
  ['form-test', { kind: 'form', mode: 'test' }],
  ['form-waiting', { kind: 'form', mode: 'waiting' }],
];

/** Undefined for what is no webhook address. Prefixes match in any case, paths do not. */
export function parseCalledPath(pathname: string, endpoints: Endpoints): CalledPath | undefined {
  const prefixes: [string, Named][] = [
    [endpoints.webhook, { kind: 'webhook', mode: 'production' }],
    [endpoints.test, { kind: 'webhook', mode: 'test' }],
    [endpoints.waiting, { kind: 'webhook', mode: 'waiting' }],
    ...FORMS,
  ];
  for (const [prefix, named] of prefixes) {
    const end = prefix.length + 1;
    if (pathname.slice(1, end).toLowerCase() !== prefix.toLowerCase()) continue;
    if (pathname.length > end && pathname[end] !== '/') continue;
    return { ...named, path: decoded(pathname.slice(end + 1)).replace(/\/$/, '') };
  }
  return undefined;
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
