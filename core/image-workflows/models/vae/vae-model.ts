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
import type { VaeModel } from '../../values/image-models.ts';
import type { JsonObject, ModelGraph } from '../../values/model-graph.ts';
import { type FloatTensor, zeros } from '../../values/tensor.ts';
import { feed, requireSlot, toFloatTensor } from '../graphs/session-tensors.ts';
import { type ModelFolder, numberOr } from '../model-files/model-folder.ts';
import { cropToMultiple } from './center-crop.ts';

export interface VaeParts {
  /** undefined: this model only decodes. */
  encoder: ModelGraph | undefined;
  decoder: ModelGraph;
  latentChannels: number;
  /** Pixels a latent cell. */
  scale: number;
  /** As its file has it. */
  config: JsonObject;
}

/** `vae_decoder` and, where there is one, `vae_encoder` of a folder. Graphs that are missing are told of when they are used. */
export async function openVae(folder: ModelFolder): Promise<VaeModel> {
  const decoder = folder.at('vae_decoder');
  const encoder = folder.at('vae_encoder');
  const config = await vaeConfig(folder);
  return vaeModel({
    encoder: (await encoder.has('model.onnx')) ? encoder.graph : undefined,
    decoder: decoder.graph,
    latentChannels: numberOr(config.latent_channels, 4),
    scale: vaeScale(config),
    config,
  });
}

export const vaeConfig = async (folder: ModelFolder): Promise<JsonObject> =>
  (await folder.json('vae_decoder/config.json')) ?? (await folder.json('vae/config.json')) ?? {};

/** Pixels a latent cell: 8 of all but the x4 upscaler, which has a layer less. */
export const vaeScale = ({ block_out_channels }: JsonObject): number =>
  2 ** ((Array.isArray(block_out_channels) ? block_out_channels.length : 4) - 1);

/** An autoencoder in the diffusers layout. Pictures go one by one, which bounds the memory that they need. */
export function vaeModel({ encoder, decoder, latentChannels, scale, config }: VaeParts): VaeModel {
  return {
    graphs: { decoder, encoder, config },
    latentChannels,
    scale,
    prepare: (signal) => decoder.prepare(signal),
    async encode(pixels, signal) {
      if (!encoder)
        throw new Error('this model has no vae_encoder: it can only make pictures, not read them');
      const session = await encoder.session(signal);
      const slot = requireSlot(session, 'sample');
      const raster = withChannels(cropToMultiple(imageRaster(pixels), scale), 3);
      const made: FloatTensor[] = [];
      for (let index = 0; index < raster.batch; index++) {
        const { shape, data } = rasterToPlanes(rasterAt(raster, index));
        const feeds = { [slot.name]: feed(slot, { shape, data: data.map((value) => value * 2 - 1) }) };
        const outputs = await session.run(feeds, signal);
        // Mean and spread, or the mean alone: the mean is what pictures are kept as.
        const { shape: given, data: numbers } = toFloatTensor(Object.values(outputs)[0]!);
        const [, , height = 0, width = 0] = given;
        const size = latentChannels * height * width;
        made.push({ shape: [1, latentChannels, height, width], data: numbers.slice(0, size) });
      }
      return joined(made);
    },
    async decode(samples, signal, { isWhole } = { isWhole: true }) {
      const session = await decoder.session(signal);
      const slot = requireSlot(session, 'latent_sample', 'latent', 'latents');
      const [batch = 0, channels = 0, ...sides] = samples.shape;
      if (channels !== latentChannels)
        throw new TypeError(
          `this model's latents have ${latentChannels} channels; the ones given have ${channels}`,
        );
      const size = samples.data.length / batch;
      const pictures = [];
      for (let index = 0; index < batch; index++) {
        const data = samples.data.subarray(index * size, (index + 1) * size);
        const outputs = await session.run(
          { [slot.name]: feed(slot, { shape: [1, channels, ...sides], data }) },
          signal,
        );
        const picture = toFloatTensor(Object.values(outputs)[0]!);
        pictures.push(
          planesToRaster({
            shape: picture.shape,
            data: picture.data.map((value) => (isWhole ? clamp01((value + 1) / 2) : (value + 1) / 2)),
          }),
        );
      }
      return rasterToImage(concatBatches(pictures));
    },
  };
}

function joined(latents: readonly FloatTensor[]): FloatTensor {
  const made = zeros([latents.length, ...latents[0]!.shape.slice(1)]);
  for (const [index, { data }] of latents.entries()) made.data.set(data, index * data.length);
  return made;
}
