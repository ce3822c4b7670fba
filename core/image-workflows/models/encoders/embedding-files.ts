/** Learned token embeddings by name ("textual inversion"), in `models/embeddings`. */
import type { Host } from '#core/host';
import type { SafetensorsEntry } from '#core/tensors';
import type { EncoderName } from '../../values/adapter.ts';
import { decodeFloats, isFloatType } from '../graphs/stored-floats.ts';
import { readTensorTable } from '../weight-files/read-weight-file.ts';

export interface EmbeddingFiles {
  /**
   * The embeddings of a file, each as long as the encoder's width. Undefined when no file has this name, or when it does
   * not fit the encoder. Rejects as `readTensorTable` does.
   */
  vectors(
    name: string,
    encoder: EncoderName,
    width: () => Promise<number>,
  ): Promise<readonly Float32Array[] | undefined>;
  /** Logs a name that the prompt uses and that has no embedding. */
  missing(name: string): void;
}

const FOLDER = 'models/embeddings';
const ENDINGS = ['', '.safetensors', '.pt', '.bin'];

export function embeddingFiles(host: Host): EmbeddingFiles {
  const { files } = host;
  const isFile = async (name: string) => (await files.stat(`${FOLDER}/${name}`))?.kind === 'file';
  const find = async (name: string): Promise<string | undefined> => {
    if (name === '' || name.split(/[\\/]/).some((part) => part === '..' || part === '')) return undefined;
    for (const ending of ENDINGS) if (await isFile(name + ending)) return name + ending;
    return undefined;
  };
  return {
    async vectors(name, encoder, widthOf) {
      const file = await find(name);
      if (file === undefined) return undefined;
      const path = `${FOLDER}/${file}`;
      const { size } = (await files.stat(path))!;
      const tensors = await readTensorTable(files, path, size);
      const tensor = chooseTensor(tensors, encoder);
      const width = await widthOf();
      if (!tensor || tensor.shape.at(-1) !== width || !isFloatType(tensor.type)) return undefined;
      const numbers = decodeFloats(await files.read(path, tensor.start, tensor.end), tensor.type);
      return Array.from({ length: numbers.length / width }, (_, index) =>
        numbers.subarray(index * width, (index + 1) * width),
      );
    },
    missing: (name) =>
      host.log.warn(`the prompt names an embedding that is missing, or not for this model: ${name}`),
  };
}

/** The encoder's own tensor by its name. Otherwise the first one, unless the file names other encoders. */
function chooseTensor(
  tensors: readonly SafetensorsEntry[],
  encoder: EncoderName,
): SafetensorsEntry | undefined {
  const named = tensors.find(({ name }) => name === (encoder === 't5xxl' ? 't5xxl' : `clip_${encoder}`));
  return named ?? (tensors.some(({ name }) => /^(clip_[lg]|t5xxl)$/.test(name)) ? undefined : tensors[0]);
}
