import { toHex } from '#core/base';
import type { Digest } from '#core/host';

const PREFIX = 'sha256:';

/** The digest of content that fits in memory. */
export async function sha256(content: string | Uint8Array): Promise<Digest> {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>));
  return `sha256:${toHex(hash)}`;
}

/** A digest without its prefix. */
export const hexDigits = (digest: Digest): string => digest.slice(PREFIX.length);

/** The first twelve digits, by which people recognize layers: `941f309b54ca`. */
export const shortDigest = (digest: Digest): string => hexDigits(digest).slice(0, 12);
