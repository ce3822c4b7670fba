/** Images and videos that LTX Video follows at any of its frames: frames at the end of the latent with other places. */
import { videoMask } from '../../images/noise-mask.ts';
import { imageRaster, type Raster, withChannels } from '../../images/rasters.ts';
import { resize } from '../../images/resize/resize.ts';
import { cellPlace } from '../../models/families/ltxv/video-angles.ts';
import { concatAlong, toBatch } from '../../values/batches.ts';
import { type Conditioning, withOptions } from '../../values/conditioning.ts';
import { framesFrom, replaceFrames } from '../../values/frames.ts';
import type { Latent } from '../../values/latent.ts';
import { type FloatTensor, full } from '../../values/tensor.ts';
import type { KeyFrames } from '../../values/video-guides.ts';
import { float, int, link } from '../kernel/inputs.ts';
import { type AnyNode, node } from '../kernel/node-type.ts';
import { bothPrompts, encodeFrames, promptOutputs } from './given-frames.ts';

/** Frames of a video for each frame of a latent, but the first. */
const FRAMES = 8;
/** So many frames of a guide stand next to the video. Further ones replace frames of the latent. */
const NEXT_TO_VIDEO = 2;

const shared = {
  category: 'conditioning/video_models',
  module: 'comfy_extras.nodes_lt',
  modern: true,
  outputs: promptOutputs,
} as const;

const guidesOf = (conditioning: Conditioning): KeyFrames | undefined =>
  conditioning[0]?.options.guides?.keyFrames;

const withKeyFrames = (conditioning: Conditioning, keyFrames: KeyFrames | undefined): Conditioning =>
  withOptions(conditioning, { guides: { keyFrames } });

/** One number for each frame: [batch, 1, frames, height or 1, width or 1]. */
function maskOf({ samples, noiseMask }: Latent): FloatTensor {
  const [batch = 1, , frames = 1] = samples.shape;
  if (!noiseMask) return full([batch, 1, frames, 1, 1], 1);
  const isFitted = noiseMask.shape.length === 5 && noiseMask.shape[2] === frames;
  return isFitted ? noiseMask : videoMask(noiseMask, samples.shape);
}

/** The frames that fill frames of a latent, in the size of a latent. */
function guideFrames(image: FloatTensor, [height = 1, width = 1]: readonly number[], scale: number): Raster {
  const raster = withChannels(imageRaster(image), 3);
  const batch = Math.floor((raster.batch - 1) / FRAMES) * FRAMES + 1;
  const size = raster.height * raster.width * 3;
  const part = { ...raster, batch, data: raster.data.subarray(0, batch * size) };
  return resize(part, width * scale, height * scale, 'bilinear');
}

/** The first frame of the guide, in frames of the video. Negative numbers count from the end. */
function firstFrame(index: number, latentFrames: number, guideLength: number): number {
  const first = index >= 0 ? index : Math.max((latentFrames - 1) * FRAMES + 1 + index, 0);
  return guideLength > 1 && first !== 0 ? Math.floor((first - 1) / FRAMES) * FRAMES + 1 : first;
}

/** Frame, row and column of each cell of [batch, channels, frames, height, width] in pixels. */
function placesOf({ shape }: FloatTensor, first: number): FloatTensor {
  const [, , frames = 1, height = 1, width = 1] = shape;
  const places: number[] = [];
  for (let frame = 0; frame < frames; frame++)
    for (let row = 0; row < height; row++)
      for (let column = 0; column < width; column++)
        places.push(
          first + cellPlace(frame, 0, first === 0),
          cellPlace(row, 1, false),
          cellPlace(column, 2, false),
        );
  return { shape: [places.length / 3, 3], data: Float32Array.from(places) };
}

const addGuide = node({
  ...shared,
  name: 'LTXVAddGuide',
  description:
    'Adds an image or the frames of a video that the result follows from a frame on. frame_idx: negative numbers count from the end; videos begin at multiples of 8 plus 1. LTXVCropGuides removes the frames afterwards.',
  inputs: {
    ...bothPrompts(),
    vae: link('VAE'),
    latent: link('LATENT'),
    image: link('IMAGE'),
    frame_idx: int({ default: 0, min: -9999, max: 9999 }),
    strength: float({ default: 1.0, min: 0.0, max: 1.0, step: 0.01 }),
  },
  async run({ positive, negative, vae, latent, image, frame_idx, strength }, { signal }) {
    const { samples } = latent;
    const [batch = 1, , count = 1, ...sides] = samples.shape;
    const frames = guideFrames(image, sides, vae.scale);
    const guide = toBatch([await encodeFrames(vae, frames, signal)], batch);
    const own = guidesOf(positive);
    const first = firstFrame(frame_idx, count - (own?.frames ?? 0), frames.batch);
    const start = Math.floor((first + FRAMES - 1) / FRAMES);
    if (start + guide.shape[2]! > count)
      throw new TypeError(
        `the guide fills ${guide.shape[2]} frames of the latent from frame ${start} on, and the latent has ${count}: use a longer latent or fewer frames`,
      );
    const added = Math.min(NEXT_TO_VIDEO, guide.shape[2]!);
    const [next, rest] = [framesFrom(guide, 0, added), framesFrom(guide, added, guide.shape[2]!)];
    const mask = maskOf(latent);
    const maskFor = (number: number) =>
      full([mask.shape[0]!, 1, number, ...mask.shape.slice(3)], 1 - strength);
    const places = placesOf(next, first);
    const keyFrames: KeyFrames = {
      frames: (own?.frames ?? 0) + added,
      places: own ? concatAlong(0, own.places, places) : places,
    };
    return [
      withKeyFrames(positive, keyFrames),
      withKeyFrames(negative, keyFrames),
      {
        samples: replaceFrames(concatAlong(2, samples, next), rest, start + added),
        noiseMask: replaceFrames(
          concatAlong(2, mask, maskFor(added)),
          maskFor(rest.shape[2]!),
          start + added,
        ),
      },
    ];
  },
});

const cropGuides = node({
  ...shared,
  name: 'LTXVCropGuides',
  description: 'Removes the frames that LTXVAddGuide added to a latent.',
  inputs: { ...bothPrompts(), latent: link('LATENT') },
  run({ positive, negative, latent }) {
    const { samples } = latent;
    const added = guidesOf(positive)?.frames ?? 0;
    const rest = Math.max(samples.shape[2]! - added, 0);
    const cut = (video: FloatTensor) => (added === 0 ? video : framesFrom(video, 0, rest));
    return [
      withKeyFrames(positive, undefined),
      withKeyFrames(negative, undefined),
      { samples: cut(samples), noiseMask: cut(maskOf(latent)) },
    ];
  },
});

/** The nodes in the order of `/object_info`. */
export const ltxvGuideNodes: AnyNode[] = [addGuide, cropGuides];
