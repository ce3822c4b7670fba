/** Derivatives of functions of single elements, and of sums and products with broadcasting. */
import {
  type ForwardNode,
  type GradientRule,
  numberOf,
  type RuleContext,
  single,
  unbroadcast,
} from './gradient-rule.ts';

/** A function of one value. `derivative` returns its derivative, of the shape of the value. */
const unary = (
  derivative: (context: RuleContext, x: string, y: string, node: ForwardNode) => string,
): GradientRule =>
  single((node, gradient, context) => {
    const [x, y] = [context.read(node.inputs[0]!), context.read(node.outputs[0]!)];
    return [context.build.op('Mul', [gradient, derivative(context, x, y, node)])];
  });

/** A function of two values that broadcast. Each part returns a gradient of the shape of the result. */
const binary = (
  parts: readonly [
    (context: RuleContext, gradient: string, a: string, b: string, y: string) => string,
    (context: RuleContext, gradient: string, a: string, b: string, y: string) => string,
  ],
): GradientRule =>
  single(({ inputs, outputs }, gradient, context) => {
    const [a, b] = [context.read(inputs[0]!), context.read(inputs[1]!)];
    const shape = context.shape(outputs[0]!);
    return parts.map((part, index) => {
      const input = inputs[index]!;
      if (!context.needs(input)) return undefined;
      const gradientOfPart = part(context, gradient, a, b, context.read(outputs[0]!));
      return unbroadcast(context, gradientOfPart, shape, context.shape(input));
    });
  });

const times = ({ build }: RuleContext, a: string, b: string) => build.op('Mul', [a, b]);
const same = (_: RuleContext, gradient: string) => gradient;
const negative = ({ build }: RuleContext, gradient: string) => build.op('Neg', [gradient]);

/** 1 where a comparison holds, otherwise 0. */
const indicator = ({ build }: RuleContext, operator: string, a: string, b: string) =>
  build.cast(build.op(operator, [a, b]), 'F32');

/** At equal values the first one gets the gradient. */
const larger = (keep: 'GreaterOrEqual' | 'LessOrEqual', other: 'Greater' | 'Less'): GradientRule =>
  binary([
    (context, gradient, a, b) => times(context, gradient, indicator(context, keep, a, b)),
    (context, gradient, a, b) => times(context, gradient, indicator(context, other, b, a)),
  ]);

export const ELEMENTWISE: Readonly<Record<string, GradientRule>> = {
  Add: binary([same, same]),
  Sub: binary([same, negative]),
  Mul: binary([
    (context, gradient, _, b) => times(context, gradient, b),
    (context, gradient, a) => times(context, gradient, a),
  ]),
  Div: binary([
    ({ build }, gradient, _, b) => build.op('Div', [gradient, b]),
    // The derivative of a / b by b is -y / b.
    ({ build }, gradient, _, b, y) => build.op('Neg', [build.op('Div', [build.op('Mul', [gradient, y]), b])]),
  ]),
  Max: larger('GreaterOrEqual', 'Greater'),
  Min: larger('LessOrEqual', 'Less'),
  Neg: single((_, gradient, context) => [negative(context, gradient)]),
  Sigmoid: unary(({ build }, _, y) => build.op('Mul', [y, build.op('Sub', [build.float(1), y])])),
  Tanh: unary(({ build }, _, y) => build.op('Sub', [build.float(1), build.op('Mul', [y, y])])),
  // 2 / sqrt(pi) e^(-x^2).
  Erf: unary(({ build }, x) => {
    const power = build.op('Exp', [build.op('Neg', [build.op('Mul', [x, x])])]);
    return build.op('Mul', [power, build.float(2 / Math.sqrt(Math.PI))]);
  }),
  Exp: unary((_, _x, y) => y),
  Sqrt: unary(({ build }, _, y) => build.op('Div', [build.float(0.5), y])),
  Sin: unary(({ build }, x) => build.op('Cos', [x])),
  Cos: unary(({ build }, x) => build.op('Neg', [build.op('Sin', [x])])),
  Relu: unary((context, x) => indicator(context, 'Greater', x, context.build.float(0))),
  LeakyRelu: unary((context, x, _, node) => {
    const { build } = context;
    const slope = numberOf(node, 'alpha', 0.01);
    const positive = indicator(context, 'Greater', x, build.float(0));
    return build.op('Add', [build.op('Mul', [positive, build.float(1 - slope)]), build.float(slope)]);
  }),
};
