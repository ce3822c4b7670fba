/** Autoencoders of videos, which also make images: a single frame. */
import {
  concatBatches,
  imageRaster,
  planesToRaster,
  type Raster,
  rasterToImage,
  rasterToPlanes,
  withChannels,
} from '../../images/rasters.ts';
import { clamp01 } from '../../images/rounding.ts';
import type { VaeModel } from '../../values/image-models.ts';
import type { ModelGraph } from '../../values/model-graph.ts';
import { byFrames, fromFrames } from '../../values/video-frames.ts';
import { feed, requireSlot, toFloatTensor } from '../graphs/session-tensors.ts';
import { cropToMultiple } from './center-crop.ts';

/** The graphs for single frames and for several. */
export interface FrameGraphs {
  readonly image: ModelGraph;
  readonly video: ModelGraph;
}

export interface VideoVaeParts {
  /** Undefined: the model only decodes. */
  encoder: FrameGraphs | undefined;
  decoder: FrameGraphs;
  latentChannels: number;
  /** Pixels per latent cell along each side. */
  scale: number;
  /** Frames of a video for each frame of a latent, but the first. */
  frameScale: number;
}

/**
 * An image becomes a latent [1, channels, height, width]. Several become the frames of a video: [1, channels, frames,
 * height, width]. Both forms can be decoded; the frames of several videos follow one another.
 */
export function videoVae({ encoder, decoder, latentChannels, scale, frameScale }: VideoVaeParts): VaeModel {
  const graphOf = ({ image, video }: FrameGraphs, frames: number) => (frames === 1 ? image : video);
  return {
    graphs: { encoder: encoder?.image, decoder: decoder.image, config: {} },
    latentChannels,
    scale,
    prepare: (signal) => decoder.image.prepare(signal),
    async encode(pixels, signal) {
      if (!encoder) throw new Error('this model has no encoder: it can only decode images, not encode them');
      const images = wholeSteps(cropToMultiple(imageRaster(pixels), scale), frameScale);
      const session = await graphOf(encoder, images.batch).session(signal);
      const slot = requireSlot(session, 'sample');
      // Some take the opacity of each pixel, too.
      const raster = withChannels(images, slot.shape[1] === 4 ? 4 : 3);
      const { shape, data } = rasterToPlanes(raster);
      const input = feed(slot, { shape, data: data.map((value) => value * 2 - 1) });
      const outputs = await session.run({ [slot.name]: input }, signal);
      const frames = toFloatTensor(Object.values(outputs)[0]!);
      return raster.batch === 1 ? frames : fromFrames(frames);
    },
    async decode(samples, signal, { isWhole } = { isWhole: true }) {
      const [batch = 0, channels = 0] = samples.shape;
      if (channels !== latentChannels)
        throw new TypeError(`this model's latents have ${latentChannels} channels; these have ${channels}`);
      const images: Raster[] = [];
      for (let index = 0; index < batch; index++) {
        const frames = byFrames(samples, index);
        const session = await graphOf(decoder, frames.shape[0]!).session(signal);
        const slot = requireSlot(session, 'latent_sample');
        const outputs = await session.run({ [slot.name]: feed(slot, frames) }, signal);
        const { shape, data } = toFloatTensor(Object.values(outputs)[0]!);
        const pixels = data.map((value) => (isWhole ? clamp01((value + 1) / 2) : (value + 1) / 2));
        images.push(planesToRaster({ shape, data: pixels }));
      }
      return rasterToImage(concatBatches(images));
    },
  };
}

/** Leaves out frames at the end that fill no step. */
function wholeSteps(raster: Raster, frameScale: number): Raster {
  const batch = 1 + Math.floor((raster.batch - 1) / frameScale) * frameScale;
  const size = raster.height * raster.width * raster.channels;
  return { ...raster, batch, data: raster.data.subarray(0, batch * size) };
}
