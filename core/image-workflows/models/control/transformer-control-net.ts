/** Control nets of transformers (SD3ControlNetModel and FluxControlNetModel of diffusers), whose hint is a latent. */
import type { Tensor, TensorSession } from '#core/host';
import {
  imageRaster,
  mapRaster,
  maskRaster,
  type Raster,
  rasterToImage,
  rasterToPlanes,
  repeatToBatch,
  withChannels,
} from '../../images/rasters.ts';
import { resize } from '../../images/resize/resize.ts';
import { roundHalfEven } from '../../images/rounding.ts';
import { concatChannels, repeatBatch, toBatch } from '../../values/batches.ts';
import type { ControlLatentInputs, ControlNet } from '../../values/control-net.ts';
import { scaleLatent } from '../../values/latent-scaling.ts';
import type { ModelGraph } from '../../values/model-graph.ts';
import type { ControlResidual, NetworkPrompt } from '../../values/network.ts';
import type { FloatTensor } from '../../values/tensor.ts';
import { feed, findSlot, requireSlot } from '../graphs/session-tensors.ts';
import { blockSamples, isSingleBlockSample } from '../networks/control-residuals.ts';
import { PATCH_SIZE, packTokens, padToEven } from '../networks/packed-tokens.ts';
import { fluxLayout, sd3Layout } from '../networks/transformer-layouts.ts';
import { fullStrengthFeed, runForPrompts } from './control-outputs.ts';
import { fitHint } from './hint-image.ts';
import type { TransformerControl } from './transformer-control-files.ts';

/**
 * The residuals of a transformer's control net. All prompts must have the same length. `type`: the kind of hint image,
 * for a union of several control nets. `control`: undefined for an exported graph.
 */
export function transformerResiduals(
  graph: ModelGraph,
  type: number | undefined,
  control?: TransformerControl,
): ControlNet['residuals'] {
  const hints = new HintLatents();
  return async (x, timestep, prompts, hintImage, signal, latentInputs) => {
    const image = hints.adjusted(hintImage, control?.adjust);
    const session = await graph.session(signal);
    const batch = x.shape[0]!;
    const count = prompts.length;
    const own = control ?? exportedControl(session);
    const networkPrompts = prompts.map(({ tensor, options }): NetworkPrompt => ({ tensor, options }));
    const feeds = own.layout.feeds({ session, x, timestep, prompts: networkPrompts });
    const slot = requireSlot(session, 'controlnet_cond');
    const encode = async () => {
      const channels = own.isPacked ? Number(slot.shape[2]) / PATCH_SIZE ** 2 : Number(slot.shape[1]);
      const inputs = own.isUnshifted ? withoutShift(latentInputs) : latentInputs;
      const hint = padToEven(await hints.encode(image, inputs, x.shape, channels, signal));
      return own.isPacked ? packTokens(hint) : hint;
    };
    const hint = own.hint === 'image' ? signedHint(image, x.shape) : await encode();
    feeds[slot.name] = feed(slot, repeatBatch(hint, count));
    Object.assign(feeds, fullStrengthFeed(session), kindFeed(session, type, batch * count));
    const names = blockSamples(session.outputs).map(({ name }) => name);
    const results = await runForPrompts({ session, names, count, batch }, feeds, signal);
    return results.map((residuals) => markedResiduals(residuals, names, own));
  };
}

/** An exported net of Flux takes positions, and one of Stable Diffusion 3 takes none. */
const exportedControl = ({ inputs }: TensorSession): TransformerControl =>
  findSlot(inputs, 'img_ids') ? { layout: fluxLayout, isPacked: true } : { layout: sd3Layout };

const withoutShift = (inputs: ControlLatentInputs | undefined): ControlLatentInputs | undefined =>
  inputs && { ...inputs, latent: { ...inputs.latent, shiftFactor: 0 } };

/** The image with even sides in cells, from -1 to 1. */
function signedHint(image: FloatTensor, [batch = 1, channels = 1, ...sides]: readonly number[]): FloatTensor {
  const even = sides.map((side) => Math.ceil(side / PATCH_SIZE) * PATCH_SIZE);
  const { shape, data } = fitHint(image, [batch, channels, ...even]);
  return { shape, data: data.map((value) => value * 2 - 1) };
}

/** The kind of the image for a union. Unions in files of weights take none, too. */
function kindFeed(session: TensorSession, type: number | undefined, batch: number): Record<string, Tensor> {
  const slot = findSlot(session.inputs, 'controlnet_mode');
  if (!slot) return {};
  const isOptional = slot.shape[1] === 'modes';
  const shape = isOptional && type === undefined ? [batch, 0] : [batch, ...slot.shape.slice(1).map(() => 1)];
  const size = shape.reduce((product, side) => product * side, 1);
  return { [slot.name]: feed(slot, { shape, data: new Float32Array(size).fill(type ?? 0) }) };
}

function markedResiduals(
  residuals: readonly FloatTensor[],
  names: readonly string[],
  { repeats, hasPowers }: TransformerControl,
): ControlResidual[] {
  const singles = names.filter(isSingleBlockSample).length;
  return residuals.map((residual, index) => {
    const isSingle = isSingleBlockSample(names[index]!);
    return {
      ...residual,
      count: isSingle ? singles : names.length - singles,
      ...(isSingle && { isSingle: true as const }),
      ...(repeats && { repeats }),
      ...(hasPowers && { power: names.length - index }),
    };
  });
}

/** Several nodes and areas may use one control net with different hints. */
const MAX_HINTS = 4;

interface CachedHint {
  image: FloatTensor;
  inputs: ControlLatentInputs;
  shape: string;
  latents: FloatTensor;
}

/** Encodes hint images, and caches the last ones: each step of a run uses the same. */
class HintLatents {
  #cached: CachedHint[] = [];
  readonly #adjusted = new WeakMap<FloatTensor, FloatTensor>();

  /** The same image gives the same result, so that its latents are found again. */
  adjusted(image: FloatTensor, adjust: TransformerControl['adjust']): FloatTensor {
    if (!adjust) return image;
    const cached = this.#adjusted.get(image);
    const result = cached ?? { ...image, data: image.data.map(adjust) };
    this.#adjusted.set(image, result);
    return result;
  }

  /**
   * [batch, channels, height, width] for latents of a shape. Rejects without a VAE.
   *
   * @param channels those that the net takes. NaN when its graph does not say.
   */
  async encode(
    image: FloatTensor,
    inputs: ControlLatentInputs | undefined,
    latentShape: readonly number[],
    channels: number,
    signal: AbortSignal,
  ): Promise<FloatTensor> {
    if (!inputs?.vae)
      throw new Error(
        'this control net takes latents: give its node (ControlNetApplyAdvanced) the VAE of the model',
      );
    const shape = latentShape.join();
    const cached = this.#cached.find(
      (hint) =>
        hint.image === image &&
        hint.shape === shape &&
        hint.inputs.vae === inputs.vae &&
        hint.inputs.mask === inputs.mask,
    );
    if (cached) return cached.latents;
    const latents = await encodeHint(image, { ...inputs, vae: inputs.vae }, latentShape, channels, signal);
    this.#cached = [{ image, inputs, shape, latents }, ...this.#cached].slice(0, MAX_HINTS);
    return latents;
  }
}

async function encodeHint(
  image: FloatTensor,
  { vae, mask, latent }: ControlLatentInputs & Required<Pick<ControlLatentInputs, 'vae'>>,
  [batch = 1, latentChannels = 1, height = 1, width = 1]: readonly number[],
  channels: number,
  signal: AbortSignal,
): Promise<FloatTensor> {
  const isInpainting = Number.isNaN(channels) ? mask !== undefined : channels > latentChannels;
  if (isInpainting && !mask)
    throw new Error(
      'this control net is for inpainting: use ControlNetInpaintingAliMamaApply, which takes a mask',
    );
  const raster = withChannels(imageRaster(image), 3);
  const visible = isInpainting ? mapRaster(maskRaster(mask!), (value) => 1 - value) : undefined;
  const hint = visible ? blackenHidden(raster, visible) : raster;
  const sized = resize(hint, width * vae.scale, height * vae.scale, 'nearest-exact', 'center');
  const encoded = firstFrame(await vae.encode(rasterToImage(sized), signal));
  const { shape } = encoded;
  if (shape[1] !== latentChannels)
    throw new TypeError(
      `the VAE makes latents of ${shape[1]} channels, and the model's have ${latentChannels}: use the VAE of the model`,
    );
  const latents = toBatch([scaleLatent(encoded, latent)], batch);
  if (!visible) return latents;
  const smallMask = repeatToBatch(resize(visible, width, height, 'nearest-exact', 'center'), batch);
  return concatChannels(latents, rasterToPlanes(smallMask));
}

/** Autoencoders of videos give [1, channels, frames, height, width]. */
function firstFrame({ shape, data }: FloatTensor): FloatTensor {
  if (shape.length < 5) return { shape, data };
  const [batch = 1, channels = 1, frames = 1, height = 1, width = 1] = shape;
  const size = height * width;
  const first = new Float32Array(batch * channels * size);
  for (let plane = 0; plane < batch * channels; plane++)
    first.set(data.subarray(plane * frames * size, plane * frames * size + size), plane * size);
  return { shape: [batch, channels, height, width], data: first };
}

/** Makes pixels black where `visible`, 0 to 1 in any size, is below one half. */
function blackenHidden(raster: Raster, visible: Raster): Raster {
  const resized = resize(visible, raster.width, raster.height, 'bilinear', 'center');
  const factors = repeatToBatch(resized, raster.batch).data;
  const data = raster.data.map((value, at) => value * roundHalfEven(factors[Math.floor(at / 3)]!));
  return { ...raster, data };
}
