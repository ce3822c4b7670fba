/** Sounds from the folders of files, and to them. */

import { type Audio, AudioUnreadable } from '../../audio/audio.ts';
import { decodeAudio } from '../../audio/decode.ts';
import { encodeFlac } from '../../audio/flac/encode.ts';
import { mediaType } from '../../files/media-types.ts';
import type { WorkflowFiles } from '../../files/workflow-files.ts';
import { temporaryPrefix } from '../image/save.ts';
import { anyOf, choice, link, string } from '../kernel/inputs.ts';
import { fileChecks, requireFilePath } from '../kernel/named-file.ts';
import type { NodeContext } from '../kernel/node-context.ts';
import { type AnyNode, node, output } from '../kernel/node-type.ts';
import { saveAudioFiles } from './save-audio.ts';

const shared = { category: 'audio', module: 'comfy_extras.nodes_audio' } as const;

/** The files that stand directly in the folder; those of video have sound, too. */
const inputSounds = async (files: WorkflowFiles) =>
  (await files.names('input')).filter((name) => /^(audio|video)\//.test(mediaType(name)));

/** By the name in a graph. Throws with the name, and what is wrong. */
async function load(name: string, { files, host, signal }: NodeContext): Promise<Audio> {
  const path = await requireFilePath('audio', name, { files });
  try {
    return await decodeAudio(await files.read(path), signal, host.mediaCodecs);
  } catch (error) {
    if (!(error instanceof AudioUnreadable)) throw error;
    throw new AudioUnreadable(`cannot read the sound file '${name}': ${error.message}`, { cause: error });
  }
}

const ofAudio = fileChecks('audio');

const loadAudio = node({
  ...shared,
  name: 'LoadAudio',
  displayName: 'Load Audio',
  description: 'A sound of the input folder, or that of a video.',
  ...ofAudio,
  inputs: { audio: choice(inputSounds, { audio_upload: true }) },
  outputs: [output('AUDIO')],
  run: async ({ audio }, context) => [await load(audio, context)],
});

const recordAudio = node({
  ...shared,
  name: 'RecordAudio',
  displayName: 'Record Audio',
  description: 'The sound that an editor took with the microphone and uploaded, as WAV.',
  fingerprint: ofAudio.fingerprint,
  inputs: { audio: anyOf('AUDIO_RECORD') },
  outputs: [output('AUDIO')],
  run: async ({ audio }, context) => [await load(String(audio), context)],
});

/** Each sound of a batch as a file of its own, with an interrupt point after each. */
const saveFlacs = (sound: Audio, prefix: string, folder: 'output' | 'temp', context: NodeContext) =>
  saveAudioFiles(sound, [prefix, folder, 'flac'], context, ({ channels, sampleRate }, texts) =>
    encodeFlac(channels, sampleRate, texts, context.signal),
  );

const hidden = { prompt: 'PROMPT', extra_pnginfo: 'EXTRA_PNGINFO' } as const;

const saveAudio = node({
  ...shared,
  name: 'SaveAudio',
  displayName: 'Save Audio (FLAC)',
  description: 'Saves sounds without loss in 16 bits in the output folder, with the graph that made them.',
  isOutput: true,
  inputs: { audio: link('AUDIO', undefined), filename_prefix: string({ default: 'audio/ComfyUI' }) },
  hidden,
  outputs: [],
  run: async ({ audio, filename_prefix }, context) => ({
    ui: { audio: await saveFlacs(audio, filename_prefix, 'output', context) },
  }),
});

const previewAudio = node({
  ...shared,
  name: 'PreviewAudio',
  displayName: 'Preview Audio',
  description: 'Lets a sound be heard without keeping it.',
  isOutput: true,
  inputs: { audio: link('AUDIO', undefined) },
  hidden,
  outputs: [],
  run: async ({ audio }, context) => ({
    ui: { audio: await saveFlacs(audio, temporaryPrefix(context), 'temp', context) },
  }),
});

export const audioFileNodes: AnyNode[] = [loadAudio, recordAudio, saveAudio, previewAudio];
