/** Gradients of norms: Ba et al., "Layer normalization", 2016; Ulyanov et al., "Instance normalization", 2016. */
import {
  axisFrom0,
  type GradientRule,
  numberOf,
  type RuleContext,
  reshaped,
  single,
  unbroadcast,
} from './gradient-rule.ts';

interface Normed {
  /** (x - mean) / deviation */
  normed: string;
  /** 1 / deviation, with sides of 1 along the axes. */
  inverse: string;
}

/** The values are computed again: both are as large as the input. */
function normalize({ build }: RuleContext, x: string, axes: readonly number[], epsilon: number): Normed {
  const centered = build.op('Sub', [x, build.reduce('ReduceMean', x, ...axes)]);
  const variance = build.reduce('ReduceMean', build.op('Mul', [centered, centered]), ...axes);
  const deviation = build.op('Sqrt', [build.op('Add', [variance, build.float(epsilon)])]);
  const inverse = build.op('Div', [build.float(1), deviation]);
  return { normed: build.op('Mul', [centered, inverse]), inverse };
}

/** The gradient of x from that of the normed values: (g - mean(g) - n mean(g n)) / deviation. */
function normGradient(
  { build }: RuleContext,
  gradient: string,
  { normed, inverse }: Normed,
  axes: readonly number[],
): string {
  const mean = build.reduce('ReduceMean', gradient, ...axes);
  const along = build.reduce('ReduceMean', build.op('Mul', [gradient, normed]), ...axes);
  const centered = build.op('Sub', [build.op('Sub', [gradient, mean]), build.op('Mul', [normed, along])]);
  return build.op('Mul', [centered, inverse]);
}

/** @param scaleShape the shape in which the scale fits the input */
const norm =
  (
    axesOf: (rank: number, axis: number) => number[],
    scaleShape: (shape: readonly number[], scale: readonly number[]) => readonly number[],
  ): GradientRule =>
  (node, gradients, context) =>
    single((_, gradient) => {
      const { build } = context;
      const [x, scale, bias = ''] = node.inputs as [string, string, string?];
      const shape = context.shape(x);
      const axes = axesOf(shape.length, axisFrom0(numberOf(node, 'axis', -1), shape.length));
      const values = normalize(context, context.read(x), axes, numberOf(node, 'epsilon', 1e-5));
      const fitted = scaleShape(shape, context.shape(scale));
      const toParameter = (value: string, parameter: string) =>
        reshaped(context, unbroadcast(context, value, shape, fitted), context.shape(parameter));
      const scaled = () => build.op('Mul', [gradient, reshaped(context, context.read(scale), fitted)]);
      return [
        context.needs(x) ? normGradient(context, scaled(), values, axes) : undefined,
        context.needs(scale) ? toParameter(build.op('Mul', [gradient, values.normed]), scale) : undefined,
        bias !== '' && context.needs(bias) ? toParameter(gradient, bias) : undefined,
      ];
    })(node, gradients, context);

const range = (start: number, end: number) => Array.from({ length: end - start }, (_, at) => start + at);

/** Softmax along one axis: y (g - sum(g y)). */
const softmax: GradientRule = single((node, gradient, context) => {
  const { build } = context;
  const y = context.read(node.outputs[0]!);
  const { length: rank } = context.shape(node.outputs[0]!);
  const axis = axisFrom0(numberOf(node, 'axis', -1), rank);
  const sum = build.reduce('ReduceSum', build.op('Mul', [gradient, y]), axis);
  return [build.op('Mul', [y, build.op('Sub', [gradient, sum])])];
});

export const NORMS: Readonly<Record<string, GradientRule>> = {
  LayerNormalization: norm(
    (rank, axis) => range(axis, rank),
    (_, scale) => scale,
  ),
  InstanceNormalization: norm(
    (rank) => range(2, rank),
    (shape, scale) => [1, ...scale, ...range(2, shape.length).map(() => 1)],
  ),
  Softmax: softmax,
};
