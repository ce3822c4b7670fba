/** The parameters of a network that an adapter changes. */
import type { OnnxOutline } from '#core/tensors';
import { constantsOf, moduleOf, widenedConstants } from '../graphs/graph-constants.ts';
import { isFloatType } from '../graphs/stored-floats.ts';
import type { ForwardNode } from './gradients/gradient-rule.ts';
import type { TracedGraph } from './traced-graph.ts';

/** A layer that multiplies its input by a matrix, or by a kernel of [outputs, inputs, …]. */
export interface TrainableLayer {
  readonly module: string;
  readonly node: ForwardNode;
  readonly outputs: number;
  readonly inputs: number;
  /** The sides of the kernel. Empty for a matrix. */
  readonly kernel: readonly number[];
}

/** A bias, or the weight of a norm. */
export interface TrainableVector {
  readonly module: string;
  readonly of: 'weight' | 'bias';
  /** Its 32-bit floats in the graph. */
  readonly value: string;
  readonly length: number;
}

export interface TrainableParameters {
  readonly layers: readonly TrainableLayer[];
  readonly vectors: readonly TrainableVector[];
}

const PARAMETER = /^([A-Za-z_]\w*(?:\.\w+)*)\.(weight|bias)$/;

/** Throws when a layer is of a kind that cannot be trained. */
export function trainableParameters(outline: OnnxOutline, traced: TracedGraph): TrainableParameters {
  const parameters = parametersOfConstants(outline);
  const layers = outline.nodes.flatMap((node, index): TrainableLayer[] => {
    if (!['MatMul', 'Gemm', 'Conv'].includes(node.operator)) return [];
    const weights = node.inputs[1] ?? '';
    if (!parameters.has(weights)) return [];
    const module = PARAMETER.exec(parameters.get(weights) ?? '')?.[1] ?? moduleOf(node);
    if (module === '') return [];
    const forward = traced.nodes[index]!;
    return [{ module, node: forward, ...sidesOf(forward, traced.shape(weights)) }];
  });
  return { layers: withoutRepeats(layers), vectors: trainableVectors(outline, parameters) };
}

function sidesOf(node: ForwardNode, shape: readonly number[]) {
  const [first = 1, second = 1, ...kernel] = shape;
  if (node.operator === 'Conv') {
    if ((node.attributes.group ?? 1) !== 1)
      throw new Error('a convolution of groups of channels cannot be trained here');
    return { outputs: first, inputs: second, kernel };
  }
  const isTransposed = node.operator === 'Gemm' && node.attributes.transB === 1;
  return isTransposed
    ? { outputs: first, inputs: second, kernel: [] }
    : { outputs: second, inputs: first, kernel: [] };
}

/** A layer that runs twice would need the sum of two gradients. */
function withoutRepeats(layers: readonly TrainableLayer[]): readonly TrainableLayer[] {
  const seen = new Set<string>();
  for (const { module } of layers) {
    if (seen.has(module))
      throw new Error(`${module} is used twice in the network, and cannot be trained here`);
    seen.add(module);
  }
  return layers;
}

/** The parameters in values that depend on constants alone. Undefined: constants without the name of a parameter. */
function parametersOfConstants(outline: OnnxOutline): Map<string, string | undefined> {
  const found = new Map<string, string | undefined>();
  for (const name of constantsOf(outline).keys()) found.set(name, PARAMETER.test(name) ? name : undefined);
  for (const { inputs, outputs } of outline.nodes) {
    const used = inputs.filter((name) => name !== '');
    if (used.length === 0 || !used.every((name) => found.has(name))) continue;
    const parameter = used.map((name) => found.get(name)).find((name) => name !== undefined);
    for (const output of outputs) found.set(output, parameter);
  }
  return found;
}

function trainableVectors(
  outline: OnnxOutline,
  parameters: ReadonlyMap<string, string | undefined>,
): TrainableVector[] {
  const widened = widenedConstants(outline);
  const used = new Set(outline.nodes.flatMap(({ inputs }) => inputs));
  return outline.initializers.flatMap(({ name, type, shape }): TrainableVector[] => {
    const [, module, of] = PARAMETER.exec(name) ?? [];
    if (module === undefined || shape.length !== 1 || !isFloatType(type) || !parameters.has(name)) return [];
    const value = type === 'F32' ? name : widened.get(name)?.name;
    if (value === undefined || !used.has(value)) return [];
    return [{ module, of: of as 'weight' | 'bias', value, length: shape[0]! }];
  });
}
