import type { Digest } from '#core/host';

const FILE = /^sha256-([0-9a-f]{64})$/;

export function fileName(digest: Digest): string {
  return digest.replace(':', '-');
}

export function digestOf(name: string): Digest | undefined {
  const match = FILE.exec(name);
  return match ? `sha256:${match[1]}` : undefined;
}

/** Keys may hold anything (addresses, digests); file names may not. */
export async function partialName(key: string): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(key));
  return Array.from(new Uint8Array(hash, 0, 16), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** The one blob that may be empty. */
export const EMPTY: Digest = 'sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
