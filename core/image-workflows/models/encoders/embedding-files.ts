/** Learned vectors by name ("textual inversion"), in `models/embeddings`. */
import type { Host } from '#core/host';
import { readSafetensors, type SafetensorsEntry } from '#core/tensors';
import type { EncoderName } from '../../values/adapter.ts';
import { decodeFloats, isFloatType } from '../graphs/stored-floats.ts';

export interface EmbeddingFiles {
  /** undefined: there is none of this name, or none for this encoder. Throws for files that hold no safetensors. */
  vectors(
    name: string,
    encoder: EncoderName,
    width: () => Promise<number>,
  ): Promise<readonly Float32Array[] | undefined>;
  /** Told of names that were left out. */
  missing(name: string): void;
}

const FOLDER = 'models/embeddings';
const OTHERS = ['.pt', '.bin'];

export function embeddingFiles(host: Host): EmbeddingFiles {
  const { files } = host;
  const isFile = async (name: string) => (await files.stat(`${FOLDER}/${name}`))?.kind === 'file';
  const find = async (name: string): Promise<string | undefined> => {
    if (name === '' || name.split(/[\\/]/).some((part) => part === '..' || part === '')) return undefined;
    for (const ending of ['', '.safetensors', ...OTHERS])
      if (await isFile(name + ending)) return name + ending;
    return undefined;
  };
  return {
    async vectors(name, encoder, widthOf) {
      const found = await find(name);
      if (found === undefined) return undefined;
      if (OTHERS.some((ending) => found.endsWith(ending)))
        throw new Error(
          `the embedding ${found} is a Python pickle, which is not read here: save its tensor as safetensors in ${FOLDER}`,
        );
      const path = `${FOLDER}/${found}`;
      const { size } = (await files.stat(path))!;
      const tensors = await readSafetensors(size, (start, end) => files.read(path, start, end));
      const chosen = choose(tensors, encoder);
      const width = await widthOf();
      if (!chosen || chosen.shape.at(-1) !== width || !isFloatType(chosen.type)) return undefined;
      const numbers = decodeFloats(await files.read(path, chosen.start, chosen.end), chosen.type);
      return Array.from({ length: numbers.length / width }, (_, index) =>
        numbers.subarray(index * width, (index + 1) * width),
      );
    },
    missing: (name) =>
      host.log.warn(`the prompt names an embedding that is not there, or not for this model: ${name}`),
  };
}

/** One for each encoder by its name, or one alone. */
function choose(tensors: readonly SafetensorsEntry[], encoder: EncoderName): SafetensorsEntry | undefined {
  const named = tensors.find(({ name }) => name === (encoder === 't5xxl' ? 't5xxl' : `clip_${encoder}`));
  return named ?? (tensors.some(({ name }) => /^(clip_[lg]|t5xxl)$/.test(name)) ? undefined : tensors[0]);
}
