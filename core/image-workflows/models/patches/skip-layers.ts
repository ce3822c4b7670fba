import type { GraphPatch } from '../../values/graph-patch.ts';
import { nodeField } from '../graphs/graph-fields.ts';
import { blockStreams } from './block-streams.ts';
import { patchSwitch } from './patch-switch.ts';

/** Numbers of blocks, from 0: `double` those that see picture and text apart, `single` those that see both as one. */
export interface SkippedLayers {
  readonly double: readonly number[];
  readonly single: readonly number[];
}

/** Layers that the network does not have are left out. */
export function skipLayers(layers: SkippedLayers): GraphPatch {
  const [double, single] = [layers.double, layers.single].map((numbers) =>
    [...new Set(numbers)].sort((a, b) => a - b),
  );
  const key = `skipped layers ${double!.join()}; ${single!.join()}`;
  return {
    key,
    build(outline) {
      const blocks = blockStreams(outline);
      if (!blocks)
        throw new Error(
          'the layers of a transformer are not to be found in this model\'s graph: it is of another kind, or was optimized after its export. Use a Stable Diffusion 3 or Flux as "optimum-cli export onnx" makes it',
        );
      const skipped = [
        ...double!.map((number) => `transformer_blocks.${number}`),
        ...single!.map((number) => `single_transformer_blocks.${number}`),
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
