/** Nodes that load audio from the input folder and save it without loss. */

import { AudioUnreadable, decodeAudio } from '#core/audio';
import { type Audio, audioFromPcm } from '../../audio/audio.ts';
import { mediaType } from '../../files/media-types.ts';
import type { WorkflowFiles } from '../../files/workflow-files.ts';
import { temporaryPrefix } from '../image/save.ts';
import { METADATA_INPUTS } from '../kernel/common-inputs.ts';
import { anyOf, choice, link, string } from '../kernel/inputs.ts';
import { fileChecks, requireFilePath } from '../kernel/named-file.ts';
import type { NodeContext } from '../kernel/node-context.ts';
import { type AnyNode, node, output } from '../kernel/node-type.ts';
import { saveFlacs } from './save-audio.ts';

const shared = { category: 'audio', module: 'comfy_extras.nodes_audio' } as const;

/** Audio and video files directly in the input folder. Those in subfolders are valid, too, but not listed. */
const inputAudioFiles = async (files: WorkflowFiles) =>
  (await files.names('input')).filter((name) => /^(audio|video)\//.test(mediaType(name)));

/** The audio of a file that a graph names. Rejects with an error that contains name and reason. */
async function load(name: string, { files, host, signal }: NodeContext): Promise<Audio> {
  const path = await requireFilePath('audio', name, { files });
  try {
    return audioFromPcm(await decodeAudio(await files.read(path), signal, host.mediaCodecs));
  } catch (error) {
    if (!(error instanceof AudioUnreadable)) throw error;
    throw new AudioUnreadable(`cannot read the audio file '${name}': ${error.message}`, { cause: error });
  }
}

const audioChecks = fileChecks('audio');

const loadAudio = node({
  ...shared,
  name: 'LoadAudio',
  displayName: 'Load Audio',
  description: 'Loads an audio file of the input folder, or the audio of a video.',
  ...audioChecks,
  inputs: { audio: choice(inputAudioFiles, { audio_upload: true }) },
  outputs: [output('AUDIO')],
  run: async ({ audio }, context) => [await load(audio, context)],
});

const recordAudio = node({
  ...shared,
  name: 'RecordAudio',
  displayName: 'Record Audio',
  description: 'Loads audio that an editor recorded with the microphone and uploaded.',
  fingerprint: audioChecks.fingerprint,
  inputs: { audio: anyOf('AUDIO_RECORD') },
  outputs: [output('AUDIO')],
  run: async ({ audio }, context) => [await load(String(audio), context)],
});

const saveAudio = node({
  ...shared,
  name: 'SaveAudio',
  displayName: 'Save Audio (FLAC)',
  description:
    'Saves audio without loss as FLAC with 16 bits in the output folder, with the graph in its metadata.',
  isOutput: true,
  inputs: { audio: link('AUDIO', undefined), filename_prefix: string({ default: 'audio/ComfyUI' }) },
  hidden: METADATA_INPUTS,
  outputs: [],
  run: async ({ audio, filename_prefix }, context) => ({
    ui: { audio: await saveFlacs(audio, filename_prefix, 'output', context) },
  }),
});

const previewAudio = node({
  ...shared,
  name: 'PreviewAudio',
  displayName: 'Preview Audio',
  description: 'Plays audio in the editor without saving it.',
  isOutput: true,
  inputs: { audio: link('AUDIO', undefined) },
  hidden: METADATA_INPUTS,
  outputs: [],
  run: async ({ audio }, context) => ({
    ui: { audio: await saveFlacs(audio, temporaryPrefix(context), 'temp', context) },
  }),
});

export const audioFileNodes: AnyNode[] = [loadAudio, recordAudio, saveAudio, previewAudio];
