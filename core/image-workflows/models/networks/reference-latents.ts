/**
 * Reference images of Flux Kontext (Labs et al., "FLUX.1 Kontext: flow matching for in-context image generation and
 * editing in latent space", 2025, section 3).
 */
import type { DiffusionModel } from '../../values/diffusion-model.ts';
import type { LatentFormat } from '../../values/latent.ts';
import { scaleLatent } from '../../values/latent-scaling.ts';
import type { ReferencePlacement } from '../../values/network.ts';
import { withoutFrames } from '../../values/single-frames.ts';
import type { FloatTensor } from '../../values/tensor.ts';
import { PATCH_SIZE } from './packed-tokens.ts';

/**
 * Scales the references of a prompt as the network sees latents.
 * @param usual their placement if none is set
 * @param hasTimes the network may see references at another time than the latent
 */
export const referenceInputs =
  (
    format: LatentFormat,
    usual: ReferencePlacement = 'offset',
    hasTimes = false,
  ): NonNullable<DiffusionModel['imageInputs']> =>
  ({ references }) => {
    const { latents = [], placement = usual } = references ?? {};
    if (latents.length === 0) return {};
    if (placement === 'index_timestep_zero' && !hasTimes)
      throw new TypeError(
        'this model sees its references at the time of the latent only: choose the reference_latents_method index',
      );
    const { channels } = format;
    const scaled = latents.map(withoutFrames).map((latent): FloatTensor => {
      const { shape } = latent;
      if (shape.length !== 4 || shape[1] !== channels)
        throw new TypeError(
          `this model's latents are [batch, ${channels}, height, width]; the reference is [${shape.join(', ')}]: encode the image with the model's own VAE`,
        );
      return scaleLatent(latent, format);
    });
    return { references: { latents: scaled, placement } };
  };

/** The position of a reference: its layer, first row and first column, in tokens. */
export interface ReferencePosition {
  layer: number;
  top: number;
  left: number;
}

/**
 * Places references next to a latent. All sizes are in latent cells.
 * - `offset`: in one layer, each to the right or below, where the bounding box grows less.
 * - `index`: each in a layer of its own. `index_timestep_zero`: there, too. `negative_index`: in layers before the latent.
 * - `uxo`: in the layer of the latent, each beyond the lower right corner of the last.
 */
export function referencePositions(
  sizes: readonly (readonly [height: number, width: number])[],
  placement: ReferencePlacement,
  [latentHeight, latentWidth]: readonly [number, number],
): ReferencePosition[] {
  const tokens = (cells: number) => Math.floor((cells + PATCH_SIZE / 2) / PATCH_SIZE);
  let [bottom, right] = [0, 0];
  return sizes.map(([height, width], index) => {
    if (placement === 'index' || placement === 'index_timestep_zero')
      return { layer: index + 1, top: 0, left: 0 };
    if (placement === 'negative_index') return { layer: -index - 1, top: 0, left: 0 };
    if (placement === 'uxo') {
      const position = {
        layer: 0,
        top: tokens(tokens(latentHeight) * PATCH_SIZE + bottom),
        left: tokens(tokens(latentWidth) * PATCH_SIZE + right),
      };
      bottom += height;
      right += width;
      return position;
    }
    const isToTheRight = height + bottom > width + right;
    const [top, left] = isToTheRight ? [0, right] : [bottom, 0];
    bottom = Math.max(bottom, height + top);
    right = Math.max(right, width + left);
    return { layer: 1, top: tokens(top), left: tokens(left) };
  });
}
