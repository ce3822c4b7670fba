/** The transformer layer that the text and vision encoders of CLIP and SigLIP share. */
import { attend } from './attention.ts';
import { add, gelu, quickGelu } from './elementary.ts';
import { linear } from './linear.ts';
import type { NetworkModule, Value } from './network-module.ts';
import { layerNorm } from './norms.ts';
import { tanhGelu } from './tanh-gelu.ts';

export interface EncoderLayerOptions {
  heads: number;
  activation: 'quick_gelu' | 'gelu' | 'tanh_gelu';
  /** Added to the scores of attention. Undefined: each token sees all others. */
  mask?: Value;
  /** A small number in its norms. Default: 1e-5. */
  epsilon?: number;
}

const ACTIVATIONS = { quick_gelu: quickGelu, gelu, tanh_gelu: tanhGelu };

/** Attention and a feed-forward network, each after a norm, by their names in transformers. */
export function encoderLayer(m: NetworkModule, x: Value, options: EncoderLayerOptions): Value {
  const { activation, epsilon } = options;
  const attended = add(
    m,
    x,
    selfAttention(m.at('self_attn'), layerNorm(m.at('layer_norm1'), x, epsilon), options),
  );
  const mlp = m.at('mlp');
  const inner = linear(mlp.at('fc1'), layerNorm(m.at('layer_norm2'), attended, epsilon));
  return add(m, attended, linear(mlp.at('fc2'), ACTIVATIONS[activation](mlp, inner)));
}

function selfAttention(m: NetworkModule, x: Value, { heads, mask }: EncoderLayerOptions): Value {
  const projected = [
    linear(m.at('q_proj'), x),
    linear(m.at('k_proj'), x),
    linear(m.at('v_proj'), x),
  ] as const;
  const [width = 0] = m.at('q_proj').shape();
  const masked = mask !== undefined && { isDecomposed: true, mask };
  return linear(m.at('out_proj'), attend(m, projected, width, { heads, ...masked }));
}
