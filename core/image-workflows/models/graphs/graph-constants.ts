/** The constants of a graph under all names by which nodes use them. */
import { blockFloatsName, type OnnxInitializer, type OnnxNode, type OnnxOutline } from '#core/tensors';

export interface GraphConstant {
  /** Holds the elements. */
  initializer: OnnxInitializer;
  /**
   * The byte range of the constant's name in the file, when an Identity node defines it. Exporters store equal weights
   * once and give them further names in this way.
   */
  alias: { start: number; end: number } | undefined;
}

/** The module that a node was exported from, according to its metadata or name. '' when neither states one. */
export const moduleOf = ({ module, name }: OnnxNode): string =>
  module ?? name.split('/').slice(1, -1).join('.');

/** Whether a node takes the weights at its second input as [inputs, outputs]. */
export const usesTransposedWeights = ({ operator, attributes }: OnnxNode): boolean =>
  operator === 'MatMul' || (operator === 'Gemm' && attributes.transB !== 1);

const byOutline = new WeakMap<OnnxOutline, ReadonlyMap<string, GraphConstant>>();

/** The constants of a graph by name: its initializers, and the outputs of Identity nodes that copy these. */
export function constantsOf(outline: OnnxOutline): ReadonlyMap<string, GraphConstant> {
  const constants = byOutline.get(outline) ?? findConstants(outline);
  byOutline.set(outline, constants);
  return constants;
}

function findConstants({ initializers, nodes }: OnnxOutline): Map<string, GraphConstant> {
  const constants = new Map<string, GraphConstant>();
  for (const initializer of initializers) constants.set(initializer.name, { initializer, alias: undefined });
  for (const { operator, inputs, outputs, outputRanges } of nodes) {
    const original = operator === 'Identity' ? constants.get(inputs[0] ?? '') : undefined;
    if (original && !original.alias && outputs[0] && outputRanges[0])
      constants.set(outputs[0], { initializer: original.initializer, alias: outputRanges[0] });
  }
  return constants;
}

/** A constant as 32-bit floats. */
export interface WidenedConstant {
  name: string;
  /** The byte range of the name in the file. */
  range: { start: number; end: number };
}

/** `TensorProto.DataType` of 32-bit floats. */
const FLOAT = 1;

/** The values with the numbers of constants that are stored in blocks, by the constant's name. */
export function unpackedConstants({ nodes, initializers }: OnnxOutline): Map<string, WidenedConstant> {
  const outputs = new Map(
    nodes.flatMap(({ outputs: [name], outputRanges: [range] }) =>
      name && range ? [[name, { name, range }] as const] : [],
    ),
  );
  return new Map(
    initializers.flatMap(({ name }) => {
      const unpacked = outputs.get(blockFloatsName(name));
      return unpacked ? [[name, unpacked] as const] : [];
    }),
  );
}

/**
 * The outputs of Cast nodes that make 32-bit floats of a constant, by the constant's name. Only for constants that no
 * other node uses.
 */
export function widenedConstants({ nodes }: OnnxOutline): Map<string, WidenedConstant> {
  const uses = new Map<string, number>();
  for (const { inputs } of nodes) for (const name of inputs) uses.set(name, (uses.get(name) ?? 0) + 1);
  return new Map(
    nodes.flatMap(({ operator, inputs: [input = ''], outputs: [name], outputRanges: [range], attributes }) =>
      operator === 'Cast' && attributes.to === FLOAT && uses.get(input) === 1 && name && range
        ? [[input, { name, range }] as const]
        : [],
    ),
  );
}
