/** Encoders of speech, for models of videos that follow audio. */
import type { WorkflowFiles } from '../../files/workflow-files.ts';
import { loadAudioEncoder } from '../../models/audio-encoders/audio-encoder.ts';
import { choice, link } from '../kernel/inputs.ts';
import { type AnyNode, node, output } from '../kernel/node-type.ts';
import { modelFingerprint } from '../model/model-fingerprint.ts';

const FOLDER = 'audio_encoders';
const shared = { module: 'comfy_extras.nodes_audio_encoder', modern: true } as const;
const audioEncoderNames = (files: WorkflowFiles) => files.models(FOLDER);

const loader = node({
  ...shared,
  name: 'AudioEncoderLoader',
  category: 'loaders',
  description: 'Loads an encoder of speech of the folder audio_encoders: a file of wav2vec 2.0 or Whisper.',
  fingerprint: modelFingerprint(FOLDER, ['audio_encoder_name']),
  inputs: { audio_encoder_name: choice(audioEncoderNames, { multiselect: false }) },
  outputs: [output('AUDIO_ENCODER')],
  run: async ({ audio_encoder_name }, { host }) => [await loadAudioEncoder(host, audio_encoder_name)],
});

const encode = node({
  ...shared,
  name: 'AudioEncoderEncode',
  category: 'conditioning',
  description: 'Describes audio for models of videos that follow it.',
  inputs: { audio_encoder: link('AUDIO_ENCODER'), audio: link('AUDIO') },
  outputs: [output('AUDIO_ENCODER_OUTPUT')],
  run: async ({ audio_encoder, audio }, { signal }) => [await audio_encoder.encode(audio, signal)],
});

/** The nodes in the order of `/object_info`. */
export const audioEncoderNodes: AnyNode[] = [loader, encode];
