/** Autoencoders in the diffusers layout. */
import {
  concatBatches,
  imageRaster,
  planesToRaster,
  rasterAt,
  rasterToImage,
  rasterToPlanes,
  withChannels,
} from '../../images/rasters.ts';
import { clamp01 } from '../../images/rounding.ts';
import { toBatch } from '../../values/batches.ts';
import type { VaeModel } from '../../values/image-models.ts';
import type { JsonConfig, ModelGraph } from '../../values/model-graph.ts';
import type { FloatTensor } from '../../values/tensor.ts';
import { feed, requireSlot, toFloatTensor } from '../graphs/session-tensors.ts';
import { type ImageModelFolder, numberOr } from '../model-files/image-model-folder.ts';
import { cropToMultiple } from './center-crop.ts';

export interface VaeParts {
  /** Undefined: the model only decodes. */
  encoder: ModelGraph | undefined;
  /** Undefined: the model only encodes. */
  decoder: ModelGraph | undefined;
  latentChannels: number;
  /** Pixels per latent cell along each side. */
  scale: number;
  /** The content of its `config.json`. */
  config: JsonConfig;
  /** How many latent cells are decoded together, when the decoder sees the frames of a video. Default: one image. */
  cellsAtOnce?: number;
}

/** Opens `vae_decoder` and `vae_encoder` of a folder. A missing graph is reported when it is used. */
export async function openVae(folder: ImageModelFolder): Promise<VaeModel> {
  const decoder = folder.subfolder('vae_decoder');
  const encoder = folder.subfolder('vae_encoder');
  const config = await vaeConfig(folder);
  return vaeModel({
    encoder: (await encoder.has('model.onnx')) ? encoder.graph : undefined,
    decoder: decoder.graph,
    latentChannels: numberOr(config.latent_channels, 4),
    scale: vaeScale(config),
    config,
  });
}

export const vaeConfig = async (folder: ImageModelFolder): Promise<JsonConfig> =>
  (await folder.readJson('vae_decoder/config.json')) ?? (await folder.readJson('vae/config.json')) ?? {};

/** Pixels per latent cell: each block but the last halves the image. Usually 8, for the x4 upscaler 4. */
export const vaeScale = ({ block_out_channels }: JsonConfig): number =>
  2 ** ((Array.isArray(block_out_channels) ? block_out_channels.length : 4) - 1);

/** Images are processed one by one, which limits the memory that they need. */
export function vaeModel({
  encoder,
  decoder,
  latentChannels,
  scale,
  config,
  cellsAtOnce = 0,
}: VaeParts): VaeModel {
  return {
    ...(decoder && { graphs: { decoder, encoder, config } }),
    latentChannels,
    scale,
    prepare: (signal) => decoder?.prepare(signal),
    async encode(pixels, signal) {
      if (!encoder)
        throw new Error('this model has no vae_encoder: it can only decode images, not encode them');
      const session = await encoder.session(signal);
      const slot = requireSlot(session, 'sample');
      const raster = withChannels(cropToMultiple(imageRaster(pixels), scale), 3);
      const latents: FloatTensor[] = [];
      for (let index = 0; index < raster.batch; index++) {
        const { shape, data } = rasterToPlanes(rasterAt(raster, index));
        const feeds = { [slot.name]: feed(slot, { shape, data: data.map((value) => value * 2 - 1) }) };
        const outputs = await session.run(feeds, signal);
        // The output is the mean, or mean and log variance. Only the mean is used.
        const output = toFloatTensor(Object.values(outputs)[0]!);
        const [, , height = 0, width = 0] = output.shape;
        const size = latentChannels * height * width;
        latents.push({ shape: [1, latentChannels, height, width], data: output.data.slice(0, size) });
      }
      return toBatch(latents, 1);
    },
    async decode(samples, signal, { isWhole } = { isWhole: true }) {
      if (!decoder)
        throw new Error('this model has no decoder: it can only encode images, not decode latents');
      const session = await decoder.session(signal);
      const slot = requireSlot(session, 'latent_sample', 'latent', 'latents');
      const [batch = 0, channels = 0, ...sides] = samples.shape;
      if (channels !== latentChannels)
        throw new TypeError(`this model's latents have ${latentChannels} channels; these have ${channels}`);
      const size = samples.data.length / batch;
      const frames = Math.max(1, Math.floor((cellsAtOnce * channels) / size));
      const images = [];
      for (let index = 0; index < batch; index += frames) {
        const count = Math.min(frames, batch - index);
        const data = samples.data.subarray(index * size, (index + count) * size);
        const latent = { shape: [count, channels, ...sides], data };
        const outputs = await session.run({ [slot.name]: feed(slot, latent) }, signal);
        const image = toFloatTensor(Object.values(outputs)[0]!);
        const pixels = image.data.map((value) => (isWhole ? clamp01((value + 1) / 2) : (value + 1) / 2));
        images.push(planesToRaster({ shape: image.shape, data: pixels }));
      }
      return rasterToImage(concatBatches(images));
    },
  };
}
