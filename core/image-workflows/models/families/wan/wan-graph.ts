/**
 * The transformers of Wan 2.1 and 2.2 as ONNX models. Source: Wan Team, "Wan: open and advanced large-scale video
 * generative models", 2025, section 4.2.
 */
import { GraphBuilder, type StoredTensor } from '#core/tensors';
import { add, concat, dimensions, gelu, slice } from '../../layers/elementary.ts';
import { linear } from '../../layers/linear.ts';
import { markedBlock } from '../../layers/marked-block.ts';
import { modulate, plainNorm } from '../../layers/modulation.ts';
import { NetworkModule, type Value } from '../../layers/network-module.ts';
import { layerNorm } from '../../layers/norms.ts';
import type { MotionDirections } from './face-motions.ts';
import { animationInputs, faceTokens, poseTokens, withFaces } from './wan-animate.ts';
import { audioInputs, frameAudio } from './wan-audio.ts';
import { type BlockInputs, wanBlock, wanModulation } from './wan-block.ts';
import { cameraTokens } from './wan-camera.ts';
import { slot, textInput, wanConditions } from './wan-parts.ts';
import { patchFeatures, patchTokens } from './wan-patches.ts';
import { vaceHints } from './wan-vace.ts';

/**
 * Inputs:
 * - `hidden_states` [batch, frames, tokens of a frame, features]: patches of the latent, channel by channel;
 * - `timestep` [1 or frames], 0 to 1000;
 * - `encoder_hidden_states` [batch, text tokens, width];
 * - `ids` [tokens, 3]: frame, row and column;
 * - if the network sees images, `image_embeds` [batch, image tokens, width]; those from `image_start` to `image_end`
 *   [1] count, and the tokens of the text follow them;
 * - if it sees an image as a frame before the others, `reference_states` [batch, 1, tokens of a frame, features]. Frames
 *   from `reference_start` [1] on count, and `ids` are those of the frames that count;
 * - those of `cameraTokens` and `vaceHints`, if it follows a camera or videos;
 * - those of `frameAudio`, if it hears audio, and those of `poseTokens` and `faceTokens`, if it animates a character.
 *
 * Output: `out_hidden_states`, as `hidden_states`, but cell by cell.
 * @param motions for networks that animate a character
 * @throws ModelUnsupported when weights are missing
 */
export function wanGraph(
  weights: ReadonlyMap<string, StoredTensor>,
  motions?: MotionDirections,
): Uint8Array<ArrayBuffer> {
  const root = new NetworkModule(new GraphBuilder(weights));
  const [width = 0] = root.at('patch_embedding').shape();
  const features = patchFeatures(root.at('patch_embedding'));
  const { time, parts, text, turn } = wanConditions(root);
  const image = root.at('img_emb').exists() ? imageTokens(root, text) : undefined;
  const audio = root.at('audio_proj').exists() ? frameAudio(root.at('audio_proj')) : undefined;
  const inputs: BlockInputs = { parts, text, image, turn, width, audio };
  let x = patchTokens(root.at('patch_embedding'), 'hidden_states');
  const camera = root.at('control_adapter');
  if (camera.exists()) x = add(root, x, cameraTokens(camera, width));
  const isAnimated = root.at('face_adapter').exists();
  if (isAnimated) x = add(root, x, poseTokens(root.at('pose_patch_embedding')));
  const faces = isAnimated ? faceTokens(root, width, motions) : undefined;
  const reference = root.at('ref_conv');
  if (reference.exists()) x = withReference(reference, x);
  const isVace = root.at('vace_patch_embedding').exists();
  const hints = isVace ? vaceHints(root, x, inputs) : new Map<number, Value>();
  for (const [index, m] of root.list('blocks').entries()) {
    x = markedBlock(m, x, (stream) => wanBlock(m, stream, inputs));
    if (faces) x = withFaces(root.at('face_adapter'), x, index, faces, width);
    const hint = hints.get(index);
    if (hint !== undefined) x = add(m, x, hint);
  }
  const [shift, scale] = wanModulation(root.at('head'), root.op('Unsqueeze', [time, ints(root, 1)]), width);
  const normed = modulate(root, plainNorm(root.at('head'), x, width), shift!, scale!);
  const result = linear(root.at('head.head'), normed);
  const ofVideo = reference.exists() ? withoutReference(reference, result) : result;
  root.graph.node('Identity', [ofVideo], {}, 'out_hidden_states');
  return root.graph.buildModel(
    [
      { name: 'hidden_states', type: 'float32', shape: ['batch', 'frames', 'tokens', features] },
      { name: 'timestep', type: 'float32', shape: ['times'] },
      textInput(root),
      { name: 'ids', type: 'float32', shape: ['all tokens', 3] },
      ...(image === undefined ? [] : imageInputs(root)),
      ...(camera.exists() ? cameraInputs(camera) : []),
      ...(reference.exists() ? referenceInputs(reference) : []),
      ...(isVace ? vaceInputs(root.at('vace_patch_embedding')) : []),
      ...(audio ? audioInputs(root.at('audio_proj')) : []),
      ...(isAnimated ? animationInputs(root) : []),
    ],
    [
      {
        name: 'out_hidden_states',
        type: 'float32',
        shape: ['batch', 'frames', 'tokens', root.at('head.head').shape()[0]!],
      },
    ],
  );
}

const cameraInputs = (m: NetworkModule) => [
  slot('camera', 'batch', 'frames', 'rows', 'columns', patchFeatures(m.at('conv'))),
  slot('camera_share', 1),
];
const referenceInputs = (m: NetworkModule) => [
  slot('reference_states', 'batch', 1, 'tokens', patchFeatures(m)),
  { name: 'reference_start', type: 'int64' as const, shape: [1] },
];
const vaceInputs = (m: NetworkModule) => [
  slot('vace_states', 'guided batch', 'frames', 'tokens', patchFeatures(m)),
  slot('vace_strengths', 'guides', 'batch'),
];

/** The frame of an image before those of the video. Frames from `reference_start` on count. */
function withReference(m: NetworkModule, x: Value): Value {
  const all = concat(m, 1, patchTokens(m, 'reference_states'), x);
  return m.op('Slice', [all, 'reference_start', ints(m, Number.MAX_SAFE_INTEGER), ints(m, 1)]);
}

function withoutReference(m: NetworkModule, x: Value): Value {
  const start = m.op('Sub', [ints(m, 1), 'reference_start']);
  return m.op('Slice', [x, start, ints(m, Number.MAX_SAFE_INTEGER), ints(m, 1)]);
}

const ints = (m: NetworkModule, ...values: number[]): Value => m.graph.int64Initializer(values);

const imageInputs = (root: NetworkModule) => [
  {
    name: 'image_embeds',
    type: 'float32' as const,
    shape: ['batch', 'image tokens', root.at('img_emb.proj.1').shape()[1]!],
  },
  { name: 'image_start', type: 'int64' as const, shape: [1] },
  { name: 'image_end', type: 'int64' as const, shape: [1] },
];

/** The output of the vision encoder as tokens of the network. Networks of two images have a position for each token. */
function imageTokens(root: NetworkModule, text: Value): Value {
  const m = root.at('img_emb');
  const norms = [m.at('proj.0'), m.at('proj.4')] as const;
  const seen = m.has('emb_pos') ? withPositions(m) : 'image_embeds';
  const inner = gelu(m, linear(m.at('proj.1'), layerNorm(norms[0], seen)));
  const tokens = layerNorm(norms[1], linear(m.at('proj.3'), inner));
  const all = concat(m, 1, tokens, text);
  return m.op('Slice', [all, 'image_start', 'image_end', ints(m, 1)]);
}

/** Adds as many of the positions as there are tokens. Further tokens have none, and are left out. */
function withPositions(m: NetworkModule): Value {
  const [, limit = 0] = m.shape('emb_pos');
  const tokens = slice(m, 'image_embeds', 1, 0, limit);
  const positions = m.op('Slice', [
    m.parameter('emb_pos'),
    ints(m, 0),
    dimensions(m, tokens, 1, 2),
    ints(m, 1),
  ]);
  return add(m, tokens, positions);
}
