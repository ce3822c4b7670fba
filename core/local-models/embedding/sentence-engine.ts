import {
  type Blobs,
  type LanguageEngine,
  type LoadOptions,
  type Log,
  type ModelFile,
  ModelUnsupported,
  type TensorEngine,
  type TensorProvider,
} from '#core/host';
import { cosine } from '../base/cosine.ts';
import { DeviceCheck } from '../base/device-check.ts';
import { readSentenceConfig } from '../base/sentence-config.ts';
import { readSmallFile } from '../base/small-file.ts';
import { voiceFiles } from '../base/voice-files.ts';
import { whisperGraphs } from '../base/whisper-files.ts';
import { outputOf, SentenceModel } from './sentence-model.ts';

export interface SentenceEngineParts {
  tensors: TensorEngine;
  blobs: Pick<Blobs, 'read'>;
  log: Log;
}

const CHECK_TEXT = 'Paris is the capital of France.';
/** The smallest cosine between the vectors that two correct devices compute of the same text. */
const MIN_COSINE = 0.99;
const INPUTS = new Set(['input_ids', 'attention_mask', 'token_type_ids']);

/**
 * Creates the engine for sentence-embedding models in ONNX, with the tokenizers and configurations of their repositories.
 * It embeds a known text when a model is loaded, and uses the CPU where the GPU computes another vector.
 */
export function sentenceEngine(parts: SentenceEngineParts): LanguageEngine {
  const check = new DeviceCheck<{ model: SentenceModel }>(
    {
      ask: async ({ model }, signal) => {
        const { vectors } = await model.embed(
          [CHECK_TEXT],
          { maxTokens: model.contextLength, truncate: true },
          signal,
        );
        return vectors[0];
      },
      isAlike: (vector, expected) => cosine(vector, expected) >= MIN_COSINE,
      onDevice: ({ model }, device) => Object.assign(model, { device }),
      warning: 'an embedding model runs on the CPU',
    },
    parts.log,
  );
  return {
    name: parts.tensors.name,
    formats: ['onnx'],
    accepts: (files) => !whisperGraphs(files) && !voiceFiles(files),
    load(files, options, signal, onProgress) {
      const weights = files.filter(({ role }) => role === 'weights' || role === 'part');
      const open = async (providers: TensorProvider[]) => ({
        model: await openModel(parts, files, providers, options, signal, onProgress),
      });
      return check.open(weights, options, open, signal);
    },
  };
}

/**
 * Opens the session of a model.
 * @throws ModelUnsupported, ModelCorrupt, or what the tensor engine throws
 */
async function openModel(
  { tensors, blobs }: SentenceEngineParts,
  files: ModelFile[],
  providers: TensorProvider[],
  options: LoadOptions,
  signal: AbortSignal,
  onProgress: (fraction: number) => void,
): Promise<SentenceModel> {
  const read = (file: ModelFile) => readSmallFile(blobs, file);
  const tokenizer = files.find(({ role, name }) => role === 'tokenizer' && name?.endsWith('tokenizer.json'));
  if (!tokenizer) throw new ModelUnsupported('it came without a tokenizer.json');
  const settings = files.find(({ name }) => name === 'tokenizer_config.json');
  const config = await readSentenceConfig(files, read);
  const { TextTokens } = await import('./text-tokens.ts');
  const tokens = new TextTokens(await read(tokenizer), settings && (await read(settings)));
  const session = await tensors.open(files, { providers, threads: options.threads }, signal, onProgress);
  try {
    const unknown = session.inputs.find(({ name }) => !INPUTS.has(name));
    if (unknown) throw new ModelUnsupported(`its graph asks for ${unknown.name}, which no text has`);
    outputOf(session);
    return new SentenceModel(session, tokens, config.pooling, config.maxTokens);
  } catch (error) {
    await session.dispose();
    throw error;
  }
}
