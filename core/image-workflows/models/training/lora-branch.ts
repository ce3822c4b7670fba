/**
 * Low-rank factors next to a layer: y = W x + (alpha / rank) up (down x). Hu et al., "LoRA: low-rank adaptation of large
 * language models", 2021, section 4.1. The product of the factors is never computed.
 */

import { elementCount } from '../../values/tensor.ts';
import { type RuleContext, reshaped, swapLast } from './gradients/gradient-rule.ts';
import { convolutionShape, convolveBack, forwardAttributes } from './gradients/products.ts';
import type { TrainableLayer } from './trainable-parameters.ts';

/** The names of values in the graph. */
export interface Branch {
  /** [outputs, rank] */
  readonly up: string;
  /** [rank, inputs x cells of the kernel] */
  readonly down: string;
  readonly rank: number;
  /** alpha / rank */
  readonly scale: string;
}

export interface BranchGradients {
  readonly up: string;
  readonly down: string;
  /** The branch's part of the gradient of the layer's input. Undefined: not needed. */
  readonly input: string | undefined;
}

/** Adds the nodes of a branch. */
export interface AddedBranch {
  /** Is added to the output of the layer. */
  readonly added: string;
  gradients(gradient: string): BranchGradients;
}

export const addBranch = (layer: TrainableLayer, branch: Branch, context: RuleContext): AddedBranch =>
  layer.node.operator === 'Conv'
    ? convolutionBranch(layer, branch, context)
    : matrixBranch(layer, branch, context);

function matrixBranch(
  { node, inputs, outputs }: TrainableLayer,
  { up, down, rank, scale }: Branch,
  context: RuleContext,
): AddedBranch {
  const { build } = context;
  const x = node.inputs[0]!;
  const shape = context.shape(x);
  const product = build.op('MatMul', [context.read(x), swapLast(context, down, 2)]);
  const inner = build.op('Mul', [product, scale]);
  const rows = elementCount(shape.slice(0, -1));
  const flat = (value: string, width: number) => reshaped(context, value, [rows, width]);
  return {
    added: build.op('MatMul', [inner, swapLast(context, up, 2)]),
    gradients(gradient) {
      const outputGradient = flat(gradient, outputs);
      const ofInner = build.op('Mul', [build.op('MatMul', [outputGradient, up]), scale]);
      return {
        up: build.op('MatMul', [swapLast(context, outputGradient, 2), flat(inner, rank)]),
        down: build.op('MatMul', [swapLast(context, ofInner, 2), flat(context.read(x), inputs)]),
        input: context.needs(x) ? reshaped(context, build.op('MatMul', [ofInner, down]), shape) : undefined,
      };
    },
  };
}

/** Down is a convolution like the layer's, up one with kernels of one cell. */
function convolutionBranch(
  { node, inputs, outputs, kernel }: TrainableLayer,
  { up, down, rank, scale }: Branch,
  context: RuleContext,
): AddedBranch {
  const { build } = context;
  const x = node.inputs[0]!;
  const [from, to] = [context.shape(x), context.shape(node.outputs[0]!)];
  if (from[0] !== 1) throw new Error('a convolution can be trained with one image at a time');
  const geometry = convolutionShape(node, kernel);
  const downKernel = reshaped(context, down, [rank, inputs, ...kernel]);
  const cells = to.slice(2);
  const count = elementCount(cells);
  const convolved = build.op('Conv', [context.read(x), downKernel], forwardAttributes(geometry));
  const inner = build.op('Mul', [convolved, scale]);
  const upKernel = reshaped(context, up, [outputs, rank, ...kernel.map(() => 1)]);
  return {
    added: build.op('Conv', [inner, upKernel], { kernel_shape: kernel.map(() => 1) }),
    gradients(gradient) {
      const outputGradient = reshaped(context, gradient, [outputs, count]);
      const turned = swapLast(context, reshaped(context, inner, [rank, count]), 2);
      const ofInner = build.op('Mul', [
        build.op('MatMul', [swapLast(context, up, 2), outputGradient]),
        scale,
      ]);
      const image = reshaped(context, ofInner, [1, rank, ...cells]);
      return {
        up: build.op('MatMul', [outputGradient, turned]),
        down: kernelGradient(context, context.read(x), ofInner, { rank, inputs, kernel, cells }, geometry),
        input: context.needs(x) ? convolveBack(context, image, downKernel, geometry, [from, to]) : undefined,
      };
    },
  };
}

/** The gradient of a kernel: the input, one channel at a time, convolved with the gradient of the output. */
function kernelGradient(
  context: RuleContext,
  x: string,
  gradient: string,
  sides: { rank: number; inputs: number; kernel: readonly number[]; cells: readonly number[] },
  { strides, dilations, pads }: ReturnType<typeof convolutionShape>,
): string {
  const { build } = context;
  const { rank, inputs, kernel, cells } = sides;
  const axes = kernel.map((_, axis) => axis + 2);
  const exchange = (value: string) => build.op('Transpose', [value], { perm: [1, 0, ...axes] });
  const filters = reshaped(context, gradient, [rank, 1, ...cells]);
  // Steps of the kernel and of the image change places.
  const allCells = build.op('Conv', [exchange(x), filters], {
    kernel_shape: cells,
    ...{ strides: dilations, dilations: strides, pads },
  });
  const starts = build.ints(...kernel.map(() => 0));
  const cut = build.op('Slice', [allCells, starts, build.ints(...kernel), build.ints(...axes)]);
  const columns = inputs * elementCount(kernel);
  return reshaped(context, exchange(cut), [rank, columns]);
}
