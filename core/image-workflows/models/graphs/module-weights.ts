/** Maps the modules of the exported network to the weights of the graph. */
import type { OnnxInitializer, OnnxOutline } from '#core/tensors';
import { constantsOf, moduleOf, usesTransposedWeights } from './graph-constants.ts';

export interface ModuleWeights {
  /** The constant's name in the graph. */
  name: string;
  initializer: OnnxInitializer;
  /** Stored as [inputs, outputs] instead of [outputs, inputs, …]. */
  isTransposed: boolean;
}

/** A module's name with `_` for every dot. Some exporter versions omit the outermost `text_model` of a text encoder. */
export const moduleKey = (module: string): string => module.replaceAll('.', '_').replace(/^text_model_/, '');

const WEIGHTED: readonly string[] = ['MatMul', 'Gemm', 'Conv'];

/**
 * The weights by `moduleKey`. Exporters name a weight after its module. A weight that they transposed has no such name:
 * then the node that uses it states the module in its own name (`/down_blocks.0/attentions.0/…/to_q/MatMul`) or metadata.
 */
export function moduleWeights(outline: OnnxOutline): Map<string, ModuleWeights> {
  const { nodes, initializers } = outline;
  const constants = constantsOf(outline);
  const found = new Map<string, ModuleWeights>();
  const add = (module: string, weights: ModuleWeights) => {
    const key = moduleKey(module);
    if (module !== '' && !found.has(key)) found.set(key, weights);
  };
  for (const node of nodes) {
    const name = node.inputs[1] ?? '';
    const initializer = constants.get(name)?.initializer;
    if (!initializer || !WEIGHTED.includes(node.operator)) continue;
    const weights = { name, initializer, isTransposed: usesTransposedWeights(node) };
    if (name.endsWith('.weight')) add(name.slice(0, -'.weight'.length), weights);
    else add(moduleOf(node), weights);
  }
  // Weights that a Transpose node feeds to the operator.
  for (const initializer of initializers)
    if (initializer.name.endsWith('.weight') && initializer.shape.length >= 2)
      add(initializer.name.slice(0, -'.weight'.length), {
        name: initializer.name,
        initializer,
        isTransposed: false,
      });
  return found;
}
