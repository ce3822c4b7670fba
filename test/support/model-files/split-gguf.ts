/** Splits a GGUF file as `gguf-split` of llama.cpp does: each part has some of the tensors, and says which part it is. */
import { openAsBlob, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { readGgufHeader } from '#core/tensors';
import { rewriteGguf } from './rewrite-gguf.ts';
import { tinyGguf } from './tiny-gguf.ts';

/** Writes the parts into a folder. Returns their paths, in their order. */
export async function splitGguf(source: string, folder: string, count: number): Promise<string[]> {
  const blob = await openAsBlob(source);
  const { tensors } = await readGgufHeader(blob.stream(), statSync(source).size, () => false);
  const partOf = new Map(tensors.map(({ name }, at) => [name, Math.floor((at * count) / tensors.length)]));
  const digits = (value: number) => String(value).padStart(5, '0');
  const paths = Array.from({ length: count }, (_, part) =>
    join(folder, `${basename(source, '.gguf')}-${digits(part + 1)}-of-${digits(count)}.gguf`),
  );
  for (const [part, path] of paths.entries())
    await rewriteGguf(
      source,
      path,
      {
        'split.no': { type: 'uint16', value: part },
        'split.count': { type: 'uint16', value: count },
        'split.tensors.count': { type: 'int32', value: tensors.length },
      },
      (name) => partOf.get(name) === part,
    );
  return paths;
}

/** One of `count` parts of a model without real weights. `index`: from 0. */
export const tinyPart = (index: number, count: number, tensor = `blk.${index}.attn_norm.weight`) =>
  tinyGguf({
    tensors: [{ name: tensor, shape: [32], type: 'F32' }],
    metadata: {
      'split.no': { type: 'uint16', value: index },
      'split.count': { type: 'uint16', value: count },
    },
  });
