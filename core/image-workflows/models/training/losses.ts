/** Loss functions: the mean over all elements of a function of prediction minus target. */
import type { NodeBuilder } from '../patches/node-builder.ts';

export interface Loss {
  /** The loss of one difference. */
  of(difference: number): number;
  /** Adds nodes for the derivative of each difference. */
  derivative(build: NodeBuilder, difference: string): string;
}

/** Huber, "Robust estimation of a location parameter", 1964, with the threshold 1. */
const huber: Loss = {
  of: (difference) => (Math.abs(difference) < 1 ? 0.5 * difference * difference : Math.abs(difference) - 0.5),
  derivative: (build, difference) =>
    build.op('Max', [build.op('Min', [difference, build.float(1)]), build.float(-1)]),
};

export const LOSSES = {
  MSE: {
    of: (difference: number) => difference * difference,
    derivative: (build: NodeBuilder, difference: string) => build.op('Mul', [difference, build.float(2)]),
  },
  L1: {
    of: Math.abs,
    derivative: (build: NodeBuilder, difference: string) => build.op('Sign', [difference]),
  },
  Huber: huber,
  // With torch's usual threshold of 1, it is the same.
  SmoothL1: huber,
} satisfies Record<string, Loss>;

export type LossName = keyof typeof LOSSES;
