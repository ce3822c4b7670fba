/** Latents of videos that begin or end with images, for Cosmos 1 and Cosmos Predict2. */
import { WAN_LATENTS } from '../../models/networks/wan-latents.ts';
import { repeatBatch } from '../../values/batches.ts';
import { framesFrom, replaceFrames } from '../../values/frames.ts';
import type { VaeModel } from '../../values/image-models.ts';
import type { Latent } from '../../values/latent.ts';
import { unscaleLatent } from '../../values/latent-scaling.ts';
import { type FloatTensor, full, zeros } from '../../values/tensor.ts';
import { link, optional } from '../kernel/inputs.ts';
import { type AnyNode, node, output } from '../kernel/node-type.ts';
import { encodeFrames, framesOf, inGrayVideo, type VideoSize, videoInputs } from './given-frames.ts';

const CHANNELS = 16;
/** Pixels of a latent cell along each side. */
const CELL = 8;
/** Both nodes encode images in groups of so many frames, those of Cosmos 1. */
const GROUP = 8;

interface Images {
  vae: VaeModel;
  batch_size: number;
  start_image?: FloatTensor | undefined;
  end_image?: FloatTensor | undefined;
}

const cosmosNode = (
  name: string,
  sizes: ReturnType<typeof videoInputs>,
  run: (values: Images & VideoSize, signal: AbortSignal) => Promise<Latent>,
) =>
  node({
    name,
    category: 'conditioning/inpaint',
    module: 'comfy_extras.nodes_cosmos',
    modern: true,
    description: 'Creates latents of a video that begins or ends with images.',
    inputs: {
      vae: link('VAE'),
      ...sizes,
      start_image: optional(link('IMAGE')),
      end_image: optional(link('IMAGE')),
    },
    outputs: [output('LATENT')],
    run: async (values, { signal }) => [await run(values, signal)],
  });

/** The latents of the first frames. Gray frames fill up their groups, and `more` groups follow. */
async function encodedImage(
  vae: VaeModel,
  image: FloatTensor,
  size: VideoSize,
  more: number,
  signal: AbortSignal,
): Promise<FloatTensor> {
  const frames = framesOf(image, size);
  const groups = Math.floor((frames.batch - 1) / GROUP) + 1;
  const length = Math.min(size.length, (groups + more) * GROUP - (GROUP - 1));
  const encoded = await encodeFrames(vae, inGrayVideo({ ...size, length }, frames), signal);
  return framesFrom(encoded, 0, Math.min(groups, encoded.shape[2]!));
}

/** The latent of a video with its noise mask, which is 0 for the given frames. */
async function latentWithImages(
  { vae, start_image: start, end_image: end, ...size }: Omit<Images, 'batch_size'> & VideoSize,
  frames: number,
  signal: AbortSignal,
): Promise<{ samples: FloatTensor; noiseMask: FloatTensor }> {
  const sides = [Math.floor(size.height / CELL), Math.floor(size.width / CELL)];
  let samples = zeros([1, CHANNELS, frames, ...sides]);
  let noiseMask = full([1, 1, frames, ...sides], 1);
  const place = (part: FloatTensor, at: number) => {
    const { shape } = part;
    if (shape[1] !== CHANNELS || shape[3] !== sides[0] || shape[4] !== sides[1])
      throw new TypeError(
        `the latent of the image is [${shape.join(', ')}], and that of the video [${samples.shape.join(', ')}]: use the autoencoder of the same model`,
      );
    samples = replaceFrames(samples, part, at);
    noiseMask = replaceFrames(noiseMask, zeros([1, 1, ...shape.slice(2)]), at);
  };
  if (start) place(await encodedImage(vae, start, size, 1, signal), 0);
  if (end) {
    const part = await encodedImage(vae, end, size, 0, signal);
    place(part, frames - part.shape[2]!);
  }
  return { samples, noiseMask };
}

const firstNode = cosmosNode(
  'CosmosImageToVideoLatent',
  videoInputs(1280, 704, 121, { side: 16, frames: 8 }),
  async ({ batch_size, ...values }, signal) => {
    const frames = Math.floor((values.length - 1) / 8) + 1;
    const { samples, noiseMask } = await latentWithImages(values, frames, signal);
    if (!values.start_image && !values.end_image) return { samples };
    return { samples: repeatBatch(samples, batch_size), noiseMask: repeatBatch(noiseMask, batch_size) };
  },
);

const secondNode = cosmosNode(
  'CosmosPredict2ImageToVideoLatent',
  videoInputs(848, 480, 93, { side: 16, frames: 4 }),
  async ({ batch_size, ...values }, signal) => {
    const frames = Math.floor((values.length - 1) / 4) + 1;
    const { samples, noiseMask } = await latentWithImages(values, frames, signal);
    if (!values.start_image && !values.end_image) return { samples };
    // Frames without an image are those of an empty latent of the network.
    const empty = unscaleLatent(zeros(samples.shape), WAN_LATENTS);
    const cells = noiseMask.data.length;
    const filled = samples.data.map((value, at) =>
      noiseMask.data[at % cells] === 0 ? value : empty.data[at]!,
    );
    return {
      samples: repeatBatch({ shape: samples.shape, data: filled }, batch_size),
      noiseMask: repeatBatch(noiseMask, batch_size),
    };
  },
);

/** The nodes in the order of `/object_info`. */
export const cosmosNodes: AnyNode[] = [firstNode, secondNode];
