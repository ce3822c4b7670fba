import type { IHasher } from 'hash-wasm';

/** Computes a SHA-256 incrementally. Its code is loaded with the first download, to keep the worker small. */
export async function newHasher(): Promise<IHasher> {
  const { createSHA256 } = await import('hash-wasm');
  return (await createSHA256()).init();
}
