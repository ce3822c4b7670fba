/** Graphs on GPUs whose shaders have no 16-bit floats (without `shader-f16`). */
import { ProviderUnusable } from '#core/host';
import type { OnnxNode, OnnxOutline } from './onnx-file/read-graph-file.ts';

/** `TensorProto.DataType.FLOAT16` of ONNX. */
const FLOAT16 = 10;
/** Operators whose results are not of the type of their inputs. */
const OTHER_RESULTS = new Set(['Shape', 'Size']);
/** Operators that only copy or convert numbers: work that the CPU does in time. */
const COPYING = new Set([
  'Cast',
  'Concat',
  'Expand',
  'Gather',
  'Identity',
  'Reshape',
  'Shape',
  'Size',
  'Slice',
  'Split',
  'Squeeze',
  'Transpose',
  'Unsqueeze',
]);

/**
 * The names of the nodes that read or write 16-bit floats, which such a GPU leaves to the CPU. Graphs over files of
 * weights have them where they read stored weights.
 * @throws ProviderUnusable for a graph that also computes with 16-bit floats
 */
export function halfNodes({ initializers, nodes }: Pick<OnnxOutline, 'initializers' | 'nodes'>): string[] {
  const halves = new Set<string>();
  for (const { name, type } of initializers) if (type === 'F16') halves.add(name);
  const found: string[] = [];
  for (const node of nodes) {
    const { name, operator, inputs, outputs } = node;
    const isResultHalf = writesHalf(node, halves);
    if (isResultHalf) for (const output of outputs) halves.add(output);
    if (!isResultHalf && !inputs.some((input) => halves.has(input))) continue;
    if (!COPYING.has(operator) || name === '')
      throw new ProviderUnusable(
        `this GPU has no 16-bit floats in shaders (shader-f16), and the graph computes ${operator} with them`,
      );
    found.push(name);
  }
  return found;
}

function writesHalf({ operator, inputs, attributes }: OnnxNode, halves: ReadonlySet<string>): boolean {
  if (operator === 'Cast') return attributes.to === FLOAT16;
  return !OTHER_RESULTS.has(operator) && inputs.some((input) => halves.has(input));
}
