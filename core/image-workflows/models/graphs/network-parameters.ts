/** Finds the parameters of the exported network among the constants of its graph. */
import type { OnnxInitializer, OnnxNode, OnnxOutline } from '#core/tensors';
import { constantsOf, type GraphConstant, moduleOf, usesTransposedWeights } from './graph-constants.ts';
import { isFloatType } from './stored-floats.ts';

export interface NetworkParameter {
  /** The constant's name in the graph. */
  constant: string;
  initializer: OnnxInitializer;
  /** Stored as [inputs, outputs] instead of [outputs, inputs]. */
  isTransposed: boolean;
}

/** The roles of constants by operator and input index. */
const WEIGHTED: Readonly<Record<string, readonly (string | undefined)[]>> = {
  MatMul: [undefined, 'weight'],
  Gemm: [undefined, 'weight', 'bias'],
  Conv: [undefined, 'weight', 'bias'],
  ConvTranspose: [undefined, 'weight', 'bias'],
  LayerNormalization: [undefined, 'weight', 'bias'],
  GroupNormalization: [undefined, 'weight', 'bias'],
};
/** The roles of constants in a norm that the exporter decomposed into elementary operators. */
const NORM_ROLES: Readonly<Record<string, string>> = { Mul: 'weight', Add: 'bias' };
/** Operators of onnxruntime's optimizer, each of which combines several parts of the network. */
const FUSED =
  /^(\w*Attention\w*|Skip\w+|Fused\w+|Nhwc\w+|GroupNorm|Bias\w+|EmbedLayerNormalization|MatMulNBits|MatMulInteger|ConvInteger|QLinear\w+|DequantizeLinear|DynamicQuantize\w+)$/;
/** 21 and 22 are ONNX's numbers of 4-bit integers. */
const QUANTIZED = ['I8', 'U8', '21', '22'];

/**
 * The parameters by their names in the exported network, without a leading `text_model.`, which some exporter versions
 * omit.
 *
 * @throws when the graph does not name its weights, or stores them in another form than floats.
 */
export function networkParameters(outline: OnnxOutline): Map<string, NetworkParameter> {
  const constants = constantsOf(outline);
  const found = new Map<string, NetworkParameter>();
  for (const node of outline.nodes) {
    if (node.operator === 'Identity') continue;
    for (const [index, input] of node.inputs.entries()) {
      const constant = constants.get(input);
      if (!constant) continue;
      const { initializer } = constant;
      rejectQuantized(node, initializer);
      const name = parameterName(node, index, input, constant);
      if (name === undefined || found.has(name)) continue;
      if (!isFloatType(initializer.type) || !initializer.location) continue;
      const isTransposed = index === 1 && usesTransposedWeights(node);
      found.set(name, { constant: input, initializer, isTransposed });
    }
  }
  return found;
}

function rejectQuantized({ operator }: OnnxNode, { name, type, shape }: OnnxInitializer): void {
  if (
    QUANTIZED.includes(type) &&
    shape.length > 1 &&
    (FUSED.test(operator) || Object.hasOwn(WEIGHTED, operator))
  )
    throw new Error(
      `its weights ${name} are stored as ${type} (quantized), which cannot be merged: use a model in F32 or F16`,
    );
}

/** Undefined when the constant is not a parameter. */
function parameterName(
  node: OnnxNode,
  index: number,
  name: string,
  { initializer }: GraphConstant,
): string | undefined {
  if (isParameterName(name)) return withoutTextModel(name);
  const role = WEIGHTED[node.operator]?.[index];
  const module = moduleOf(node);
  if (module === '') {
    const isMatrix = initializer.shape.filter((side) => side > 1).length > 1;
    const isWeight = FUSED.test(node.operator) || role !== undefined;
    if (!isMatrix || !isWeight || !isFloatType(initializer.type)) return undefined;
    throw new Error(
      `its weights ${name} do not say which part of the network they belong to, as the graph was optimized after its export: use the graph as it was exported ("optimum-cli export onnx" without --optimize)`,
    );
  }
  const last = module.slice(module.lastIndexOf('.') + 1);
  const isNorm = /norm/i.test(last) && initializer.shape.some((side) => side > 1);
  const suffix = role ?? (isNorm ? NORM_ROLES[node.operator] : undefined);
  if (suffix !== undefined) return withoutTextModel(`${module}.${suffix}`);
  // Stable Diffusion 3 crops its table of positions to the size of the image.
  const isPositionTable = last === 'pos_embed' && node.operator === 'Slice' && index === 0;
  return isPositionTable ? `${module}.pos_embed` : undefined;
}

/** `a.b.weight`, in contrast to `onnx::MatMul_7`, `/a/b/Constant_output_0` and `val_7`. */
const isParameterName = (name: string): boolean => /^[A-Za-z_]\w*(\.\w+)+$/.test(name);
const withoutTextModel = (name: string): string => name.replace(/^text_model\./, '');
