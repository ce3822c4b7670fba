/** Tokens before those of the prompt in Flux, as USO has them for a style. */
import type { OnnxOutline } from '#core/tensors';
import type { GraphPatch } from '../../values/graph-patch.ts';
import type { FloatTensor } from '../../values/tensor.ts';
import { moduleOf } from '../graphs/graph-constants.ts';
import { NodeBuilder } from './node-builder.ts';

/** The module that projects the tokens of the prompt, and the input with their positions. */
const PROJECTION = 'context_embedder';
const POSITIONS = 'txt_ids';

/**
 * Puts tokens of the network's width before those of every prompt. Their positions are zeros. Building the patch throws
 * when the network is no Flux.
 * @param tokens [1, tokens, width]
 */
export function leadingTokens({ shape, data }: FloatTensor): GraphPatch {
  const [, count = 0, width = 0] = shape;
  const key = `tabd/leading tokens ${shape.join('x')} ${checksum(data)}`;
  return {
    key,
    async build(outline) {
      const projected = projectedPrompt(outline);
      const readers = outline.nodes.flatMap((node) =>
        node.inputs.flatMap((name, input) => (name === POSITIONS ? [{ node, input }] : [])),
      );
      if (projected === undefined || readers.length === 0)
        throw new Error('style references are for Flux: this model has no such prompt');
      return {
        insertions: [
          {
            at: { value: projected },
            parts(from, to) {
              const builder = new NodeBuilder(outline, to);
              const batch = builder.concat(builder.sizes(from, 0, 1), builder.ints(1, 1));
              const all = builder.op('Expand', [builder.constant([1, count, width], data), batch]);
              builder.op('Concat', [all, from], { axis: 1 }, to);
              return builder.fields;
            },
          },
          ...readers.map((at) => ({
            at,
            parts(from: string, to: string) {
              const builder = new NodeBuilder(outline, to);
              const places = builder.constant([count, 3], new Float32Array(3 * count));
              builder.op('Concat', [places, from], { axis: 0 }, to);
              return builder.fields;
            },
          })),
        ],
      };
    },
  };
}

/** The result of the projection's last node: the sum with its bias, or the product. */
function projectedPrompt({ nodes }: OnnxOutline): string | undefined {
  const own = nodes.filter((node) => moduleOf(node) === PROJECTION);
  const last =
    own.find(({ operator }) => operator === 'Add') ?? own.find(({ operator }) => operator === 'MatMul');
  return last?.outputs[0];
}

/** The function of Fowler, Noll and Vo, FNV-1a, over the bits of the numbers. */
function checksum(numbers: Float32Array): string {
  let state = 0x811c9dc5;
  for (const word of new Uint32Array(numbers.slice().buffer))
    state = Math.imul(state ^ word, 0x01000193) >>> 0;
  return state.toString(16);
}
