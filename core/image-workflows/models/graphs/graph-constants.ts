/** What the nodes of a graph take as constants, under whichever names. */
import type { OnnxInitializer, OnnxNode, OnnxOutline } from '#core/tensors';

export interface GraphConstant {
  /** Where its numbers lie. */
  initializer: OnnxInitializer;
  /** Where its own name lies in the file, of one that a node hands on: exporters keep equal weights once. */
  alias: { start: number; end: number } | undefined;
}

/** The module of the network that a node was exported from, as exporters say it beside the node or in its name; '' where none does. */
export const moduleOf = ({ module, name }: OnnxNode): string =>
  module ?? name.split('/').slice(1, -1).join('.');

/** Whether a node takes the weights at its second place as [inputs, outputs]. */
export const usesTransposedWeights = ({ operator, attributes }: OnnxNode): boolean =>
  operator === 'MatMul' || (operator === 'Gemm' && attributes.transB !== 1);

const known = new WeakMap<OnnxOutline, ReadonlyMap<string, GraphConstant>>();

/** By their names: initializers, and what nodes make of them without a change. */
export function constantsOf(outline: OnnxOutline): ReadonlyMap<string, GraphConstant> {
  const values = known.get(outline) ?? readValues(outline);
  known.set(outline, values);
  return values;
}

function readValues({ initializers, nodes }: OnnxOutline): Map<string, GraphConstant> {
  const values = new Map<string, GraphConstant>();
  for (const initializer of initializers) values.set(initializer.name, { initializer, alias: undefined });
  for (const { operator, inputs, outputs, outputRanges: outputPlaces } of nodes) {
    const from = operator === 'Identity' ? values.get(inputs[0] ?? '') : undefined;
    if (from && !from.alias && outputs[0] && outputPlaces[0])
      values.set(outputs[0], { initializer: from.initializer, alias: outputPlaces[0] });
  }
  return values;
}
