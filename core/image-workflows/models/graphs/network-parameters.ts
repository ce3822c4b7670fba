/** Which constants of a graph are the parameters of the network that it was exported from. */
import type { OnnxInitializer, OnnxNode, OnnxOutline } from '#core/tensors';
import { constantsOf, type GraphConstant, moduleOf, usesTransposedWeights } from './graph-constants.ts';
import { isFloatType } from './stored-floats.ts';

export interface NetworkParameter {
  /** As the graph calls its value. */
  constant: string;
  initializer: OnnxInitializer;
  /** Kept as [inputs, outputs], not [outputs, inputs]. */
  isTransposed: boolean;
}

/** Operators whose constants are weights, by their places. */
const WEIGHTED: Readonly<Record<string, readonly (string | undefined)[]>> = {
  MatMul: [undefined, 'weight'],
  Gemm: [undefined, 'weight', 'bias'],
  Conv: [undefined, 'weight', 'bias'],
  ConvTranspose: [undefined, 'weight', 'bias'],
  LayerNormalization: [undefined, 'weight', 'bias'],
  GroupNormalization: [undefined, 'weight', 'bias'],
};
/** Of norms that the exporter takes apart. */
const OF_NORMS: Readonly<Record<string, string>> = { Mul: 'weight', Add: 'bias' };
/** What onnxruntime's optimizer puts several of the network's parts into. */
const FUSED =
  /^(\w*Attention\w*|Skip\w+|Fused\w+|Nhwc\w+|GroupNorm|Bias\w+|EmbedLayerNormalization|MatMulNBits|MatMulInteger|ConvInteger|QLinear\w+|DequantizeLinear|DynamicQuantize\w+)$/;
const QUANTIZED = ['I8', 'U8', '21', '22'];

/**
 * By the names of the first network, without `text_model.` as some versions of the exporting library leave it out. Throws
 * where weights are not told by name, or kept in another way than as floats.
 */
export function networkParameters(outline: OnnxOutline): Map<string, NetworkParameter> {
  const values = constantsOf(outline);
  const found = new Map<string, NetworkParameter>();
  for (const node of outline.nodes) {
    if (node.operator === 'Identity') continue;
    for (const [place, name] of node.inputs.entries()) {
      const value = values.get(name);
      if (!value) continue;
      refuseQuantized(node, value.initializer);
      const key = nameOf(node, place, name, value);
      if (key === undefined || found.has(key)) continue;
      if (!isFloatType(value.initializer.type) || !value.initializer.location) continue;
      found.set(key, {
        constant: name,
        initializer: value.initializer,
        isTransposed: place === 1 && usesTransposedWeights(node),
      });
    }
  }
  return found;
}

function refuseQuantized({ operator }: OnnxNode, { name, type, shape }: OnnxInitializer): void {
  if (
    QUANTIZED.includes(type) &&
    shape.length > 1 &&
    (FUSED.test(operator) || Object.hasOwn(WEIGHTED, operator))
  )
    throw new Error(
      `its weights ${name} are kept as ${type} (quantized), which cannot be merged: use a model in F32 or F16`,
    );
}

/** undefined: no parameter. */
function nameOf(
  node: OnnxNode,
  place: number,
  name: string,
  { initializer }: GraphConstant,
): string | undefined {
  if (isParameterName(name)) return withoutOutermost(name);
  const role = WEIGHTED[node.operator]?.[place];
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
  const ofNorm = /norm/i.test(last) && initializer.shape.some((side) => side > 1);
  const told = role ?? (ofNorm ? OF_NORMS[node.operator] : undefined);
  if (told !== undefined) return withoutOutermost(`${module}.${told}`);
  // The table of places of Stable Diffusion 3 is cut to the size of the picture.
  return last === 'pos_embed' && node.operator === 'Slice' && place === 0 ? `${module}.pos_embed` : undefined;
}

/** `a.b.weight`, in contrast to `onnx::MatMul_7`, `/a/b/Constant_output_0` and `val_7`. */
const isParameterName = (name: string): boolean => /^[A-Za-z_]\w*(\.\w+)+$/.test(name);
const withoutOutermost = (name: string): string => name.replace(/^text_model\./, '');
