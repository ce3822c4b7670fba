/** The parts that the rules of differentiation share. A rule turns the gradient of a node's output into those of its inputs. */
import type { NodeAttributes } from '#core/tensors';
import type { NodeBuilder } from '../../patches/node-builder.ts';

/** A node of the forward pass. */
export interface ForwardNode {
  readonly operator: string;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly attributes: NodeAttributes;
}

/** The forward pass as rules see it, and the builder of the backward pass. */
export interface RuleContext {
  readonly build: NodeBuilder;
  /** Throws for a value whose shape is not known. */
  shape(value: string): readonly number[];
  /** Whether the gradient of a value is needed. */
  needs(value: string): boolean;
  /** The numbers of a constant list of integers. Throws for other values. */
  ints(value: string): readonly number[];
  /** The name under which the backward pass reads a value of the forward pass. */
  read(value: string): string;
}

/**
 * @param gradients of the node's outputs. Undefined: the result does not depend on that output
 * @returns the gradients of the node's inputs. Undefined for those that are not needed
 */
export type GradientRule = (
  node: ForwardNode,
  gradients: readonly (string | undefined)[],
  context: RuleContext,
) => readonly (string | undefined)[];

/** A rule for a node with one output. */
export const single =
  (rule: (node: ForwardNode, gradient: string, context: RuleContext) => readonly (string | undefined)[]) =>
  (node: ForwardNode, [gradient]: readonly (string | undefined)[], context: RuleContext) =>
    gradient === undefined ? [] : rule(node, gradient, context);

/** An attribute that is a number. */
export const numberOf = ({ attributes }: ForwardNode, name: string, usual: number): number => {
  const value = attributes[name];
  return typeof value === 'number' ? value : usual;
};

/** An attribute that is a list of numbers. */
export const listOf = ({ attributes }: ForwardNode, name: string, usual: readonly number[]) => {
  const value = attributes[name];
  return Array.isArray(value) ? (value as readonly number[]) : usual;
};

/** An axis from 0. */
export const axisFrom0 = (axis: number, rank: number): number => (axis < 0 ? axis + rank : axis);

export const reshaped = ({ build }: RuleContext, value: string, shape: readonly number[]): string =>
  build.op('Reshape', [value, build.ints(...shape)]);

export const swapLast = ({ build }: RuleContext, value: string, rank: number): string => {
  const perm = Array.from({ length: rank }, (_, axis) => axis);
  [perm[rank - 2], perm[rank - 1]] = [rank - 1, rank - 2];
  return build.op('Transpose', [value], { perm });
};

/** The sum over the axes along which a value was repeated to fit the others of its node. */
export function unbroadcast(
  context: RuleContext,
  gradient: string,
  from: readonly number[],
  to: readonly number[],
): string {
  const added = from.length - to.length;
  const axes = from.flatMap((side, axis) => {
    const own = axis < added ? undefined : to[axis - added];
    return own === undefined || (own === 1 && side !== 1) ? [axis] : [];
  });
  const summed = axes.length === 0 ? gradient : context.build.reduce('ReduceSum', gradient, ...axes);
  return added === 0 ? summed : reshaped(context, summed, to);
}
