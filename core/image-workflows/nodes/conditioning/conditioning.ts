/** What stands between text and sampler. */

import { combine } from '../../sampling/tensor-math.ts';
import { withOptions } from '../../values/conditioning.ts';
import { type FloatTensor, zeros } from '../../values/tensor.ts';
import { choice, float, int, link } from '../kernel/inputs.ts';
import { type AnyNode, node, output } from '../kernel/node-type.ts';

const shared = { category: 'conditioning', module: 'nodes', outputs: [output('CONDITIONING')] } as const;
const conditioning = () => link('CONDITIONING', undefined);
const strength = () => float({ default: 1.0, min: 0.0, max: 10.0, step: 0.01 });

const combineNode = node({
  ...shared,
  name: 'ConditioningCombine',
  displayName: 'Conditioning (Combine)',
  description: 'Both prompts at once, each seen on its own and the results averaged.',
  inputs: { conditioning_1: conditioning(), conditioning_2: conditioning() },
  run: ({ conditioning_1, conditioning_2 }) => [[...conditioning_1, ...conditioning_2]],
});

const concat = node({
  ...shared,
  name: 'ConditioningConcat',
  displayName: 'Conditioning (Concat)',
  description: 'One longer prompt of two.',
  inputs: { conditioning_to: conditioning(), conditioning_from: conditioning() },
  run({ conditioning_to, conditioning_from }) {
    const [from] = conditioning_from;
    if (!from) return [conditioning_to];
    return [conditioning_to.map((to) => ({ ...to, tensor: joined(to.tensor, from.tensor) }))];
  },
});

const average = node({
  ...shared,
  name: 'ConditioningAverage',
  displayName: 'ConditioningAverage',
  description: 'A mixture of two prompts.',
  inputs: {
    conditioning_to: conditioning(),
    conditioning_from: conditioning(),
    conditioning_to_strength: float({ default: 1.0, min: 0.0, max: 1.0, step: 0.01 }),
  },
  run({ conditioning_to, conditioning_from, conditioning_to_strength: share }) {
    const [from] = conditioning_from;
    if (!from) return [conditioning_to];
    const mixed = conditioning_to.map(({ tensor, options }) => {
      const pooled = options.pooled ?? from.options.pooled;
      return {
        tensor: combine([share, tensor], [1 - share, fitted(from.tensor, tensor.shape)]),
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
  description: 'The prompt counts in a rectangle only, in pixels.',
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

const share = (value: number) => float({ default: value, min: 0, max: 1.0, step: 0.01 });

const setAreaPercentage = node({
  ...shared,
  name: 'ConditioningSetAreaPercentage',
  displayName: 'Conditioning (Set Area with Percentage)',
  description: 'The prompt counts in a rectangle only, in shares of the picture.',
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
    'The prompt counts in a rectangle only, in shares of the picture. Pictures have no time: temporal and z change nothing.',
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
  description: 'How much a prompt counts beside others.',
  inputs: { conditioning: conditioning(), strength: strength() },
  run: ({ conditioning, strength }) => [withOptions(conditioning, { region: { strength } })],
});

const setMask = node({
  ...shared,
  name: 'ConditioningSetMask',
  displayName: 'Conditioning (Set Mask)',
  description: 'The prompt counts where a mask is white.',
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
  description: 'A prompt that says nothing: all numbers 0.',
  inputs: { conditioning: conditioning() },
  run: ({ conditioning }) => [
    conditioning.map(({ tensor, options }) => ({
      tensor: zeros(tensor.shape),
      options: { ...options, ...(options.pooled && { pooled: zeros(options.pooled.shape) }) },
    })),
  ],
});

const setTimestepRange = node({
  ...shared,
  name: 'ConditioningSetTimestepRange',
  displayName: 'ConditioningSetTimestepRange',
  category: 'advanced/conditioning',
  description: 'The prompt counts in a part of the sampling only: 0 is its start, 1 its end.',
  inputs: {
    conditioning: conditioning(),
    start: float({ default: 0.0, min: 0.0, max: 1.0, step: 0.001 }),
    end: float({ default: 1.0, min: 0.0, max: 1.0, step: 0.001 }),
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
  description: 'How strongly a model that was trained with its guidance as an input follows the prompt.',
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
  description: 'Takes the guidance that is an input of the model from a prompt.',
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

/** [batch, tokens, width] one after another along the tokens. */
function joined(a: FloatTensor, b: FloatTensor): FloatTensor {
  const [batch = 1, tokensA = 0, width = 0] = a.shape;
  const [batchB = 1, tokensB = 0, widthB = 0] = b.shape;
  if (width !== widthB)
    throw new TypeError(
      `these prompts are of different text encoders: their widths are ${width} and ${widthB}`,
    );
  const made = zeros([batch, tokensA + tokensB, width]);
  for (let i = 0; i < batch; i++) {
    const at = i * (tokensA + tokensB) * width;
    const from = Math.min(i, batchB - 1);
    made.data.set(a.data.subarray(i * tokensA * width, (i + 1) * tokensA * width), at);
    made.data.set(
      b.data.subarray(from * tokensB * width, (from + 1) * tokensB * width),
      at + tokensA * width,
    );
  }
  return made;
}

/** Cut to a shape [batch, tokens, width], or filled up with zeros. */
function fitted(
  { shape, data }: FloatTensor,
  [batch = 1, tokens = 0, width = 0]: readonly number[],
): FloatTensor {
  const [has = 1, hasTokens = 0, hasWidth = 0] = shape;
  if (hasWidth !== width)
    throw new TypeError(
      `these prompts are of different text encoders: their widths are ${width} and ${hasWidth}`,
    );
  const made = zeros([batch, tokens, width]);
  const kept = Math.min(tokens, hasTokens) * width;
  for (let i = 0; i < batch; i++) {
    const from = Math.min(i, has - 1) * hasTokens * width;
    made.data.set(data.subarray(from, from + kept), i * tokens * width);
  }
  return made;
}
