/**
 * The transformer of ACE-Step as an ONNX model. Sources: Gong et al., "ACE-Step: a step towards music generation
 * foundation model", 2025, section 3; Xie et al., "SANA", 2024, section 2.2.
 */
import { GraphBuilder, type StoredTensor } from '#core/tensors';
import {
  add,
  concat,
  dimensions,
  multiply,
  reshape,
  silu,
  slice,
  transpose,
} from '../../layers/elementary.ts';
import { linear } from '../../layers/linear.ts';
import { markedBlock } from '../../layers/marked-block.ts';
import { modulate } from '../../layers/modulation.ts';
import { NetworkModule, type Value } from '../../layers/network-module.ts';
import { groupNorm } from '../../layers/norms.ts';
import { plainRmsNorm } from '../../layers/rms-norm.ts';
import { embeddingLayers, sinusoid } from '../../layers/timestep-embedding.ts';
import { aceStepBlock, columnAngles } from './ace-step-block.ts';
import { lyricTokens } from './lyric-encoder.ts';

/** Latent rows that one token covers: all of them. */
export const LATENT_ROWS = 16;
const EPSILON = 1e-6;

/**
 * Inputs:
 * - `hidden_states` [batch, channels, 16, cells];
 * - `timestep` [1], 0 to 1000;
 * - `encoder_hidden_states` [batch, text tokens, width], the description of the music;
 * - `lyric_ids` [batch, lyric tokens], the tokens of the lyrics;
 * - `lyric_strength` [batch, 1, 1], a factor of the lyrics.
 *
 * Output: `out_sample`, as `hidden_states`. No voice is given: the published network was trained with that, too.
 * @throws ModelUnsupported when weights are missing
 */
export function aceStepGraph(weights: ReadonlyMap<string, StoredTensor>): Uint8Array<ArrayBuffer> {
  const root = new NetworkModule(new GraphBuilder(weights));
  const { graph } = root;
  const [width = 0, textWidth = 0] = root.at('genre_embedder').shape();
  const [, timeWidth = 0] = root.at('timestep_embedder.linear_1').shape();
  const time = embeddingLayers(root.at('timestep_embedder'), sinusoid(root, 'timestep', timeWidth));
  const parts = reshape(root, linear(root.at('t_block.1'), silu(root, time)), -1, 6, width);
  const context = concat(
    root,
    1,
    withoutVoice(root.at('speaker_embedder'), width),
    linear(root.at('genre_embedder'), 'encoder_hidden_states'),
    multiply(root, linear(root.at('lyric_proj'), lyricTokens(root, 'lyric_ids')), 'lyric_strength'),
  );
  const patches = root.at('proj_in.early_conv_layers');
  let x = tokensOf(patches, 'hidden_states');
  const angles = {
    own: columnAngles(root.at('rope'), x),
    context: columnAngles(root.at('context_rope'), context),
  };
  for (const m of root.list('transformer_blocks'))
    x = markedBlock(m, x, (stream) => aceStepBlock(m, stream, { parts, context, angles, width }));
  const last = root.at('final_layer');
  const shifts = add(last, last.parameter('scale_shift_table'), reshape(last, time, -1, 1, width));
  const [shift, scale] = [0, 1].map((at) => slice(last, shifts, 1, at, at + 1)) as [Value, Value];
  const output = linear(last.at('linear'), modulate(last, plainRmsNorm(last, x, EPSILON), shift, scale));
  const channels = last.at('linear').shape()[0]! / LATENT_ROWS;
  const cells = transpose(last, reshape(last, output, 0, 0, LATENT_ROWS, channels), 0, 3, 2, 1);
  graph.node('Identity', [cells], {}, 'out_sample');
  const [, inputs = 0] = patches.at('0').shape();
  return graph.buildModel(
    [
      { name: 'hidden_states', type: 'float32', shape: ['batch', inputs, LATENT_ROWS, 'cells'] },
      { name: 'timestep', type: 'float32', shape: [1] },
      { name: 'encoder_hidden_states', type: 'float32', shape: ['batch', 'text tokens', textWidth] },
      { name: 'lyric_ids', type: 'int64', shape: ['batch', 'lyric tokens'] },
      { name: 'lyric_strength', type: 'float32', shape: ['batch', 1, 1] },
    ],
    [{ name: 'out_sample', type: 'float32', shape: ['batch', channels, LATENT_ROWS, 'cells'] }],
  );
}

/** The token of a voice of zeros, [batch, 1, width]. */
function withoutVoice(m: NetworkModule, width: number): Value {
  const batch = dimensions(m, 'encoder_hidden_states', 0, 1);
  const shape = concat(m, 0, batch, m.graph.int64Initializer([1, width]));
  return m.op('Expand', [m.parameter('bias'), shape]);
}

/** [batch, channels, 16, cells] to [batch, cells, width]. */
function tokensOf(m: NetworkModule, x: Value): Value {
  const filtered = (layer: NetworkModule, input: Value, rows: number): Value =>
    layer.op('Conv', [input, layer.parameter(), layer.parameter('bias')], {
      kernel_shape: [rows, 1],
      strides: [rows, 1],
    });
  const normed = groupNorm(m.at('1'), filtered(m.at('0'), x, LATENT_ROWS), EPSILON);
  const cells = filtered(m.at('2'), normed, 1);
  return transpose(m, reshape(m, cells, 0, 0, -1), 0, 2, 1);
}
