/** Control nets of transformers (SD3ControlNetModel and FluxControlNetModel of diffusers), whose hint is a latent. */
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
import type { NetworkPrompt } from '../../values/network.ts';
import type { FloatTensor } from '../../values/tensor.ts';
import { feed, findSlot, requireSlot } from '../graphs/session-tensors.ts';
import { blockSamples, isSingleBlockSample } from '../networks/control-residuals.ts';
import { PATCH_SIZE, packTokens, padToEven } from '../networks/packed-tokens.ts';
import { fluxLayout, sd3Layout } from '../networks/transformer-layouts.ts';
import { fullStrengthFeed, runForPrompts } from './control-outputs.ts';

/**
 * The residuals of a transformer's control net. All prompts must have the same length. `type`: the kind of hint image,
 * for a union of several control nets.
 */
export function transformerResiduals(graph: ModelGraph, type: number | undefined): ControlNet['residuals'] {
  const hints = new HintLatents();
  return async (x, timestep, prompts, image, signal, latentInputs) => {
    const session = await graph.session(signal);
    const batch = x.shape[0]!;
    const count = prompts.length;
    const isFlux = findSlot(session.inputs, 'img_ids') !== undefined;
    const networkPrompts = prompts.map(({ tensor, options }): NetworkPrompt => ({ tensor, options }));
    const layout = isFlux ? fluxLayout : sd3Layout;
    const feeds = layout.feeds({ session, x, timestep, prompts: networkPrompts });
    const slot = requireSlot(session, 'controlnet_cond');
    const channels = isFlux ? Number(slot.shape[2]) / PATCH_SIZE ** 2 : Number(slot.shape[1]);
    const hint = padToEven(await hints.encode(image, latentInputs, x.shape, channels, signal));
    feeds[slot.name] = feed(slot, repeatBatch(isFlux ? packTokens(hint) : hint, count));
    Object.assign(feeds, fullStrengthFeed(session));
    const kind = findSlot(session.inputs, 'controlnet_mode');
    if (kind) {
      const shape = [batch * count, ...kind.shape.slice(1).map(() => 1)];
      feeds[kind.name] = feed(kind, { shape, data: new Float32Array(shape[0]!).fill(type ?? 0) });
    }
    const names = blockSamples(session.outputs).map(({ name }) => name);
    const results = await runForPrompts({ session, names, count, batch }, feeds, signal);
    return results.map((residuals) =>
      residuals.map((residual, index) => ({
        ...residual,
        ...(isSingleBlockSample(names[index]!) && { isSingle: true as const }),
      })),
    );
  };
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
  const encoded = await vae.encode(rasterToImage(sized), signal);
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

/** Makes pixels black where `visible`, 0 to 1 in any size, is below one half. */
function blackenHidden(raster: Raster, visible: Raster): Raster {
  const resized = resize(visible, raster.width, raster.height, 'bilinear', 'center');
  const factors = repeatToBatch(resized, raster.batch).data;
  const data = raster.data.map((value, at) => value * roundHalfEven(factors[Math.floor(at / 3)]!));
  return { ...raster, data };
}
