/** Variations of pictures: the network is told what a vision encoder sees in them (Ramesh et al., "Hierarchical text-conditional image generation with CLIP latents", 2022). */
import { readSafetensors } from '#core/tensors';
import { roundHalfEven } from '../../images/rounding.ts';
import { TorchGenerator } from '../../sampling/random/torch-generator.ts';
import type { DiffusionModel } from '../../values/diffusion-model.ts';
import { type FloatTensor, zeros } from '../../values/tensor.ts';
import type { UnclipHint } from '../../values/vision.ts';
import { decodeFloats, isFloatType } from '../graphs/stored-floats.ts';
import type { ModelFolder } from '../model-files/model-folder.ts';
import { levelEmbedding, noiseAdder } from './noise-augmentation.ts';

/** Mean and spread of what the encoder says of pictures. undefined: 0 and 1. */
export interface EmbeddingStatistics {
  readonly mean: Float32Array;
  readonly std: Float32Array;
}

const FOLDER = 'image_normalizer';
const FILE = 'diffusion_pytorch_model.safetensors';
const LEVELS = 1000;
const noised = noiseAdder({ kind: 'squaredcos_cap_v2', start: 0, end: 0, steps: LEVELS });
/** Noise that several pictures get once they are added up. */
const MERGED_AGAIN = 0.05;
/** The noise for pictures is that of a seed this much before the one of the sampling. */
const SEED_BEFORE = 10n;

/** `image_normalizer` of a model's folder. Throws for one that cannot be read. */
export async function readEmbeddingStatistics(model: ModelFolder): Promise<EmbeddingStatistics | undefined> {
  const folder = model.at(FOLDER);
  const { files } = model.host;
  const path = `${folder.path}/${FILE}`;
  const info = await files.stat(path);
  if (info?.kind !== 'file') {
    if (await folder.has('diffusion_pytorch_model.bin'))
      throw new Error(
        `${folder.path} holds a Python pickle, which is not read here: put the ${FILE} of the repository beside it`,
      );
    return undefined;
  }
  const tensors = await readSafetensors(info.size, (start, end) => files.read(path, start, end));
  const numbers = async (name: string) => {
    const found = tensors.find((tensor) => tensor.name === name);
    if (!found || !isFloatType(found.type))
      throw new Error(
        `${path} does not hold the ${name} of image embeddings: take it from the model's repository`,
      );
    return decodeFloats(await files.read(path, found.start, found.end), found.type);
  };
  return { mean: await numbers('mean'), std: await numbers('std') };
}

/**
 * [1, 2 x width]: what the network is told of pictures, with noise, and of how much noise. Several are added up by their
 * strengths and get noise once more, `again` of the whole. Throws for encoders of another width than the statistics'.
 */
export function augmentEmbeddings(
  hints: readonly UnclipHint[],
  statistics: EmbeddingStatistics | undefined,
  seed: bigint,
  again: number,
): FloatTensor {
  const pictures = hints.flatMap((hint) =>
    rowsOf(hint, statistics?.mean.length).map((values) => ({ ...hint, values })),
  );
  const width = pictures[0]!.values.length;
  const apply = (values: Float32Array, noise: FloatTensor, share: number) => {
    const level = roundHalfEven((LEVELS - 1) * share);
    const normal = values.map((value, i) =>
      statistics ? (value - statistics.mean[i]!) / statistics.std[i]! : value,
    );
    const { data } = noised({ shape: [1, width], data: normal }, noise, level);
    const made = new Float32Array(2 * width);
    for (let i = 0; i < width; i++)
      made[i] = statistics ? data[i]! * statistics.std[i]! + statistics.mean[i]! : data[i]!;
    made.set(levelEmbedding(level, width), width);
    return made;
  };
  const generator = new TorchGenerator(BigInt.asUintN(64, seed - SEED_BEFORE));
  const noise = generator.normal([1, width]);
  const sum = zeros([1, 2 * width]);
  for (const { values, strength, noiseAugmentation } of pictures) {
    if (values.length !== width)
      throw new TypeError(
        `these pictures were seen by encoders of different widths, ${width} and ${values.length}: encode all with the same one`,
      );
    const one = apply(values, noise, noiseAugmentation);
    for (let i = 0; i < one.length; i++) sum.data[i]! += strength * one[i]!;
  }
  if (pictures.length === 1) return sum;
  return { shape: sum.shape, data: apply(sum.data.slice(0, width), generator.normal([1, width]), again) };
}

/** Stable unCLIP: beside the prompt. Prompts without pictures are told zeros. */
export const unclipInputs =
  (statistics: EmbeddingStatistics | undefined): NonNullable<DiffusionModel['imageInputs']> =>
  ({ unclip }, { seed }) => {
    if (unclip) return { classLabels: augmentEmbeddings(unclip, statistics, seed, MERGED_AGAIN) };
    return statistics ? { classLabels: zeros([1, 2 * statistics.mean.length]) } : {};
  };

/** SDXL: in place of the prompt's summary. */
export const unclipPooled: NonNullable<DiffusionModel['imageInputs']> = ({ unclip, pooled }, { seed }) => {
  if (!unclip) return {};
  const { shape, data } = augmentEmbeddings(unclip, undefined, seed, 0);
  const width = shape[1]! / 2;
  if (pooled && pooled.shape[1] !== width)
    throw new TypeError(
      `the summary of this model's prompts has ${pooled.shape[1]} numbers; the vision encoder gives ${width}: for SDXL choose CLIP-ViT-bigG`,
    );
  return { pooled: { shape: [1, width], data: data.slice(0, width) } };
};

/** The embedding of each picture. */
function rowsOf({ visionOutput: { imageEmbeds } }: UnclipHint, width: number | undefined): Float32Array[] {
  if (!imageEmbeds)
    throw new TypeError(
      'the vision encoder gives no image_embeds: export it as CLIPVisionModelWithProjection, which has them',
    );
  const { shape, data } = imageEmbeds;
  const size = shape.at(-1)!;
  if (shape.length !== 2 || (width !== undefined && size !== width))
    throw new TypeError(
      `this model is told of pictures in ${width ?? 'single'} numbers; the vision encoder gives [${shape.join(', ')}]: use the CLIP_VISION of the same checkpoint`,
    );
  return Array.from({ length: shape[0]! }, (_, row) => data.subarray(row * size, (row + 1) * size));
}
