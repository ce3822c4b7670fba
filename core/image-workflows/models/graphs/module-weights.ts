/** Which weights of a graph belong to which module of the network that it was exported from. */
import type { OnnxInitializer, OnnxOutline } from '#core/tensors';
import { constantsOf, moduleOf, usesTransposedWeights } from './graph-constants.ts';

export interface ModuleWeights {
  /** As the graph calls them. */
  name: string;
  initializer: OnnxInitializer;
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
export function moduleWeights(outline: OnnxOutline): Map<string, ModuleWeights> {
  const { nodes, initializers } = outline;
  const values = constantsOf(outline);
  const found = new Map<string, ModuleWeights>();
  const add = (module: string, weights: ModuleWeights) => {
    const key = moduleKey(module);
    if (module !== '' && !found.has(key)) found.set(key, weights);
  };
  for (const node of nodes) {
    const taken = node.inputs[1] ?? '';
    const initializer = values.get(taken)?.initializer;
    if (!initializer || !WEIGHTED.includes(node.operator)) continue;
    const weights = { name: taken, initializer, isTransposed: usesTransposedWeights(node) };
    if (taken.endsWith('.weight')) add(taken.slice(0, -'.weight'.length), weights);
    else add(moduleOf(node), weights);
  }
  // Turned round by a node of their own.
  for (const initializer of initializers)
    if (initializer.name.endsWith('.weight') && initializer.shape.length >= 2)
      add(initializer.name.slice(0, -'.weight'.length), {
        name: initializer.name,
        initializer,
        isTransposed: false,
      });
  return found;
}
