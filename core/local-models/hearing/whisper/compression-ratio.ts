import { zlibSync } from 'fflate';

/** The bytes of a text divided by those of its compressed form (RFC 1950). High for text that repeats itself. */
export function compressionRatio(text: string): number {
  const bytes = new TextEncoder().encode(text);
  return bytes.length / zlibSync(bytes).length;
}
