import { WHISPER_STEPS } from '#core/audio';
import { concatFloats } from '#core/base';
import {
  type Blobs,
  type LoadOptions,
  type Log,
  type ModelFile,
  ModelUnsupported,
  type TensorEngine,
  type TensorProvider,
} from '#core/host';
import { cosine } from '../../base/cosine.ts';
import { DeviceCheck } from '../../base/device-check.ts';
import { withExternalData } from '../../base/external-data.ts';
import { readSmallFile } from '../../base/small-file.ts';
import { floatsOf } from '../../base/tensor-values.ts';
import { configFile, readWhisperConfig } from '../../base/whisper-config.ts';
import { whisperGraphs } from '../../base/whisper-files.ts';
import type { WhisperParts } from './decode-window.ts';
import { TokenRules } from './token-rules.ts';
import { WhisperModel } from './whisper-model.ts';
import { cacheOutputs, WhisperNetwork } from './whisper-network.ts';

/** The parts of a platform that models run with. */
export interface HearingEngineParts {
  tensors: TensorEngine;
  blobs: Pick<Blobs, 'read'>;
  log: Log;
}

interface Opened {
  parts: WhisperParts;
  model: WhisperModel;
}

/** The smallest cosine between the numbers that two correct devices compute of the same audio. */
const MIN_COSINE = 0.99;

/** Loads Whisper models in ONNX, with the tokenizers and configurations of their repositories. */
export class WhisperLoader {
  readonly #check: DeviceCheck<Opened>;

  constructor(private readonly parts: HearingEngineParts) {
    this.#check = new DeviceCheck(
      {
        ask: computeSignal,
        isAlike: (numbers, expected) => cosine(numbers, expected) >= MIN_COSINE,
        onDevice: ({ parts }, device) => new WhisperModel(parts, device),
        warning: 'a model that hears runs on the CPU',
      },
      parts.log,
    );
  }

  /** Computes a known signal, and uses the CPU where the GPU computes other numbers. As `LanguageEngine.load`. */
  load(
    files: ModelFile[],
    options: LoadOptions,
    signal: AbortSignal,
    onProgress: (fraction: number) => void,
  ): Promise<WhisperModel> {
    const open = (providers: TensorProvider[]) =>
      openModel(this.parts, files, providers, options, signal, onProgress);
    return this.#check.open(files, options, open, signal);
  }
}

/** Opens both sessions of a model. Rejects as `LanguageEngine.load` does. */
async function openModel(
  { tensors, blobs }: HearingEngineParts,
  files: ModelFile[],
  providers: TensorProvider[],
  { threads }: LoadOptions,
  signal: AbortSignal,
  onProgress: (fraction: number) => void,
): Promise<Opened> {
  const read = (file: ModelFile) => readSmallFile(blobs, file);
  const graphs = whisperGraphs(files);
  const tokenizer = files.find(({ role, name }) => role === 'tokenizer' && name?.endsWith('tokenizer.json'));
  if (!graphs || !tokenizer) throw new ModelUnsupported('it came without a graph or a tokenizer.json');
  const config = await readWhisperConfig(files, read);
  const settings = configFile(files, 'tokenizer_config.json');
  const { WhisperVocabulary } = await import('./vocabulary.ts');
  const settingsBytes = settings && (await read(settings));
  const vocabulary = new WhisperVocabulary(await read(tokenizer), settingsBytes, config.end);
  const half = (from: number) => (fraction: number) => onProgress(from + fraction / 2);
  const encoder = await tensors.open(
    withExternalData(files, graphs.encoder),
    { providers, threads },
    signal,
    half(0),
  );
  try {
    const decoder = await tensors.open(
      withExternalData(files, graphs.decoder),
      // Both on one device: what one computes, the other takes.
      {
        providers: encoder.device.kind === 'gpu' ? providers : ['wasm'],
        threads,
        keeps: cacheOutputs(config),
      },
      signal,
      half(0.5),
    );
    try {
      const network = new WhisperNetwork(encoder, decoder, config);
      const parts = { network, vocabulary, rules: new TokenRules(vocabulary, config), config };
      return { parts, model: new WhisperModel(parts, deviceOf(network)) };
    } catch (error) {
      await decoder.dispose();
      throw error;
    }
  } catch (error) {
    await encoder.dispose();
    throw error;
  }
}

/** The device of both sessions. The CPU, when one of them runs there. */
function deviceOf({ encoder, decoder }: WhisperNetwork) {
  return decoder.device.kind === 'cpu' ? decoder.device : encoder.device;
}

/**
 * Computes the encoder's output, and the logits after two tokens, for loudness that rises and falls. The second token
 * reads the cache.
 */
async function computeSignal(
  { parts: { network, config } }: Opened,
  signal: AbortSignal,
): Promise<Float32Array> {
  const size = config.bands * WHISPER_STEPS;
  const loudness = Float32Array.from({ length: size }, (_, at) => Math.sin(at / 50) * Math.cos(at / 7001));
  const states = await network.encode(loudness, signal);
  const first = await network.begin([config.start], states, signal);
  const second = await network.next(config.start, 1, states, signal);
  return concatFloats([floatsOf(states), first.data, second.data]);
}
