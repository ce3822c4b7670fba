import { Buffer } from './buffer.ts';

/** Works as in browsers, with one byte for each character. Throws for a character above U+00FF. */
export const btoa = (value: unknown): string => {
  const text = String(value);
  if (/[^\0-\xff]/.test(text)) throw new Error('Invalid character');
  return Buffer.from(text, 'latin1').toString('base64');
};

/** Works as in browsers, but skips characters that are not base64. */
export const atob = (value: unknown): string => Buffer.from(String(value), 'base64').toString('latin1');
