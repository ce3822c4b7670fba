/** Nodes that combine prompts, and limit where and when a prompt counts. */
import { combine } from '../../sampling/tensor-math.ts';
import { withOptions } from '../../values/conditioning.ts';
import { type FloatTensor, zeros } from '../../values/tensor.ts';
import { fraction, strength } from '../kernel/common-inputs.ts';
import { choice, float, int, link } from '../kernel/inputs.ts';
import { type AnyNode, node, output } from '../kernel/node-type.ts';

const shared = { category: 'conditioning', module: 'nodes', outputs: [output('CONDITIONING')] } as const;
const conditioning = () => link('CONDITIONING', undefined);

const combineNode = node({
  ...shared,
  name: 'ConditioningCombine',
  displayName: 'Conditioning (Combine)',
  description: 'Uses both prompts: the model predicts with each of them, and the predictions are averaged.',
  inputs: { conditioning_1: conditioning(), conditioning_2: conditioning() },
  run: ({ conditioning_1, conditioning_2 }) => [[...conditioning_1, ...conditioning_2]],
});

const concat = node({
  ...shared,
  name: 'ConditioningConcat',
  displayName: 'Conditioning (Concat)',
  description: 'Joins two prompts into a longer one.',
  inputs: { conditioning_to: conditioning(), conditioning_from: conditioning() },
  run({ conditioning_to, conditioning_from }) {
    const [from] = conditioning_from;
    if (!from) return [conditioning_to];
    return [conditioning_to.map((to) => ({ ...to, tensor: concatTokens(to.tensor, from.tensor) }))];
  },
});

const average = node({
  ...shared,
  name: 'ConditioningAverage',
  displayName: 'ConditioningAverage',
  description: 'Interpolates between two prompts.',
  inputs: {
    conditioning_to: conditioning(),
    conditioning_from: conditioning(),
    conditioning_to_strength: fraction(1.0, 0.01),
  },
  run({ conditioning_to, conditioning_from, conditioning_to_strength: share }) {
    const [from] = conditioning_from;
    if (!from) return [conditioning_to];
    const mixed = conditioning_to.map(({ tensor, options }) => {
      const pooled = options.pooled ?? from.options.pooled;
      return {
        tensor: combine([share, tensor], [1 - share, resizeTokens(from.tensor, tensor.shape)]),
        options: {
          ...options,
          ...(pooled && {
            pooled: from.options.pooled ? combine([share, pooled], [1 - share, from.options.pooled]) : pooled,
          }),
        },
      };
    });
    return [mixed];
  },
});

const setArea = node({
  ...shared,
  name: 'ConditioningSetArea',
  displayName: 'Conditioning (Set Area)',
  description: 'Limits a prompt to a rectangle, in pixels.',
  inputs: {
    conditioning: conditioning(),
    width: int({ default: 64, min: 64, max: 16384, step: 8 }),
    height: int({ default: 64, min: 64, max: 16384, step: 8 }),
    x: int({ default: 0, min: 0, max: 16384, step: 8 }),
    y: int({ default: 0, min: 0, max: 16384, step: 8 }),
    strength: strength(),
  },
  run({ conditioning, width, height, x, y, strength }) {
    const cells = (pixels: number) => Math.floor(pixels / 8);
    const area = {
      unit: 'latent',
      height: cells(height),
      width: cells(width),
      y: cells(y),
      x: cells(x),
    } as const;
    return [withOptions(conditioning, { region: { area, strength, areaFromMask: false } })];
  },
});

const share = (value: number) => fraction(value, 0.01);

const setAreaPercentage = node({
  ...shared,
  name: 'ConditioningSetAreaPercentage',
  displayName: 'Conditioning (Set Area with Percentage)',
  description: 'Limits a prompt to a rectangle, in fractions of the image.',
  inputs: {
    conditioning: conditioning(),
    width: share(1.0),
    height: share(1.0),
    x: share(0),
    y: share(0),
    strength: strength(),
  },
  run({ conditioning, width, height, x, y, strength }) {
    const area = { unit: 'fraction', height, width, y, x } as const;
    return [withOptions(conditioning, { region: { area, strength, areaFromMask: false } })];
  },
});

const setAreaPercentageVideo = node({
  ...shared,
  name: 'ConditioningSetAreaPercentageVideo',
  displayName: 'ConditioningSetAreaPercentageVideo',
  module: 'comfy_extras.nodes_video_model',
  description:
    'Limits a prompt to a rectangle, in fractions of the image. Images have no time axis: temporal and z have no effect.',
  inputs: {
    conditioning: conditioning(),
    width: share(1.0),
    height: share(1.0),
    temporal: share(1.0),
    x: share(0),
    y: share(0),
    z: share(0),
    strength: strength(),
  },
  run({ conditioning, width, height, x, y, strength }) {
    const area = { unit: 'fraction', height, width, y, x } as const;
    return [withOptions(conditioning, { region: { area, strength, areaFromMask: false } })];
  },
});

const setAreaStrength = node({
  ...shared,
  name: 'ConditioningSetAreaStrength',
  displayName: 'ConditioningSetAreaStrength',
  description: 'Sets how much a prompt counts compared with others.',
  inputs: { conditioning: conditioning(), strength: strength() },
  run: ({ conditioning, strength }) => [withOptions(conditioning, { region: { strength } })],
});

const setMask = node({
  ...shared,
  name: 'ConditioningSetMask',
  displayName: 'Conditioning (Set Mask)',
  description: 'Limits a prompt to the white part of a mask.',
  inputs: {
    conditioning: conditioning(),
    mask: link('MASK', undefined),
    strength: strength(),
    set_cond_area: choice(['default', 'mask bounds']),
  },
  run({ conditioning, mask, strength, set_cond_area }) {
    const batched = mask.shape.length < 3 ? { ...mask, shape: [1, ...mask.shape] } : mask;
    const areaFromMask = set_cond_area !== 'default';
    return [withOptions(conditioning, { region: { mask: batched, areaFromMask, maskStrength: strength } })];
  },
});

const zeroOut = node({
  ...shared,
  name: 'ConditioningZeroOut',
  displayName: 'ConditioningZeroOut',
  category: 'advanced/conditioning',
  description: 'Replaces all numbers of an encoded prompt with zeros: it then says nothing.',
  inputs: { conditioning: conditioning() },
  run: ({ conditioning }) => [
    conditioning.map(({ tensor, options }) => ({
      tensor: zeros(tensor.shape),
      options: {
        ...options,
        ...(options.pooled && { pooled: zeros(options.pooled.shape) }),
        ...(options.lyrics && {
          lyrics: { ...options.lyrics, tokens: zeros(options.lyrics.tokens.shape) },
        }),
        ...(options.music?.lyrics && {
          music: { ...options.music, lyrics: zeros(options.music.lyrics.shape) },
        }),
      },
    })),
  ],
});

const setTimestepRange = node({
  ...shared,
  name: 'ConditioningSetTimestepRange',
  displayName: 'ConditioningSetTimestepRange',
  category: 'advanced/conditioning',
  description: 'Limits a prompt to a range of the sampling: 0 is the start, 1 the end.',
  inputs: {
    conditioning: conditioning(),
    start: fraction(0.0),
    end: fraction(1.0),
  },
  run: ({ conditioning, start, end }) => [
    withOptions(conditioning, { schedule: { startPercent: start, endPercent: end } }),
  ],
});

const fluxGuidance = node({
  name: 'FluxGuidance',
  category: 'advanced/conditioning/flux',
  module: 'comfy_extras.nodes_flux',
  modern: true,
  description: 'Sets how strongly a model follows the prompt, for models that take the guidance as an input.',
  inputs: {
    conditioning: link('CONDITIONING'),
    guidance: float({ default: 3.5, min: 0.0, max: 100.0, step: 0.1 }),
  },
  outputs: [output('CONDITIONING')],
  run: ({ conditioning, guidance }) => [withOptions(conditioning, { guidance })],
});

const fluxDisableGuidance = node({
  name: 'FluxDisableGuidance',
  category: 'advanced/conditioning/flux',
  module: 'comfy_extras.nodes_flux',
  modern: true,
  description: 'Removes the guidance input from a prompt.',
  inputs: { conditioning: link('CONDITIONING') },
  outputs: [output('CONDITIONING')],
  run: ({ conditioning }) => [
    conditioning.map(({ tensor, options: { guidance: _guidance, ...options } }) => ({ tensor, options })),
  ],
});

export const conditioningNodes: AnyNode[] = [
  fluxDisableGuidance,
  combineNode,
  concat,
  average,
  setArea,
  setAreaPercentage,
  setAreaPercentageVideo,
  setAreaStrength,
  setMask,
  zeroOut,
  setTimestepRange,
  fluxGuidance,
];

/**
 * Concatenates [batch, tokens, width] along the tokens. The batch is that of `a`; `b` repeats its last entry. Throws
 * when the widths differ.
 */
function concatTokens(a: FloatTensor, b: FloatTensor): FloatTensor {
  const [batch = 1, tokensA = 0, width = 0] = a.shape;
  const [batchB = 1, tokensB = 0, widthB = 0] = b.shape;
  if (width !== widthB)
    throw new TypeError(
      `these prompts are of different text encoders: their widths are ${width} and ${widthB}`,
    );
  const result = zeros([batch, tokensA + tokensB, width]);
  for (let i = 0; i < batch; i++) {
    const at = i * (tokensA + tokensB) * width;
    const from = Math.min(i, batchB - 1);
    result.data.set(a.data.subarray(i * tokensA * width, (i + 1) * tokensA * width), at);
    result.data.set(
      b.data.subarray(from * tokensB * width, (from + 1) * tokensB * width),
      at + tokensA * width,
    );
  }
  return result;
}

/** Cuts or zero-pads the tokens to a shape [batch, tokens, width]. Throws when the widths differ. */
function resizeTokens(
  { shape, data }: FloatTensor,
  [batch = 1, tokens = 0, width = 0]: readonly number[],
): FloatTensor {
  const [ownBatch = 1, ownTokens = 0, ownWidth = 0] = shape;
  if (ownWidth !== width)
    throw new TypeError(
      `these prompts are of different text encoders: their widths are ${width} and ${ownWidth}`,
    );
  const result = zeros([batch, tokens, width]);
  const length = Math.min(tokens, ownTokens) * width;
  for (let i = 0; i < batch; i++) {
    const from = Math.min(i, ownBatch - 1) * ownTokens * width;
    result.data.set(data.subarray(from, from + length), i * tokens * width);
  }
  return result;
}
