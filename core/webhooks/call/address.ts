/** Which webhook address a request is for. */

export interface CalledAddress {
  kind: 'webhook' | 'form';
  mode: 'production' | 'test' | 'waiting';
  /** What stands behind the prefix: decoded, without a slash at its end. */
  path: string;
}

/** Prefixes match in any case, paths do not. */
const ADDRESS = /^\/(webhook|form)(-test|-waiting)?(?:\/(.*))?$/i;

/** Undefined for what is no webhook address. */
export function calledAddress(pathname: string): CalledAddress | undefined {
  const found = ADDRESS.exec(pathname);
  if (!found) return undefined;
  const mode = found[2]?.toLowerCase();
  return {
    kind: found[1]!.toLowerCase() as CalledAddress['kind'],
    mode: mode === '-test' ? 'test' : mode === '-waiting' ? 'waiting' : 'production',
    path: decoded(found[3] ?? '').replace(/\/$/, ''),
  };
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
