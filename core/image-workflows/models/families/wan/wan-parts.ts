/** Inputs that all transformers of Wan have: a time, a text and the places of tokens. */
import { silu } from '../../layers/elementary.ts';
import { linear } from '../../layers/linear.ts';
import type { NetworkModule, Value } from '../../layers/network-module.ts';
import { type Rotation, rotation } from '../../layers/rotary.ts';
import { tanhGelu } from '../../layers/tanh-gelu.ts';
import { sinusoid } from '../../layers/timestep-embedding.ts';

/** The parts of a head that turn with frame, row and column. */
const AXES = [44, 42, 42] as const;
const THETA = 10_000;

export interface WanConditions {
  /** [times, width], before the activation. */
  time: Value;
  /** Shifts, scales and gates for each time, [times, 6 · width]. */
  parts: Value;
  /** [batch, text tokens, width] */
  text: Value;
  turn: Rotation;
}

/** Inputs of the graph: `timestep` [times], `encoder_hidden_states`, and `ids` [tokens, 3]: frame, row and column. */
export function wanConditions(root: NetworkModule): WanConditions {
  const [, timeWidth = 0] = root.at('time_embedding.0').shape();
  const inner = linear(root.at('time_embedding.0'), sinusoid(root, 'timestep', timeWidth));
  const time = linear(root.at('time_embedding.2'), silu(root, inner));
  const text = tanhGelu(root, linear(root.at('text_embedding.0'), 'encoder_hidden_states'));
  return {
    time,
    parts: linear(root.at('time_projection.1'), silu(root, time)),
    text: linear(root.at('text_embedding.2'), text),
    turn: rotation(root.at('rope'), ['ids'], { widths: AXES, theta: THETA }),
  };
}

/** The text as an input of the graph. */
export const textInput = (root: NetworkModule) => ({
  name: 'encoder_hidden_states',
  type: 'float32' as const,
  shape: ['batch', 'text tokens', root.at('text_embedding.0').shape()[1]!],
});

/** A float input of the graph. */
export const slot = (name: string, ...shape: (string | number)[]) => ({
  name,
  type: 'float32' as const,
  shape,
});
