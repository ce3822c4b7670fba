import {
  type Blobs,
  type LoadOptions,
  type Log,
  type ModelFile,
  ModelUnsupported,
  type TensorEngine,
  type TensorProvider,
} from '#core/host';
import { DeviceCheck } from '../../base/device-check.ts';
import { withExternalData } from '../../base/external-data.ts';
import { readSmallFile } from '../../base/small-file.ts';
import { longestText, readVoiceVocabulary, voiceFiles } from '../../base/voice-files.ts';
import { KokoroModel, type KokoroParts } from './kokoro-model.ts';
import { KokoroNetwork } from './kokoro-network.ts';
import { likeness } from './loudness-curve.ts';

/** The parts of a platform that models run with. */
export interface SpeakingEngineParts {
  tensors: TensorEngine;
  blobs: Pick<Blobs, 'read'>;
  log: Log;
}

interface Opened {
  parts: KokoroParts;
  /** One of the voices. */
  voice: string;
  model: KokoroModel;
}

const CHECK_TEXT = 'The quick brown fox jumps over the lazy dog.';
/** The smallest likeness of the speech that two correct devices make of the same text. Its noise is random. */
const LEAST_LIKENESS = 0.9;

/** Loads Kokoro models in ONNX, with the tokenizers and voices of their repositories. */
export class KokoroLoader {
  readonly #check: DeviceCheck<Opened>;

  constructor(private readonly parts: SpeakingEngineParts) {
    this.#check = new DeviceCheck(
      {
        ask: sayCheckText,
        isAlike: (said, expected) => likeness(said, expected) >= LEAST_LIKENESS,
        onDevice: ({ parts }, device) => new KokoroModel(parts, device),
        warning: 'a model that speaks runs on the CPU',
      },
      parts.log,
    );
  }

  /** Says a known text, and uses the CPU where the GPU says another one. As `LanguageEngine.load`. */
  load(
    files: ModelFile[],
    options: LoadOptions,
    signal: AbortSignal,
    onProgress: (fraction: number) => void,
  ): Promise<KokoroModel> {
    const open = (providers: TensorProvider[]) =>
      openModel(this.parts, files, providers, options, signal, onProgress);
    return this.#check.open(files, options, open, signal);
  }
}

/** Opens the session of a model. Rejects as `LanguageEngine.load` does. */
async function openModel(
  { tensors, blobs }: SpeakingEngineParts,
  files: ModelFile[],
  providers: TensorProvider[],
  { threads }: LoadOptions,
  signal: AbortSignal,
  onProgress: (fraction: number) => void,
): Promise<Opened> {
  const found = voiceFiles(files);
  if (!found) throw new ModelUnsupported('it came without a graph or a voice');
  const { graph, voices } = found;
  const vocabulary = await readVoiceVocabulary(files, (file) => readSmallFile(blobs, file));
  const session = await tensors.open(
    withExternalData(files, graph),
    { providers, threads },
    signal,
    onProgress,
  );
  try {
    const parts: KokoroParts = {
      network: new KokoroNetwork(session),
      vocabulary,
      style: async (voice) => {
        const file = voices.get(voice);
        return file && toFloats(await readSmallFile(blobs, file));
      },
      maxTokens: longestText(voices),
    };
    return { parts, voice: [...voices.keys()][0]!, model: new KokoroModel(parts, session.device) };
  } catch (error) {
    await session.dispose();
    throw error;
  }
}

/** The numbers of a file, wherever its bytes lie in memory. */
const toFloats = (bytes: Uint8Array): Float32Array => new Float32Array(bytes.slice().buffer);

async function sayCheckText(
  { model, voice }: Opened,
  signal: AbortSignal,
): Promise<Float32Array | undefined> {
  const { value } = await model.speak({ text: CHECK_TEXT, voice, speed: 1 }, signal).next();
  return value?.samples;
}
