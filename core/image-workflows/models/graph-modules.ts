/** Which weights of a graph belong to which module of the network that it was exported from. */
import type { GraphOutline, Initializer } from '../../tensors/onnx-file/read-graph-file.ts';

export interface ModuleWeights {
  initializer: Initializer;
  /** Kept as [inputs, outputs], not [outputs, inputs, …]. */
  isTransposed: boolean;
}

/** With `_` for every dot. Some versions of the exported library leave out the outermost name of a text encoder. */
export const moduleKey = (module: string): string => module.replaceAll('.', '_').replace(/^text_model_/, '');

const WEIGHTED: readonly string[] = ['MatMul', 'Gemm', 'Conv'];

/**
 * By `moduleKey` of their names. Exporters name a weight after its module, or, where they turned it
 * round, name only the node that uses it: `/down_blocks.0/attentions.0/…/to_q/MatMul`, or say it beside the node.
 */
export function moduleWeights({ nodes, initializers }: GraphOutline): Map<string, ModuleWeights> {
  const byName = new Map(initializers.map((one) => [one.name, one]));
  const found = new Map<string, ModuleWeights>();
  const add = (module: string, weights: ModuleWeights) => {
    const key = moduleKey(module);
    if (module !== '' && !found.has(key)) found.set(key, weights);
  };
  for (const { name, operator, module, inputs, attributes } of nodes) {
    const initializer = byName.get(inputs[1] ?? '');
    if (!initializer || !WEIGHTED.includes(operator)) continue;
    const isTransposed = operator === 'MatMul' || (operator === 'Gemm' && attributes.transB !== 1);
    const weights = { initializer, isTransposed };
    if (initializer.name.endsWith('.weight')) add(initializer.name.slice(0, -'.weight'.length), weights);
    else add(module ?? name.split('/').slice(1, -1).join('.'), weights);
  }
  // Turned round by a node of their own.
  for (const initializer of initializers)
    if (initializer.name.endsWith('.weight') && initializer.shape.length >= 2)
      add(initializer.name.slice(0, -'.weight'.length), { initializer, isTransposed: false });
  return found;
}
