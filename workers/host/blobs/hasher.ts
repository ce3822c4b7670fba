import type { IHasher } from 'hash-wasm';

/** SHA-256 piece by piece. Its code is loaded with the first download, not with the page. */
export async function newHasher(): Promise<IHasher> {
  const { createSHA256 } = await import('hash-wasm');
  return (await createSHA256()).init();
}
