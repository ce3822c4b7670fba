/**
 * The gradient of onnxruntime's attention. The map of attention is computed again, so that none of them stays in memory.
 * The formulas: Dao et al., "FlashAttention", 2022, appendix B.2.
 */
import {
  type GradientRule,
  numberOf,
  type RuleContext,
  reshaped,
  single,
  swapLast,
} from './gradient-rule.ts';

const RANK = 4;

/** [batch, tokens, width] to [batch, heads, tokens, width of a head]. */
function splitHeads(context: RuleContext, value: string, shape: readonly number[], heads: number): string {
  const [batch = 1, tokens = 1, width = 1] = shape;
  const split = reshaped(context, value, [batch, tokens, heads, width / heads]);
  return context.build.op('Transpose', [split], { perm: [0, 2, 1, 3] });
}

const joinHeads = (context: RuleContext, value: string, shape: readonly number[]): string =>
  reshaped(context, context.build.op('Transpose', [value], { perm: [0, 2, 1, 3] }), shape);

const attention: GradientRule = single((node, gradient, context) => {
  const { build } = context;
  const [query, key, value, ...others] = node.inputs as [string, string, string, ...string[]];
  if (others.some((name) => name !== ''))
    throw new Error('the gradient of an attention with a mask or a bias is not known here');
  const heads = numberOf(node, 'num_heads', 1);
  const [output = ''] = node.outputs;
  const split = (name: string, of = context.read(name)) =>
    splitHeads(context, of, context.shape(name), heads);
  const factor = build.float(numberOf(node, 'scale', 0) || 1 / Math.sqrt(context.shape(query)[2]! / heads));
  const [keys, values, outputGradient] = [split(key), split(value), split(output, gradient)];
  const queries = build.op('Mul', [split(query), factor]);
  // The sum over keys of the map times its gradient equals that over channels of the output times its gradient.
  const sums = build.reduce('ReduceSum', build.op('Mul', [outputGradient, split(output)]), RANK - 1);
  const scores = build.op('MatMul', [queries, swapLast(context, keys, RANK)]);
  const map = build.op('Softmax', [scores], { axis: -1 });
  const ofMap = build.op('MatMul', [outputGradient, swapLast(context, values, RANK)]);
  const ofScores = build.op('Mul', [map, build.op('Sub', [ofMap, sums])]);
  const join = (name: string, of: string) => joinHeads(context, of, context.shape(name));
  return [
    context.needs(query)
      ? join(query, build.op('Mul', [build.op('MatMul', [ofScores, keys]), factor]))
      : undefined,
    context.needs(key)
      ? join(key, build.op('MatMul', [swapLast(context, ofScores, RANK), queries]))
      : undefined,
    context.needs(value)
      ? join(value, build.op('MatMul', [swapLast(context, map, RANK), outputGradient]))
      : undefined,
  ];
});

export const ATTENTION: Readonly<Record<string, GradientRule>> = { MultiHeadAttention: attention };
