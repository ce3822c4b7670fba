/** Token merging, "ToMe" (Bolya and Hoffman, "Token merging for fast Stable Diffusion", 2023). */
import { MersenneTwister } from '../../sampling/random/mersenne-twister.ts';
import type { GraphPatch } from '../../values/graph-patch.ts';
import { inputField } from '../graphs/graph-fields.ts';
import { findAttention } from './attention-nodes.ts';
import { requireOpset } from './node-builder.ts';
import { stepSeed } from './step-seed.ts';
import { type TomeInputs, tomeInsertions } from './tome-nodes.ts';
import { levelCount, levelOf } from './unet-structure.ts';

/**
 * Merges query tokens of self-attention on the largest level. One random token of each 2 x 2 cells is a target. The
 * `ratio` of all tokens that are most similar to a target are merged into it, and share its result. The random choice
 * depends only on the noise level.
 */
export function tokenMerging(ratio: number): GraphPatch {
  const key = `merged tokens ${ratio}`;
  const inputs: TomeInputs = {
    order: `tabd/${key} order`,
    positions: `tabd/${key} places`,
    counts: `tabd/${key} counts`,
  };
  return {
    key,
    build(outline) {
      requireOpset(outline, 'TomePatchModel');
      const levels = levelCount(outline);
      const modules = findAttention(outline, /\battn1$/, 'self-attention').filter(
        ({ module }) => levelOf(module, levels) === 0,
      );
      if (modules.length === 0) return {};
      return {
        fields: [
          inputField(inputs.order, 'I64', ['tokens']),
          inputField(inputs.positions, 'I64', ['tokens']),
          inputField(inputs.counts, 'I64', [2]),
        ],
        insertions: modules.flatMap((attention, index) =>
          tomeInsertions(outline, attention, inputs, `tabd/${key} ${index}`),
        ),
        feeds({ x, timestep }) {
          const [, , height = 0, width = 0] = x.shape;
          const { sources, targets } = split(height, width, new MersenneTwister(stepSeed(timestep)));
          const order = [...sources, ...targets];
          const positions = new Array<number>(order.length);
          for (const [position, token] of order.entries()) positions[token] = position;
          const merged =
            targets.length === 0 ? 0 : Math.min(sources.length, Math.floor(order.length * ratio));
          const list = (numbers: readonly number[]) =>
            ({ type: 'int64', shape: [numbers.length], data: BigInt64Array.from(numbers, BigInt) }) as const;
          return {
            [inputs.order]: list(order),
            [inputs.positions]: list(positions),
            [inputs.counts]: list([Math.max(targets.length, 1), merged]),
          };
        },
      };
    },
  };
}

/** The numbers of source and target tokens, row by row. Tokens of an incomplete 2 x 2 group are sources. */
function split(height: number, width: number, twister: MersenneTwister) {
  const isTarget = new Uint8Array(height * width);
  for (let row = 0; row + 1 < height; row += 2)
    for (let column = 0; column + 1 < width; column += 2) {
      const choice = twister.word() % 4;
      isTarget[(row + (choice >> 1)) * width + column + (choice & 1)] = 1;
    }
  const tokens = Array.from(isTarget, (_, token) => token);
  return {
    sources: tokens.filter((token) => !isTarget[token]),
    targets: tokens.filter((token) => isTarget[token]),
  };
}
