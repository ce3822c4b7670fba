/** Nodes that save audio in lossy formats. */

import { requireMediaCodecs } from '../../video/codecs.ts';
import { METADATA_INPUTS } from '../kernel/common-inputs.ts';
import { choice, link, string } from '../kernel/inputs.ts';
import { type AnyNode, node } from '../kernel/node-type.ts';
import { saveAudioFiles } from './save-audio.ts';

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

const saveAudioOpus = node({
  ...shared,
  name: 'SaveAudioOpus',
  displayName: 'Save Audio (Opus)',
  description: 'Saves audio as Opus in the output folder, with the graph in its metadata.',
  inputs: { ...inputs, quality: choice(['64k', '96k', '128k', '192k', '320k'], { default: '128k' }) },
  run: async ({ audio, filename_prefix, quality }, context) => ({
    ui: {
      audio: await saveAudioFiles(
        audio,
        [filename_prefix, 'output', 'opus'],
        context,
        async (audio, texts) => {
          const { encodeOpus } = await import('../../audio/opus/encode.ts');
          const options = { bitrate: bitsOf(quality), texts };
          return encodeOpus(audio.channels, audio.sampleRate, options, context.signal);
        },
      ),
    },
  }),
});

const saveAudioMp3 = node({
  ...shared,
  name: 'SaveAudioMP3',
  displayName: 'Save Audio (MP3)',
  description: 'Saves audio as MP3 in the output folder, with the graph in its metadata.',
  inputs: { ...inputs, quality: choice(['V0', '128k', '320k'], { default: 'V0' }) },
  run: async ({ audio, filename_prefix, quality }, context) => ({
    ui: {
      audio: await saveAudioFiles(audio, [filename_prefix, 'output', 'mp3'], context, (audio, texts) => {
        const bitrate = quality === 'V0' ? 'best' : bitsOf(quality);
        return requireMediaCodecs(context.host).encodeMp3(
          audio,
          { bitrate, metadata: texts },
          context.signal,
        );
      }),
    },
  }),
});

export const compressedAudioNodes: AnyNode[] = [saveAudioOpus, saveAudioMp3];
