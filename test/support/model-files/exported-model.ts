/** Tiny models with random weights, exported by diffusers and transformers (test/diffusers). */
import { readdir, readFile } from 'node:fs/promises';
import type { Files } from '#core/host';

const FOLDER = new URL('../../diffusers/', import.meta.url);

/** Copies a folder of test/diffusers without subfolders. */
export async function writeExported(files: Files, name: string, to: string): Promise<void> {
  for (const file of await readdir(new URL(`${name}/`, FOLDER)))
    await files.write(`${to}/${file}`, await readFile(new URL(`${name}/${file}`, FOLDER)));
}
