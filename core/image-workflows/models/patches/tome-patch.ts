/** Bolya and Hoffman, "Token merging for fast Stable Diffusion", 2023. */
import { MersenneTwister } from '../../sampling/random/mersenne-twister.ts';
import type { GraphPatch } from '../../values/graph-patch.ts';
import { inputField } from '../graphs/graph-fields.ts';
import { findAttention } from './attention-nodes.ts';
import { requireOpset } from './node-builder.ts';
import { stepSeed } from './step-seed.ts';
import { type TomeInputs, tomeInsertions } from './tome-nodes.ts';
import { levelCount, levelOf } from './unet-structure.ts';

/**
 * Of every 2 x 2 tokens of the largest level one is a target, and the `ratio` of all tokens that are most like a target are merged
 * with it, where self-attention asks what to look at; their answer is that of the target. Which one is the target is
 * drawn, from numbers that a noise level always gives.
 */
export function tokenMerging(ratio: number): GraphPatch {
  const key = `merged tokens ${ratio}`;
  const inputs: TomeInputs = {
    order: `tabd/${key} order`,
    places: `tabd/${key} places`,
    counts: `tabd/${key} counts`,
  };
  return {
    key,
    build(outline) {
      requireOpset(outline, 'TomePatchModel');
      const levels = levelCount(outline);
      const places = findAttention(outline, /\battn1$/, 'self-attention').filter(
        ({ module }) => levelOf(module, levels) === 0,
      );
      if (places.length === 0) return {};
      return {
        fields: [
          inputField(inputs.order, 'I64', ['tokens']),
          inputField(inputs.places, 'I64', ['tokens']),
          inputField(inputs.counts, 'I64', [2]),
        ],
        insertions: places.flatMap((attention, index) =>
          tomeInsertions(outline, attention, inputs, `tabd/${key} ${index}`),
        ),
        feeds({ x, timestep }) {
          const [, , height = 0, width = 0] = x.shape;
          const { sources, targets } = split(height, width, new MersenneTwister(stepSeed(timestep)));
          const order = [...sources, ...targets];
          const placeOf = new Array<number>(order.length);
          for (const [place, token] of order.entries()) placeOf[token] = place;
          const merged =
            targets.length === 0 ? 0 : Math.min(sources.length, Math.floor(order.length * ratio));
          const list = (numbers: readonly number[]) =>
            ({ type: 'int64', shape: [numbers.length], data: BigInt64Array.from(numbers, BigInt) }) as const;
          return {
            [inputs.order]: list(order),
            [inputs.places]: list(placeOf),
            [inputs.counts]: list([Math.max(targets.length, 1), merged]),
          };
        },
      };
    },
  };
}

/** Tokens by rows. Those beyond the last whole cell are sources. */
function split(height: number, width: number, twister: MersenneTwister) {
  const isTarget = new Uint8Array(height * width);
  for (let row = 0; row + 1 < height; row += 2)
    for (let column = 0; column + 1 < width; column += 2) {
      const one = twister.word() % 4;
      isTarget[(row + (one >> 1)) * width + column + (one & 1)] = 1;
    }
  const tokens = Array.from(isTarget, (_, token) => token);
  return {
    sources: tokens.filter((token) => !isTarget[token]),
    targets: tokens.filter((token) => isTarget[token]),
  };
}
