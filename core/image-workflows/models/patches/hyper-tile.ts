/** Attention of each place to those of its own tile only, as tfernd's "HyperTile" has it: less to work out in large pictures. */
import { MersenneTwister } from '../../sampling/random/mersenne-twister.ts';
import type { GraphPatch } from '../../values/graph-patch.ts';
import { inputField } from '../graphs/graph-fields.ts';
import { type AttentionNodes, findAttention } from './attention-nodes.ts';
import { tileAttention } from './attention-tiles.ts';
import { requireOpset } from './node-builder.ts';
import { stepSeed } from './step-seed.ts';
import { attentionWidth, firstChannels, levelCount, levelOf, levelSize } from './unet-structure.ts';

export interface HyperTileOptions {
  /** In pixels, and at least 32: no tile is smaller. */
  readonly tileSize: number;
  /** How many numbers of tiles are drawn from. */
  readonly swapSize: number;
  /** Of the levels: their channels are up to 2^depth times those of the first. */
  readonly maxDepth: number;
  /** Tiles of deeper levels are as many as those of the first, at most. */
  readonly scaleDepth: boolean;
}

interface Place {
  attention: AttentionNodes;
  level: number;
  least: number;
}

/**
 * How many tiles there are is drawn anew for each place and step, so that no seam stays where it is; from numbers that a
 * noise level always gives. Where the tokens are not as many as the latent's size says, nothing is tiled.
 */
export function hyperTile({ tileSize, swapSize, maxDepth, scaleDepth }: HyperTileOptions): GraphPatch {
  const key = `hyper tile ${tileSize} ${swapSize} ${maxDepth} ${scaleDepth}`;
  const input = `tabd/${key}`;
  return {
    key,
    build(outline) {
      requireOpset(outline, 'HyperTile');
      const first = firstChannels(outline);
      const levels = levelCount(outline);
      const places: Place[] = [];
      for (const attention of findAttention(outline, /\battn1$/, 'self-attention')) {
        const multiple = attentionWidth(outline, attention) / first;
        if (!Number.isInteger(Math.log2(multiple)) || multiple > 2 ** maxDepth) continue;
        const least = Math.floor(Math.max(32, tileSize) / 8) * (scaleDepth ? 2 ** (multiple - 1) : 1);
        places.push({ attention, level: levelOf(attention.module, levels), least });
      }
      if (places.length === 0) return {};
      return {
        fields: [inputField(input, 'I64', ['places', 4])],
        insertions: places.flatMap(({ attention }, index) => tileAttention(outline, attention, input, index)),
        feeds({ x, timestep }) {
          const twister = new MersenneTwister(stepSeed(timestep));
          const rows = places.flatMap(({ level, least }) => {
            const [height, width] = levelSize(x.shape, level);
            const draw = (size: number) => {
              const counts = tileCounts(size, least, swapSize);
              return counts[twister.word() % counts.length]!;
            };
            return [draw(height), draw(width), height, width];
          });
          const data = BigInt64Array.from(rows, BigInt);
          return { [input]: { type: 'int64', shape: [places.length, 4], data } };
        },
      };
    },
  };
}

/** Into how many tiles a side may be cut, from many to few: those of at least `least`, if it is that long. */
export function tileCounts(size: number, least: number, most: number): number[] {
  const counts: number[] = [];
  for (let tile = Math.min(least, size); tile <= size && counts.length < most; tile++)
    if (size % tile === 0) counts.push(size / tile);
  return counts;
}
