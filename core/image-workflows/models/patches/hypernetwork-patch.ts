/** Inserts a hypernetwork before the key and value projections of a UNet's attention modules. */
import type { OnnxNode, OnnxOutline, ProtobufField } from '#core/tensors';
import type { GraphPatch } from '../../values/graph-patch.ts';
import type { GraphInsertion } from '../../values/model-graph.ts';
import { runYielding, type Steps } from '../../yielding/steps.ts';
import { activationType, constantField } from '../graphs/graph-fields.ts';
import { operandShape } from '../graphs/operand-shapes.ts';
import { findAttention } from './attention-nodes.ts';
import type { Activation, Hypernetwork, HypernetworkLayer } from './hypernetwork-file.ts';
import { NodeBuilder, requireOpset } from './node-builder.ts';

/** torch.nn.LayerNorm */
const EPSILON = 1e-5;

/**
 * The inputs x of key and value projections become x + strength * network(x), with the layers for the width of x. Inputs
 * of other widths stay unchanged. Building the patch throws when no attention module has one of the widths.
 */
export function hypernetworkPatch({ key, widths }: Hypernetwork, strength: number): GraphPatch {
  const prefix = `tabd/hypernetwork ${key} ${strength}`;
  return {
    key: prefix,
    async build(outline, signal) {
      requireOpset(outline, 'HypernetworkLoader');
      const fields: ProtobufField[] = [];
      const written = new Set<string>();
      const insertions: GraphInsertion[] = [];
      const modules = findAttention(
        outline,
        /\.transformer_blocks\.\d+\.attn[12]$/,
        'the attention of a UNet',
      );
      for (const { key: keyNode, value: valueNode } of modules)
        for (const [side, node] of [keyNode, valueNode].entries()) {
          const width = inputWidth(outline, node);
          const layers = widths.get(width)?.[side];
          if (!layers) continue;
          const name = `${prefix} ${width} ${side}`;
          // All modules of one width share the same constants.
          if (!written.has(name))
            fields.push(...(await runYielding(weightFields(outline, layers, name), signal)));
          written.add(name);
          insertions.push({
            at: { node, input: 0 },
            parts: (from, to) => layerFields(outline, layers, { name, strength, from, to }),
          });
        }
      if (insertions.length === 0)
        throw new Error(
          `the hypernetwork is for attention of the widths ${[...widths.keys()].join(', ')}, which this model does not have: it is for another kind of model`,
        );
      return { fields, insertions };
    },
  };
}

/** The input width of a projection. */
const inputWidth = (outline: OnnxOutline, node: OnnxNode): number =>
  operandShape(outline, node.inputs[1] ?? '')?.[0] ?? 0;

/** The constants of all layers. Matrices are stored transposed, as MatMul takes them. */
function* weightFields(
  outline: OnnxOutline,
  layers: readonly HypernetworkLayer[],
  name: string,
): Steps<ProtobufField[]> {
  const type = activationType(outline);
  const fields: ProtobufField[] = [];
  for (const [index, { weight, bias, norm }] of layers.entries()) {
    const [outputs = 0, inputs = 0] = weight.shape;
    const numbers = weight.numbers();
    const transposed = new Float32Array(numbers.length);
    for (let row = 0; row < outputs; row++)
      for (let column = 0; column < inputs; column++)
        transposed[column * outputs + row] = numbers[row * inputs + column]!;
    yield;
    fields.push(
      constantField(`${name} ${index} weight`, type, [inputs, outputs], transposed),
      constantField(`${name} ${index} bias`, type, [outputs], bias.numbers()),
      ...(norm
        ? [
            constantField(`${name} ${index} norm`, 'F32', [outputs], norm.weight.numbers()),
            constantField(`${name} ${index} shift`, 'F32', [outputs], norm.bias.numbers()),
          ]
        : []),
    );
    yield;
  }
  return fields;
}

/** The nodes that compute `to` = `from` + strength * network(`from`). */
function layerFields(
  outline: OnnxOutline,
  layers: readonly HypernetworkLayer[],
  { name, strength, from, to }: { name: string; strength: number; from: string; to: string },
): ProtobufField[] {
  const builder = new NodeBuilder(outline, to);
  let value = from;
  for (const [index, { activation, norm }] of layers.entries()) {
    const product = builder.op('MatMul', [value, `${name} ${index} weight`]);
    value = activate(builder, activation, builder.op('Add', [product, `${name} ${index} bias`]));
    if (norm) value = layerNorm(builder, value, `${name} ${index} norm`, `${name} ${index} shift`);
  }
  builder.op('Add', [from, builder.op('Mul', [value, builder.constant([], [strength])])], {}, to);
  return builder.fields;
}

function activate(builder: NodeBuilder, activation: Activation, x: string): string {
  const plusOne = (value: string) => builder.op('Add', [value, builder.constant([], [1])]);
  switch (activation) {
    case 'linear':
      return x;
    case 'relu':
      return builder.op('Relu', [x]);
    case 'leakyrelu':
      return builder.op('LeakyRelu', [x], { alpha: { float: 0.01 } });
    case 'elu':
      return builder.op('Elu', [x]);
    case 'swish':
      // Trainers use this name for torch.nn.Hardswish: x min(max(x + 3, 0), 6) / 6.
      return builder.op('Mul', [
        x,
        builder.op('HardSigmoid', [x], { alpha: { float: 1 / 6 }, beta: { float: 0.5 } }),
      ]);
    case 'tanh':
      return builder.op('Tanh', [x]);
    case 'sigmoid':
      return builder.op('Sigmoid', [x]);
    case 'softsign':
      return builder.op('Div', [x, plusOne(builder.op('Abs', [x]))]);
    case 'mish': {
      // x tanh(ln(1 + e^x)), with ln(1 + e^x) = max(x, 0) + ln(1 + e^-|x|), which does not overflow.
      const small = builder.op('Exp', [builder.op('Neg', [builder.op('Abs', [x])])]);
      const log = builder.op('Log', [plusOne(small)]);
      const softplus = builder.op('Add', [builder.op('Relu', [x]), log]);
      return builder.op('Mul', [x, builder.op('Tanh', [softplus])]);
    }
  }
}

/** Normalizes the last axis, in 32-bit floats, because squares can exceed the range of 16-bit floats. */
function layerNorm(builder: NodeBuilder, x: string, weight: string, shift: string): string {
  const precise = builder.toFloat32(x);
  const centered = builder.op('Sub', [precise, builder.reduce('ReduceMean', precise, -1)]);
  const variance = builder.reduce('ReduceMean', builder.op('Mul', [centered, centered]), -1);
  const deviation = builder.op('Sqrt', [builder.op('Add', [variance, builder.float(EPSILON)])]);
  const scaled = builder.op('Mul', [builder.op('Div', [centered, deviation]), weight]);
  return builder.toActivationType(builder.op('Add', [scaled, shift]));
}
