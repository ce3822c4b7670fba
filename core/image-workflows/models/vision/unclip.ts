/**
 * unCLIP: variations of images, whose embeddings a network takes as an input (Ramesh et al., "Hierarchical
 * text-conditional image generation with CLIP latents", 2022).
 */
import { readSafetensors } from '#core/tensors';
import { roundHalfEven } from '../../images/rounding.ts';
import { TorchGenerator } from '../../sampling/random/torch-generator.ts';
import type { DiffusionModel } from '../../values/diffusion-model.ts';
import { type FloatTensor, zeros } from '../../values/tensor.ts';
import type { UnclipHint } from '../../values/vision.ts';
import { decodeFloats, isFloatType } from '../graphs/stored-floats.ts';
import type { ImageModelFolder } from '../model-files/image-model-folder.ts';
import { levelEmbedding, noiseAdder } from './noise-augmentation.ts';

/** Mean and standard deviation of image embeddings in the training. */
export interface EmbeddingStatistics {
  readonly mean: Float32Array;
  readonly std: Float32Array;
}

const FOLDER = 'image_normalizer';
const FILE = 'diffusion_pytorch_model.safetensors';
const LEVELS = 1000;
const addNoise = noiseAdder({ kind: 'squaredcos_cap_v2', start: 0, end: 0, steps: LEVELS });
/** The noise level, as a share, that the sum of several images gets. */
const MERGED_NOISE = 0.05;
/** ComfyUI draws the noise for images with a seed that is smaller by this number than the sampling seed. */
const SEED_OFFSET = 10n;

/** Reads `image_normalizer` of a model's folder. Undefined when it is missing. Rejects when it cannot be read. */
export async function readEmbeddingStatistics(
  model: ImageModelFolder,
): Promise<EmbeddingStatistics | undefined> {
  const folder = model.subfolder(FOLDER);
  const { files } = model.host;
  const path = `${folder.path}/${FILE}`;
  const info = await files.stat(path);
  if (info?.kind !== 'file') {
    if (await folder.has('diffusion_pytorch_model.bin'))
      throw new Error(
        `${folder.path} holds a Python pickle, which is not read here: put the ${FILE} of the repository next to it`,
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
 * [1, 2 x width]: the noisy image embedding, followed by the embedding of its noise level. Several images are added with
 * their strengths, and the sum gets noise again.
 *
 * @param statistics undefined stands for mean 0 and standard deviation 1.
 * @param mergedNoise the noise level, as a share, for the sum of several images.
 * @throws TypeError when the embeddings do not fit the statistics or one another.
 */
export function augmentEmbeddings(
  hints: readonly UnclipHint[],
  statistics: EmbeddingStatistics | undefined,
  seed: bigint,
  mergedNoise: number,
): FloatTensor {
  const images = hints.flatMap((hint) =>
    embeddingRows(hint, statistics?.mean.length).map((embedding) => ({ ...hint, embedding })),
  );
  const width = images[0]!.embedding.length;
  const generator = new TorchGenerator(BigInt.asUintN(64, seed - SEED_OFFSET));
  const noise = generator.normal([1, width]);
  const sum = zeros([1, 2 * width]);
  for (const { embedding, strength, noiseAugmentation } of images) {
    if (embedding.length !== width)
      throw new TypeError(
        `these images were encoded by vision encoders of different widths, ${width} and ${embedding.length}: encode all with the same one`,
      );
    const augmented = augment(embedding, statistics, noise, noiseAugmentation);
    for (let i = 0; i < augmented.length; i++) sum.data[i]! += strength * augmented[i]!;
  }
  if (images.length === 1) return sum;
  const merged = sum.data.slice(0, width);
  return {
    shape: sum.shape,
    data: augment(merged, statistics, generator.normal([1, width]), mergedNoise),
  };
}

/** Adds noise to a normalized embedding and appends the embedding of the noise level. */
function augment(
  embedding: Float32Array,
  statistics: EmbeddingStatistics | undefined,
  noise: FloatTensor,
  share: number,
): Float32Array {
  const width = embedding.length;
  const level = roundHalfEven((LEVELS - 1) * share);
  const normalized = embedding.map((value, i) =>
    statistics ? (value - statistics.mean[i]!) / statistics.std[i]! : value,
  );
  const { data } = addNoise({ shape: [1, width], data: normalized }, noise, level);
  const result = new Float32Array(2 * width);
  for (let i = 0; i < width; i++)
    result[i] = statistics ? data[i]! * statistics.std[i]! + statistics.mean[i]! : data[i]!;
  result.set(levelEmbedding(level, width), width);
  return result;
}

/**
 * The inputs of Stable unCLIP, which takes the image embedding in addition to the prompt. The embedding is zero for
 * prompts without images.
 */
export const unclipInputs =
  (statistics: EmbeddingStatistics | undefined): NonNullable<DiffusionModel['imageInputs']> =>
  ({ unclip }, { seed }) => {
    if (unclip) return { classLabels: augmentEmbeddings(unclip, statistics, seed, MERGED_NOISE) };
    return statistics ? { classLabels: zeros([1, 2 * statistics.mean.length]) } : {};
  };

/** The inputs of SDXL, which takes the image embedding in place of the prompt's pooled embedding. */
export const unclipPooled: NonNullable<DiffusionModel['imageInputs']> = ({ unclip, pooled }, { seed }) => {
  if (!unclip) return {};
  const { shape, data } = augmentEmbeddings(unclip, undefined, seed, 0);
  const width = shape[1]! / 2;
  if (pooled && pooled.shape[1] !== width)
    throw new TypeError(
      `the pooled embeddings of this model's prompts have ${pooled.shape[1]} numbers; the vision encoder's have ${width}: for SDXL choose CLIP-ViT-bigG`,
    );
  return { pooled: { shape: [1, width], data: data.slice(0, width) } };
};

/** The embedding of each image of a hint. */
function embeddingRows(
  { visionOutput: { imageEmbeds } }: UnclipHint,
  width: number | undefined,
): Float32Array[] {
  if (!imageEmbeds)
    throw new TypeError(
      'the vision encoder has no output image_embeds: export it as CLIPVisionModelWithProjection, which has it',
    );
  const { shape, data } = imageEmbeds;
  const size = shape.at(-1)!;
  if (shape.length !== 2 || (width !== undefined && size !== width))
    throw new TypeError(
      `this model takes image embeddings of ${width ?? 'single'} numbers; the vision encoder's are [${shape.join(', ')}]: use the CLIP_VISION of the same checkpoint`,
    );
  return Array.from({ length: shape[0]! }, (_, row) => data.subarray(row * size, (row + 1) * size));
}
