/** Gradients of matrix products and convolutions. Weights of convolutions are constant. */
import type { AttributeValue } from '#core/tensors';
import {
  type ForwardNode,
  type GradientRule,
  listOf,
  numberOf,
  type RuleContext,
  reshaped,
  single,
  swapLast,
  unbroadcast,
} from './gradient-rule.ts';

const matMul: GradientRule = single(({ inputs, outputs }, gradient, context) => {
  const { build } = context;
  const [a, b] = inputs as [string, string];
  const [shapeA, shapeB, shape] = [context.shape(a), context.shape(b), context.shape(outputs[0]!)];
  const outer = shape.slice(0, -2);
  return [
    context.needs(a)
      ? unbroadcast(
          context,
          build.op('MatMul', [gradient, swapLast(context, context.read(b), shapeB.length)]),
          [...outer, ...shapeA.slice(-2)],
          shapeA,
        )
      : undefined,
    context.needs(b)
      ? unbroadcast(
          context,
          build.op('MatMul', [swapLast(context, context.read(a), shapeA.length), gradient]),
          [...outer, ...shapeB.slice(-2)],
          shapeB,
        )
      : undefined,
  ];
});

const gemm: GradientRule = single((node, gradient, context) => {
  const { build } = context;
  const [a, b, c = ''] = node.inputs as [string, string, string?];
  if (
    numberOf(node, 'transA', 0) !== 0 ||
    numberOf(node, 'alpha', 1) !== 1 ||
    numberOf(node, 'beta', 1) !== 1
  )
    throw new Error('the gradient of a Gemm with factors or a transposed first matrix is not known here');
  const isTransposed = numberOf(node, 'transB', 0) === 1;
  const by = (value: string, transB: boolean) =>
    build.op('Gemm', [gradient, value], transB ? { transB: 1 } : {});
  const ofWeights = () => {
    const [left, right] = isTransposed ? [gradient, context.read(a)] : [context.read(a), gradient];
    return build.op('Gemm', [left, right], { transA: 1 });
  };
  return [
    context.needs(a) ? by(context.read(b), !isTransposed) : undefined,
    context.needs(b) ? ofWeights() : undefined,
    c !== '' && context.needs(c)
      ? unbroadcast(context, gradient, context.shape(node.outputs[0]!), context.shape(c))
      : undefined,
  ];
});

/** The geometry of a convolution. Each list has one number for each axis of the image. */
export interface ConvolutionShape {
  readonly kernel: readonly number[];
  readonly strides: readonly number[];
  readonly dilations: readonly number[];
  /** Zeros before all axes, then behind them. */
  readonly pads: readonly number[];
  readonly group: number;
}

/** @param kernel of the weights, without outputs and inputs. Throws for automatic padding */
export function convolutionShape(node: ForwardNode, kernel: readonly number[]): ConvolutionShape {
  const { auto_pad: automatic = 'NOTSET' } = node.attributes;
  if (automatic !== 'NOTSET') throw new Error(`the gradient of a Conv with ${automatic} is not known here`);
  const each = (value: number) => kernel.map(() => value);
  return {
    kernel,
    strides: listOf(node, 'strides', each(1)),
    dilations: listOf(node, 'dilations', each(1)),
    pads: listOf(node, 'pads', [...each(0), ...each(0)]),
    group: numberOf(node, 'group', 1),
  };
}

/** The attributes of the convolution itself. */
export const forwardAttributes = ({
  kernel,
  ...shape
}: ConvolutionShape): Record<string, AttributeValue> => ({
  kernel_shape: kernel,
  ...shape,
});

/** The gradient of a convolution's input: the convolution with the transposed kernel. */
export function convolveBack(
  { build }: RuleContext,
  gradient: string,
  weights: string,
  { kernel, strides, dilations, pads, group }: ConvolutionShape,
  [from, to]: readonly [from: readonly number[], to: readonly number[]],
): string {
  const axes = kernel.length;
  // Rows that no step of the kernel reached.
  const output_padding = kernel.map((side, axis) => {
    const reached =
      (to[axis + 2]! - 1) * strides[axis]! -
      pads[axis]! -
      pads[axis + axes]! +
      (side - 1) * dilations[axis]! +
      1;
    return from[axis + 2]! - reached;
  });
  return build.op('ConvTranspose', [gradient, weights], {
    kernel_shape: kernel,
    ...{ strides, dilations, pads, group, output_padding },
  });
}

const conv: GradientRule = single((node, gradient, context) => {
  const { build } = context;
  const [x, weights, bias = ''] = node.inputs as [string, string, string?];
  if (context.needs(weights)) throw new Error('the gradient of the kernel of a Conv is not known here');
  const [from, to] = [context.shape(x), context.shape(node.outputs[0]!)];
  const shape = convolutionShape(node, context.shape(weights).slice(2));
  const sides = to.map((_, axis) => axis).filter((axis) => axis !== 1);
  return [
    context.needs(x) ? convolveBack(context, gradient, context.read(weights), shape, [from, to]) : undefined,
    undefined,
    bias !== '' && context.needs(bias)
      ? reshaped(context, build.reduce('ReduceSum', gradient, ...sides), context.shape(bias))
      : undefined,
  ];
});

export const PRODUCTS: Readonly<Record<string, GradientRule>> = { MatMul: matMul, Gemm: gemm, Conv: conv };
