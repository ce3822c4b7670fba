import type { DiffusionModel } from '../../values/diffusion-model.ts';
import type { LatentFormat } from '../../values/latent.ts';
import type { ReferencePlacement } from '../../values/network.ts';
import type { FloatTensor } from '../../values/tensor.ts';
import { PATCH_SIZE } from './packed-tokens.ts';

/** As the network sees latents. */
export const referenceInputs =
  ({ channels, scaleFactor, shiftFactor }: LatentFormat): NonNullable<DiffusionModel['imageInputs']> =>
  ({ references }) => {
    const { latents: images = [], placement: placing = 'offset' } = references ?? {};
    if (images.length === 0) return {};
    const latents = images.map(({ shape, data }): FloatTensor => {
      if (shape.length !== 4 || shape[1] !== channels)
        throw new TypeError(
          `this model's latents are [batch, ${channels}, height, width]; the reference is [${shape.join(', ')}]: encode the picture with the model's own VAE`,
        );
      return { shape, data: data.map((value) => (value - shiftFactor) * scaleFactor) };
    });
    return { references: { latents, placing } };
  };

/** Where a reference lies: the number of its layer, and its first row and column, in tokens. */
export interface ReferencePosition {
  layer: number;
  top: number;
  left: number;
}

/**
 * For references of these heights and widths in latent cells, beside a latent of `height` x `width`. `offset`: one layer,
 * each where it makes the whole less long; `index`: a layer for each; `uxo`: the picture's own layer, each beyond the corner
 * of the last.
 */
export function referencePositions(
  sizes: readonly (readonly [height: number, width: number])[],
  placing: ReferencePlacement,
  [height, width]: readonly [number, number],
): ReferencePosition[] {
  const tokens = (cells: number) => Math.floor((cells + PATCH_SIZE / 2) / PATCH_SIZE);
  const [high, wide] = [tokens(height) * PATCH_SIZE, tokens(width) * PATCH_SIZE];
  let [bottom, right] = [0, 0];
  return sizes.map(([tall, broad], index) => {
    if (placing === 'index') return { layer: index + 1, top: 0, left: 0 };
    if (placing === 'uxo') {
      const place = { layer: 0, top: tokens(high + bottom), left: tokens(wide + right) };
      bottom += tall;
      right += broad;
      return place;
    }
    const isBeside = tall + bottom > broad + right;
    const [top, left] = isBeside ? [0, right] : [bottom, 0];
    bottom = Math.max(bottom, tall + top);
    right = Math.max(right, broad + left);
    return { layer: 1, top: tokens(top), left: tokens(left) };
  });
}
