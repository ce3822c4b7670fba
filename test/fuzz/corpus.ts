/** Inputs that earlier runs found, `corpus/TARGET.json`: a list of base64 texts. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

const fileOf = (target: string) => fileURLToPath(new URL(`corpus/${target}.json`, import.meta.url));
/** Bytes of all inputs of a target. */
const MAX_CORPUS = 16 * 1024;

/** Empty: the target has no file. */
export async function corpusOf(target: string): Promise<Uint8Array[]> {
  try {
    const texts = JSON.parse(await readFile(fileOf(target), 'utf8')) as string[];
    return texts.map((text) => new Uint8Array(Buffer.from(text, 'base64')));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** Stores the shortest inputs, in the order in which they were found. */
export async function saveCorpus(target: string, inputs: readonly Uint8Array[]): Promise<void> {
  let size = 0;
  const stored = new Set<Uint8Array>();
  for (const input of inputs.toSorted((a, b) => a.length - b.length)) {
    size += input.length;
    if (size > MAX_CORPUS) break;
    stored.add(input);
  }
  const texts = inputs
    .filter((input) => stored.has(input))
    .map((input) => Buffer.from(input).toString('base64'));
  await mkdir(new URL('corpus', import.meta.url), { recursive: true });
  await writeFile(fileOf(target), `${JSON.stringify(texts, null, 2)}\n`);
}
