/** Nodes that create, cut and mix audio. */

import type { Audio } from '../../audio/audio.ts';
import { concatenateAudio, MIX_METHODS, mixAudio, toCommonRate, toStereo } from '../../audio/mix.ts';
import { roundHalfEven } from '../../images/rounding.ts';
import { map } from '../../sampling/tensor-math.ts';
import { zeros } from '../../values/tensor.ts';
import { choice, float, int, link } from '../kernel/inputs.ts';
import { type AnyNode, node, output } from '../kernel/node-type.ts';

const shared = { category: 'audio', module: 'comfy_extras.nodes_audio' } as const;
const audio = () => link('AUDIO', undefined);
const outputs = [output('AUDIO')];
/** The largest unsigned 64-bit integer, which ComfyUI publishes as the limit. */
const MAX = 18446744073709551615n;

const emptyAudio = node({
  ...shared,
  name: 'EmptyAudio',
  displayName: 'Empty Audio',
  description: 'Creates silence.',
  inputs: {
    duration: float({ default: 60.0, min: 0.0, max: MAX, step: 0.01, tooltip: 'In seconds.' }),
    sample_rate: int({ default: 44100, tooltip: 'Samples per second.' }),
    channels: int({ default: 2, min: 1, max: 2, tooltip: '1 is mono, 2 stereo.' }),
  },
  outputs,
  run({ duration, sample_rate, channels }) {
    if (sample_rate < 1)
      throw new RangeError(`a sample rate of ${sample_rate} is not possible: choose 1 or more`);
    return [{ waveform: zeros([1, channels, roundHalfEven(duration * sample_rate)]), sample_rate }];
  },
});

/** The samples of each channel from `from` to before `to`. */
function cut({ waveform: { shape, data }, sample_rate }: Audio, from: number, to: number): Audio {
  const [batch = 1, channels = 1, length = 0] = shape;
  const waveform = zeros([batch, channels, to - from]);
  for (let plane = 0; plane < batch * channels; plane++)
    waveform.data.set(data.subarray(plane * length + from, plane * length + to), plane * (to - from));
  return { waveform, sample_rate };
}

const trimAudioDuration = node({
  ...shared,
  name: 'TrimAudioDuration',
  displayName: 'Trim Audio Duration',
  description: 'Cuts a part out of audio.',
  inputs: {
    audio: audio(),
    start_index: float({
      default: 0.0,
      min: -MAX,
      max: MAX,
      step: 0.01,
      tooltip: 'Start of the part in seconds. Negative numbers count from the end.',
    }),
    duration: float({ default: 60.0, min: 0.0, step: 0.01, tooltip: 'In seconds.' }),
  },
  outputs,
  run({ audio, start_index, duration }) {
    const length = audio.waveform.shape[2]!;
    const samples = (seconds: number) => roundHalfEven(seconds * audio.sample_rate);
    const start = samples(start_index) + (start_index < 0 ? length : 0);
    const from = Math.max(0, Math.min(start, length - 1));
    const to = Math.min(from + samples(duration), length);
    if (to <= from)
      throw new RangeError(
        `nothing is left of the audio of ${length / audio.sample_rate} s: choose a longer duration, or a start inside of it`,
      );
    return [cut(audio, from, to)];
  },
});

const splitAudioChannels = node({
  ...shared,
  name: 'SplitAudioChannels',
  displayName: 'Split Audio Channels',
  description: 'Splits stereo audio into its left and its right channel.',
  inputs: { audio: audio() },
  outputs: [output('AUDIO', 'left'), output('AUDIO', 'right')],
  run({ audio: { waveform, sample_rate } }) {
    const [batch = 1, channels = 1, length = 0] = waveform.shape;
    if (channels !== 2)
      throw new Error(
        `only stereo audio can be split: this has ${channels} channel${channels === 1 ? '' : 's'}`,
      );
    return [0, 1].map((channel) => {
      const mono = zeros([batch, 1, length]);
      for (let i = 0; i < batch; i++) {
        const start = (2 * i + channel) * length;
        mono.data.set(waveform.data.subarray(start, start + length), i * length);
      }
      return { waveform: mono, sample_rate };
    });
  },
});

const audioConcat = node({
  ...shared,
  name: 'AudioConcat',
  displayName: 'Audio Concat',
  description: 'Concatenates two audio inputs, in stereo, at the higher of their sample rates.',
  inputs: {
    audio1: audio(),
    audio2: audio(),
    direction: choice(['after', 'before'], {
      default: 'after',
      tooltip: 'Position of the second input: after the first or before it.',
    }),
  },
  outputs,
  async run({ audio1, audio2, direction }, { signal }) {
    const [first, second] = await toCommonRate(toStereo(audio1), toStereo(audio2), signal);
    return [direction === 'after' ? concatenateAudio(first, second) : concatenateAudio(second, first)];
  },
});

const audioMerge = node({
  ...shared,
  name: 'AudioMerge',
  displayName: 'Audio Merge',
  description:
    'Mixes two audio inputs, as long as the first, at the higher of their sample rates. A result that would clip is made quieter.',
  inputs: {
    audio1: audio(),
    audio2: audio(),
    merge_method: choice(Object.keys(MIX_METHODS) as (keyof typeof MIX_METHODS)[], {
      tooltip: 'How each pair of samples is combined.',
    }),
  },
  outputs,
  async run({ audio1, audio2, merge_method }, { signal }) {
    const [first, second] = await toCommonRate(audio1, audio2, signal);
    return [mixAudio(first, second, merge_method)];
  },
});

const audioAdjustVolume = node({
  ...shared,
  name: 'AudioAdjustVolume',
  displayName: 'Audio Adjust Volume',
  description: 'Makes audio louder or quieter.',
  inputs: {
    audio: audio(),
    volume: int({
      default: 1.0,
      min: -100,
      max: 100,
      tooltip: 'In decibels: 0 changes nothing, 6 is twice as loud, -6 half.',
    }),
  },
  outputs,
  run({ audio, volume }) {
    if (volume === 0) return [audio];
    const gain = 10 ** (volume / 20);
    return [{ ...audio, waveform: map((value) => value * gain, audio.waveform) }];
  },
});

export const audioEditNodes: AnyNode[] = [
  emptyAudio,
  trimAudioDuration,
  splitAudioChannels,
  audioConcat,
  audioMerge,
  audioAdjustVolume,
];
