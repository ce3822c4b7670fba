/** HyperTile (tfernd): self-attention within tiles only, which needs less computation for large images. */
import { MersenneTwister } from '../../sampling/random/mersenne-twister.ts';
import type { GraphPatch } from '../../values/graph-patch.ts';
import { inputField } from '../graphs/graph-fields.ts';
import { type AttentionNodes, findAttention } from './attention-nodes.ts';
import { tileAttention } from './attention-tiles.ts';
import { requireOpset } from './node-builder.ts';
import { stepSeed } from './step-seed.ts';
import { attentionWidth, firstChannels, levelCount, levelOf, levelSize } from './unet-structure.ts';

export interface HyperTileOptions {
  /** The smallest side of a tile in pixels. Values below 32 count as 32. */
  readonly tileSize: number;
  /** The largest number of tile counts to choose from. */
  readonly swapSize: number;
  /** The deepest level that is tiled: its channels are 2^maxDepth times those of the first. */
  readonly maxDepth: number;
  /** Enlarges tiles on deeper levels, in relation to the level's size. */
  readonly scaleDepth: boolean;
}

interface TiledModule {
  attention: AttentionNodes;
  level: number;
  /** The smallest side of a tile, in tokens. */
  minTile: number;
}

/**
 * The number of tiles is drawn for each module and step, so that seams change their positions. The draw depends only on
 * the noise level. Modules whose tokens do not form the expected area are not tiled.
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
      const modules: TiledModule[] = [];
      for (const attention of findAttention(outline, /\battn1$/, 'self-attention')) {
        const multiple = attentionWidth(outline, attention) / first;
        if (!Number.isInteger(Math.log2(multiple)) || multiple > 2 ** maxDepth) continue;
        const minTile = Math.floor(Math.max(32, tileSize) / 8) * (scaleDepth ? 2 ** (multiple - 1) : 1);
        modules.push({ attention, level: levelOf(attention.module, levels), minTile });
      }
      if (modules.length === 0) return {};
      return {
        fields: [inputField(input, 'I64', ['places', 4])],
        insertions: modules.flatMap(({ attention }, index) =>
          tileAttention(outline, attention, input, index),
        ),
        feeds({ x, timestep }) {
          const twister = new MersenneTwister(stepSeed(timestep));
          const rows = modules.flatMap(({ level, minTile }) => {
            const [height, width] = levelSize(x.shape, level);
            const draw = (size: number) => {
              const counts = tileCounts(size, minTile, swapSize);
              return counts[twister.word() % counts.length]!;
            };
            return [draw(height), draw(width), height, width];
          });
          const data = BigInt64Array.from(rows, BigInt);
          return { [input]: { type: 'int64', shape: [modules.length, 4], data } };
        },
      };
    },
  };
}

/** The numbers of equal tiles into which a side can be cut, in descending order. Tiles are at least `minTile` long. */
export function tileCounts(size: number, minTile: number, limit: number): number[] {
  const counts: number[] = [];
  for (let tile = Math.min(minTile, size); tile <= size && counts.length < limit; tile++)
    if (size % tile === 0) counts.push(size / tile);
  return counts;
}
