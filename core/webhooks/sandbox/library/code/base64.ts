import { Buffer } from './buffer.ts';

export const btoa = (text: unknown): string => {
  const plain = String(text);
  if (/[^\0-\xff]/.test(plain)) throw new Error('Invalid character');
  return Buffer.from(plain, 'latin1').toString('base64');
};
export const atob = (text: unknown): string => Buffer.from(String(text), 'base64').toString('latin1');

export const base64Functions = { btoa, atob };
