/** Times of prompts for models of videos and audio. */
import { withOptions } from '../../values/conditioning.ts';
import type { TimingOptions } from '../../values/network.ts';
import { float, link } from '../kernel/inputs.ts';
import { type AnyNode, node, output } from '../kernel/node-type.ts';

const both = [output('CONDITIONING', 'positive'), output('CONDITIONING', 'negative')];
const seconds = (value: number) => float({ default: value, min: 0, max: 1000, step: 0.1 });

const frameRate = node({
  name: 'LTXVConditioning',
  category: 'conditioning/video_models',
  module: 'comfy_extras.nodes_lt',
  modern: true,
  description: 'Sets the frames for each second of the video that the prompts are for.',
  inputs: {
    positive: link('CONDITIONING'),
    negative: link('CONDITIONING'),
    frame_rate: float({ default: 25, min: 0, max: 1000, step: 0.01 }),
  },
  outputs: both,
  run: ({ positive, negative, frame_rate }) => timed({ frameRate: frame_rate }, positive, negative),
});

const partOfAudio = node({
  name: 'ConditioningStableAudio',
  displayName: 'ConditioningStableAudio',
  category: 'conditioning',
  module: 'comfy_extras.nodes_audio',
  description:
    'Sets the length of the piece of audio that the prompts are for, and where the result begins in it.',
  inputs: {
    positive: link('CONDITIONING', undefined),
    negative: link('CONDITIONING', undefined),
    seconds_start: seconds(0),
    seconds_total: seconds(47),
  },
  outputs: both,
  run: ({ positive, negative, seconds_start, seconds_total }) =>
    timed({ secondsStart: seconds_start, secondsTotal: seconds_total }, positive, negative),
});

const timed = (timing: TimingOptions, ...prompts: Parameters<typeof withOptions>[0][]) =>
  prompts.map((prompt) => withOptions(prompt, { timing }));

/** The nodes in the order of `/object_info`. */
export const timingNodes: AnyNode[] = [frameRate, partOfAudio];
