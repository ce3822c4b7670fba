import type { Digest } from '#core/host';

const FILE_NAME = /^sha256-([0-9a-f]{64})$/;

/** The digest that a file name stands for. Undefined for other files. */
export function digestOfFileName(name: string): Digest | undefined {
  const match = FILE_NAME.exec(name);
  return match ? `sha256:${match[1]}` : undefined;
}

/** The file name of a partial: a hash of its key, because keys such as URLs contain characters that file names cannot. */
export async function partialName(key: string): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(key));
  return Array.from(new Uint8Array(hash, 0, 16), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** The digest of an empty blob. An empty file under any other digest is damaged. */
export const EMPTY_DIGEST: Digest = 'sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
