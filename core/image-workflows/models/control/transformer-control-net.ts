/** Control nets for transformers: SD3ControlNetModel and FluxControlNetModel of diffusers, which look at the latents of a picture. */
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
import type { ControlLatentInputs, ControlNet } from '../../values/control-net.ts';
import type { ModelGraph } from '../../values/model-graph.ts';
import type { NetworkPrompt } from '../../values/network.ts';
import type { FloatTensor } from '../../values/tensor.ts';
import { feed, findSlot, requireSlot } from '../graphs/session-tensors.ts';
import { concatChannels, repeatBatch, toBatch } from '../networks/batches.ts';
import { blockSamples } from '../networks/control-residuals.ts';
import { PATCH_SIZE, packTokens, padToEven } from '../networks/packed-tokens.ts';
import { fluxLayout, sd3Layout } from '../networks/transformer-layouts.ts';
import { fullStrengthFeed, runForPrompts } from './control-outputs.ts';

/** For prompts of one length. `type`: of nets for several kinds of pictures. */
export function transformerResiduals(graph: ModelGraph, type: number | undefined): ControlNet['residuals'] {
  const latents = new LatentPictures();
  return async (x, timestep, prompts, image, signal, beside) => {
    const session = await graph.session(signal);
    const isFlux = findSlot(session.inputs, 'img_ids') !== undefined;
    const asked = prompts.map(({ tensor, options }): NetworkPrompt => ({ tensor, options }));
    const feeds = (isFlux ? fluxLayout : sd3Layout).feeds({ session, x, timestep, prompts: asked });
    const slot = requireSlot(session, 'controlnet_cond');
    const features = isFlux ? Number(slot.shape[2]) / PATCH_SIZE ** 2 : Number(slot.shape[1]);
    const seen = padToEven(await latents.of(image, beside, x.shape, features, signal));
    const picture = repeatBatch(isFlux ? packTokens(seen) : seen, prompts.length);
    feeds[slot.name] = feed(slot, picture);
    Object.assign(feeds, fullStrengthFeed(session));
    const kind = findSlot(session.inputs, 'controlnet_mode');
    const batch = x.shape[0]!;
    if (kind) {
      const shape = [batch * prompts.length, ...kind.shape.slice(1).map(() => 1)];
      feeds[kind.name] = feed(kind, { shape, data: new Float32Array(shape[0]!).fill(type ?? 0) });
    }
    const names = blockSamples(session.outputs).map(({ name }) => name);
    return runForPrompts({ session, names, count: prompts.length, batch }, feeds, signal);
  };
}

/** Of several nodes and areas with one net. */
const MOST_PICTURES = 4;

interface LatentPicture {
  image: FloatTensor;
  sight: ControlLatentInputs;
  key: string;
  latents: FloatTensor;
}

/** Pictures as nets see them. The last ones are kept: each step looks at the same. */
class LatentPictures {
  #last: LatentPicture[] = [];

  /** [batch, channels, height, width] for latents of that shape; `features`: channels that the net takes, NaN where it does not say. */
  async of(
    image: FloatTensor,
    sight: ControlLatentInputs | undefined,
    shape: readonly number[],
    features: number,
    signal: AbortSignal,
  ): Promise<FloatTensor> {
    if (!sight?.vae)
      throw new Error(
        'this control net looks at latents: give its node (ControlNetApplyAdvanced) the VAE of the model',
      );
    const key = shape.join();
    const known = this.#last.find(
      (one) => one.image === image && one.key === key && isSame(one.sight, sight),
    );
    if (known) return known.latents;
    const latents = await latentPicture(image, { ...sight, vae: sight.vae }, shape, features, signal);
    this.#last = [{ image, sight, key, latents }, ...this.#last].slice(0, MOST_PICTURES);
    return latents;
  }
}

const isSame = (a: ControlLatentInputs, b: ControlLatentInputs): boolean =>
  a.vae === b.vae && a.mask === b.mask;

async function latentPicture(
  image: FloatTensor,
  { vae, mask, latent }: ControlLatentInputs & Required<Pick<ControlLatentInputs, 'vae'>>,
  [batch = 1, channels = 1, height = 1, width = 1]: readonly number[],
  features: number,
  signal: AbortSignal,
): Promise<FloatTensor> {
  const paints = Number.isNaN(features) ? mask !== undefined : features > channels;
  if (paints && !mask)
    throw new Error(
      'this control net paints under a mask: use ControlNetInpaintingAliMamaApply, which takes one',
    );
  const raster = withChannels(imageRaster(image), 3);
  const kept = paints ? mapRaster(maskRaster(mask!), (value) => 1 - value) : undefined;
  const visible = kept ? masked(raster, kept) : raster;
  const sized = resize(visible, width * vae.scale, height * vae.scale, 'nearest-exact', 'center');
  const { shape, data } = await vae.encode(rasterToImage(sized), signal);
  if (shape[1] !== channels)
    throw new TypeError(
      `the VAE makes latents of ${shape[1]} channels, and the model's have ${channels}: use the VAE of the model`,
    );
  const scaled = { shape, data: data.map((value) => (value - latent.shiftFactor) * latent.scaleFactor) };
  const all = toBatch([scaled], batch);
  if (!kept) return all;
  const small = repeatToBatch(resize(kept, width, height, 'nearest-exact', 'center'), batch);
  return concatChannels(all, rasterToPlanes(small));
}

/** Black where nothing is kept. */
function masked(raster: Raster, kept: Raster): Raster {
  const sized = repeatToBatch(resize(kept, raster.width, raster.height, 'bilinear', 'center'), raster.batch);
  const data = raster.data.map((value, at) => value * roundHalfEven(sized.data[Math.floor(at / 3)]!));
  return { ...raster, data };
}
