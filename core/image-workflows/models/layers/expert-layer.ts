/** Mixtures of experts (Shazeer et al., "Outrageously large neural networks", 2017, section 2). */
import { add, multiply, slice } from './elementary.ts';
import { swiGluFeedForward } from './feed-forward.ts';
import { linear } from './linear.ts';
import type { NetworkModule, Value } from './network-module.ts';

/** How many experts count for each token. */
const CHOSEN = 2;

/**
 * The two experts with the largest shares for each token, weighted by these shares, and `shared_experts` for all tokens.
 * The shares of all experts add up to 1 (HiDream-ai, "HiDream-I1", 2025, section 3.2; MOEFeedForwardSwiGLU of diffusers).
 * All experts see all tokens, as devices have no operator for a part of them.
 * @param m with `gate` [experts, width], `experts.N` and `shared_experts`
 */
export function expertLayer(m: NetworkModule, x: Value): Value {
  const gate = m.at('gate');
  const shares = gate.op('Softmax', [linear(gate, x)], { axis: -1 });
  const least = smallestChosen(gate, shares);
  const isChosen = gate.op('GreaterOrEqual', [shares, least]);
  const counted = gate.op('Where', [isChosen, shares, gate.graph.scalarInitializer(0)]);
  return m
    .list('experts')
    .map((expert, at) => multiply(m, swiGluFeedForward(expert, x), slice(m, counted, -1, at, at + 1)))
    .reduce((sum, part) => add(m, sum, part), swiGluFeedForward(m.at('shared_experts'), x));
}

/** The second largest share of each token: [batch, tokens, 1]. */
function smallestChosen(m: NetworkModule, shares: Value): Value {
  let [rest, largest] = [shares, largestOf(m, shares)];
  for (let taken = 1; taken < CHOSEN; taken++) {
    const isTaken = m.op('GreaterOrEqual', [rest, largest]);
    rest = m.op('Where', [isTaken, m.graph.scalarInitializer(0), rest]);
    largest = largestOf(m, rest);
  }
  return largest;
}

const largestOf = (m: NetworkModule, values: Value): Value =>
  m.op('ReduceMax', [values], { axes: [-1], keepdims: 1 });
