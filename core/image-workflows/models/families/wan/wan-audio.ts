/**
 * The audio of Wan's HuMo. Source: Chen et al., "HuMo: human-centric video generation via collaborative multi-modal
 * conditioning", 2025, section 3.2.
 */
import { relu, reshape } from '../../layers/elementary.ts';
import { linear } from '../../layers/linear.ts';
import type { NetworkModule, Value } from '../../layers/network-module.ts';
import { layerNorm } from '../../layers/norms.ts';
import type { WanAudio } from './wan-block.ts';
import { slot } from './wan-parts.ts';

/**
 * Tokens of the audio of each frame. Inputs of the graph:
 * - `audio_embeds` [batch, frames, features]: the audio around each frame, by the layers of an encoder;
 * - `audio_share` [1]: 0 without audio.
 */
export function frameAudio(m: NetworkModule): WanAudio {
  const layer = (name: string) => m.at(`${name}.layer`);
  const first = relu(m, linear(layer('audio_proj_glob_1'), 'audio_embeds'));
  const second = relu(m, linear(layer('audio_proj_glob_2'), first));
  const [width = 0] = layer('audio_proj_glob_norm').shape();
  const count = layer('audio_proj_glob_3').shape()[0]! / width;
  const split: Value = reshape(m, linear(layer('audio_proj_glob_3'), second), -1, count, width);
  return { tokens: layerNorm(layer('audio_proj_glob_norm'), split), share: 'audio_share' };
}

export const audioInputs = (m: NetworkModule) => [
  slot('audio_embeds', 'batch', 'frames', m.at('audio_proj_glob_1.layer').shape()[1]!),
  slot('audio_share', 1),
];
