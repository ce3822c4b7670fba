/** Small networks between a UNet's blocks and what its attention makes of them. */

import type { OnnxNode, OnnxOutline, ProtobufField } from '#core/tensors';
import type { GraphPatch } from '../../values/graph-patch.ts';
import type { GraphInsertion } from '../../values/model-graph.ts';
import { runYielding, type Steps } from '../../yielding/steps.ts';
import { constantsOf } from '../graphs/graph-constants.ts';
import { activationType, constantField } from '../graphs/graph-fields.ts';
import { findAttention } from './attention-nodes.ts';
import type { Activation, Hypernetwork, HypernetworkLayer } from './hypernetwork-file.ts';
import { NodeBuilder, requireOpset } from './node-builder.ts';

/** torch.nn.LayerNorm */
const EPSILON = 1e-5;

/**
 * What the keys and values of attention are made of becomes x + strength * network(x), the network that of the width of x, where
 * there is one. Throws where no attention of the UNet has any of the widths.
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
      const places = findAttention(
        outline,
        /\.transformer_blocks\.\d+\.attn[12]$/,
        'the attention of a UNet',
      );
      for (const place of places)
        for (const [side, node] of [place.key, place.value].entries()) {
          const width = widthOf(outline, node);
          const layers = widths.get(width)?.[side];
          if (!layers) continue;
          const name = `${prefix} ${width} ${side}`;
          // The weights of one network are written once for all places.
          if (!written.has(name))
            fields.push(...(await runYielding(weightParts(outline, layers, name), signal)));
          written.add(name);
          insertions.push({
            at: { node, input: 0 },
            parts: (from, to) => nodeParts(outline, layers, { name, strength, from, to }),
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

/** How many numbers a token the matrix of a node takes. */
const widthOf = (outline: OnnxOutline, node: OnnxNode): number =>
  constantsOf(outline).get(node.inputs[1] ?? '')?.initializer.shape[0] ?? 0;

function* weightParts(
  outline: OnnxOutline,
  layers: readonly HypernetworkLayer[],
  name: string,
): Steps<ProtobufField[]> {
  const type = activationType(outline);
  const fields: ProtobufField[] = [];
  for (const [index, { weight, bias, norm }] of layers.entries()) {
    const [outputs = 0, inputs = 0] = weight.shape;
    const numbers = weight.numbers();
    const turned = new Float32Array(numbers.length);
    for (let row = 0; row < outputs; row++)
      for (let column = 0; column < inputs; column++)
        turned[column * outputs + row] = numbers[row * inputs + column]!;
    yield;
    fields.push(
      constantField(`${name} ${index} weight`, type, [inputs, outputs], turned),
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

function nodeParts(
  outline: OnnxOutline,
  layers: readonly HypernetworkLayer[],
  { name, strength, from, to }: { name: string; strength: number; from: string; to: string },
): ProtobufField[] {
  const chain = new NodeBuilder(outline, to);
  let value = from;
  for (const [index, { activation, norm }] of layers.entries()) {
    const sum = chain.op('MatMul', [value, `${name} ${index} weight`]);
    value = activated(chain, activation, chain.op('Add', [sum, `${name} ${index} bias`]));
    if (norm) value = normed(chain, value, `${name} ${index} norm`, `${name} ${index} shift`);
  }
  chain.op('Add', [from, chain.op('Mul', [value, chain.constant([], [strength])])], {}, to);
  return chain.fields;
}

function activated(chain: NodeBuilder, activation: Activation, x: string): string {
  const one = () => chain.constant([], [1]);
  switch (activation) {
    case 'linear':
      return x;
    case 'relu':
      return chain.op('Relu', [x]);
    case 'leakyrelu':
      return chain.op('LeakyRelu', [x], { alpha: { float: 0.01 } });
    case 'elu':
      return chain.op('Elu', [x]);
    case 'swish':
      // That is what trainers call x min(max(x + 3, 0), 6) / 6.
      return chain.op('Mul', [
        x,
        chain.op('HardSigmoid', [x], { alpha: { float: 1 / 6 }, beta: { float: 0.5 } }),
      ]);
    case 'tanh':
      return chain.op('Tanh', [x]);
    case 'sigmoid':
      return chain.op('Sigmoid', [x]);
    case 'softsign':
      return chain.op('Div', [x, chain.op('Add', [chain.op('Abs', [x]), one()])]);
    case 'mish': {
      // x tanh(ln(1 + e^x)), without powers of large numbers.
      const small = chain.op('Exp', [chain.op('Neg', [chain.op('Abs', [x])])]);
      const log = chain.op('Log', [chain.op('Add', [small, one()])]);
      return chain.op('Mul', [x, chain.op('Tanh', [chain.op('Add', [chain.op('Relu', [x]), log])])]);
    }
  }
}

/** Over the last axis, in 32 bits: squares are too large for 16. */
function normed(chain: NodeBuilder, x: string, weight: string, shift: string): string {
  const precise = chain.toFloat32(x);
  const centred = chain.op('Sub', [precise, chain.reduce('ReduceMean', precise, -1)]);
  const variance = chain.reduce('ReduceMean', chain.op('Mul', [centred, centred]), -1);
  const deviation = chain.op('Sqrt', [chain.op('Add', [variance, chain.float(EPSILON)])]);
  const scaled = chain.op('Mul', [chain.op('Div', [centred, deviation]), weight]);
  return chain.toActivationType(chain.op('Add', [scaled, shift]));
}
