/** Nodes that save audio in lossy formats. */

import type { Audio } from '../../audio/audio.ts';
import { requireMediaCodecs } from '../../video/codecs.ts';
import { METADATA_INPUTS } from '../kernel/common-inputs.ts';
import { variants } from '../kernel/dynamic-inputs.ts';
import { choice, link, string } from '../kernel/inputs.ts';
import type { NodeContext } from '../kernel/node-context.ts';
import { type AnyNode, node, output } from '../kernel/node-type.ts';
import { saveAudioFiles, saveFlacs } from './save-audio.ts';

const shared = {
  category: 'audio',
  module: 'comfy_extras.nodes_audio',
  isOutput: true,
  hidden: METADATA_INPUTS,
  outputs: [],
} as const;

const inputs = { audio: link('AUDIO', undefined), filename_prefix: string({ default: 'audio/ComfyUI' }) };

/** Bits per second of a quality such as `128k`. */
const bitsOf = (quality: string): number => Number.parseInt(quality, 10) * 1000;

const OPUS_QUALITIES = ['64k', '96k', '128k', '192k', '320k'] as const;
const MP3_QUALITIES = ['V0', '128k', '320k'] as const;

const saveOpus = (audio: Audio, prefix: string, quality: string, context: NodeContext) =>
  saveAudioFiles(audio, [prefix, 'output', 'opus'], context, async (audio, texts) => {
    const { encodeOpus } = await import('#core/audio/lazy.ts');
    const options = { bitrate: bitsOf(quality), texts };
    return encodeOpus(audio.channels, audio.sampleRate, options, context.signal);
  });

const saveMp3 = (audio: Audio, prefix: string, quality: string, context: NodeContext) =>
  saveAudioFiles(audio, [prefix, 'output', 'mp3'], context, (audio, texts) => {
    const bitrate = quality === 'V0' ? 'best' : bitsOf(quality);
    return requireMediaCodecs(context.host).encodeMp3(audio, { bitrate, metadata: texts }, context.signal);
  });

const saveAudioOpus = node({
  ...shared,
  name: 'SaveAudioOpus',
  displayName: 'Save Audio (Opus)',
  description: 'Saves audio as Opus in the output folder, with the graph in its metadata.',
  inputs: { ...inputs, quality: choice(OPUS_QUALITIES, { default: '128k' }) },
  run: async ({ audio, filename_prefix, quality }, context) => ({
    ui: { audio: await saveOpus(audio, filename_prefix, quality, context) },
  }),
});

const saveAudioMp3 = node({
  ...shared,
  name: 'SaveAudioMP3',
  displayName: 'Save Audio (MP3)',
  description: 'Saves audio as MP3 in the output folder, with the graph in its metadata.',
  inputs: { ...inputs, quality: choice(MP3_QUALITIES, { default: 'V0' }) },
  run: async ({ audio, filename_prefix, quality }, context) => ({
    ui: { audio: await saveMp3(audio, filename_prefix, quality, context) },
  }),
});

const saveAudioAdvanced = node({
  ...shared,
  name: 'SaveAudioAdvanced',
  displayName: 'Save Audio (Advanced)',
  modern: true,
  description: 'Saves audio in the output folder in the chosen format, with the graph in its metadata.',
  inputs: {
    audio: link('AUDIO', { tooltip: 'The audio to save.' }),
    filename_prefix: string({
      default: 'audio/ComfyUI',
      multiline: false,
      tooltip: 'The start of the file names. May contain a folder, and tokens such as %year%.',
    }),
    format: variants(
      {
        flac: {},
        mp3: { quality: choice(MP3_QUALITIES, { default: 'V0', multiselect: false }) },
        opus: { quality: choice(OPUS_QUALITIES, { default: '128k', multiselect: false }) },
      },
      { tooltip: 'The format of the files.' },
    ),
  },
  outputs: [output('AUDIO', 'audio')],
  async run({ audio, filename_prefix, format }, context) {
    const saved =
      format.key === 'flac'
        ? await saveFlacs(audio, filename_prefix, 'output', context)
        : await (format.key === 'mp3' ? saveMp3 : saveOpus)(audio, filename_prefix, format.quality, context);
    return { outputs: [audio], ui: { audio: saved } };
  },
});

export const compressedAudioNodes: AnyNode[] = [saveAudioOpus, saveAudioMp3, saveAudioAdvanced];
