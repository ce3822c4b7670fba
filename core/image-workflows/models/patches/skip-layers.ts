/** Skips blocks of a transformer, as a switchable patch. */
import type { GraphPatch } from '../../values/graph-patch.ts';
import { nodeField } from '../graphs/graph-fields.ts';
import { blockStreams } from './block-streams.ts';
import { patchSwitch } from './patch-switch.ts';

/** Block numbers from 0. Double-stream blocks keep image and text apart, single-stream blocks join them. */
export interface SkippedLayers {
  readonly double: readonly number[];
  readonly single: readonly number[];
}

/** A skipped block returns its input. Numbers of missing blocks are ignored. */
export function skipLayers(layers: SkippedLayers): GraphPatch {
  const sortUnique = (numbers: readonly number[]) => [...new Set(numbers)].sort((a, b) => a - b);
  const [double, single] = [sortUnique(layers.double), sortUnique(layers.single)];
  const key = `skipped layers ${double.join()}; ${single.join()}`;
  return {
    key,
    build(outline) {
      const blocks = blockStreams(outline);
      if (!blocks)
        throw new Error(
          'the layers of a transformer cannot be found in this model\'s graph: it is of another kind, or was optimized after its export. Use a Stable Diffusion 3 or Flux as "optimum-cli export onnx" makes it',
        );
      const skipped = [
        ...double.map((number) => `transformer_blocks.${number}`),
        ...single.map((number) => `single_transformer_blocks.${number}`),
      ].flatMap((block) => blocks.get(block) ?? []);
      const { input, field, feeds } = patchSwitch(key);
      return {
        fields: [field],
        insertions: skipped.map(({ before, after }) => ({
          at: { value: after },
          parts: (from, to) => [nodeField('Where', [input, before, from], [to])],
        })),
        feeds,
      };
    },
  };
}
