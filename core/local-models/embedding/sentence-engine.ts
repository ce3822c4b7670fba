import {
  type Blobs,
  type LanguageEngine,
  type LoadOptions,
  type Log,
  ModelCorrupt,
  type ModelFile,
  ModelUnsupported,
  type TensorEngine,
  type TensorProvider,
} from '#core/host';
import { readSentenceConfig } from '../base/sentence-config.ts';
import { readSmallFile } from '../base/small-file.ts';
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

type Open = (providers: TensorProvider[]) => Promise<SentenceModel>;

/**
 * Creates the engine for sentence-embedding models in ONNX, with the tokenizers and configurations of their repositories.
 * It embeds a known text when a model is loaded, and uses the CPU where the GPU computes another vector.
 */
export function sentenceEngine(parts: SentenceEngineParts): LanguageEngine {
  const { tensors, log } = parts;
  /** Weights and GPUs that have computed the right vector, as keys of `provenKey`. */
  const proven = new Set<string>();
  return {
    name: tensors.name,
    formats: ['onnx'],
    async load(files, options, signal, onProgress) {
      const open: Open = (providers) => openModel(parts, files, providers, options, signal, onProgress);
      const model = await open(options.gpuLayers === 0 ? ['wasm'] : ['webgpu', 'wasm']);
      const vector = await embedCheckText(model, signal);
      if (model.device.kind === 'cpu') return vector ? model : refuseDamaged(model);
      const key = provenKey(files, model);
      if (vector && proven.has(key)) return model;
      const chosen = await compareWithCpu(model, vector, open, log, signal);
      if (chosen === model) proven.add(key);
      return chosen;
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

function provenKey(files: ModelFile[], { device }: SentenceModel): string {
  const weights = files.filter(({ role }) => role === 'weights' || role === 'part');
  return `${weights.map(({ digest }) => digest).join(' ')} ${device.name}`;
}

async function refuseDamaged(model: SentenceModel): Promise<never> {
  await model.dispose();
  throw new ModelCorrupt('it computes no finite numbers: its weights are damaged');
}

/** Returns `model` when its vector is near the CPU's, otherwise the model on the CPU. Disposes of the other. */
async function compareWithCpu(
  model: SentenceModel,
  vector: Float32Array | undefined,
  open: Open,
  log: Log,
  signal: AbortSignal,
): Promise<SentenceModel> {
  let reference: SentenceModel;
  let expected: Float32Array | undefined;
  try {
    reference = await open(['wasm']);
    expected = await embedCheckText(reference, signal);
  } catch (error) {
    await model.dispose();
    throw error;
  }
  if (vector && expected && cosine(vector, expected) >= MIN_COSINE) {
    await reference.dispose();
    return model;
  }
  await model.dispose();
  if (!expected) return refuseDamaged(reference);
  const note = `${model.device.name} gave a wrong answer to a known question`;
  log.warn('an embedding model runs on the CPU', { note });
  return Object.assign(reference, { device: { ...reference.device, note } });
}

/**
 * Embeds the known text. Undefined when a GPU fails, or any device computes numbers that are not finite.
 * @throws what the CPU throws, or the reason of `signal`; the model is then disposed of
 */
async function embedCheckText(model: SentenceModel, signal: AbortSignal): Promise<Float32Array | undefined> {
  try {
    const options = { maxTokens: model.contextLength, truncate: true };
    const { vectors } = await model.embed([CHECK_TEXT], options, signal);
    return vectors[0]!.every(Number.isFinite) ? vectors[0] : undefined;
  } catch (error) {
    if (model.device.kind === 'cpu' || signal.aborted) {
      await model.dispose();
      throw error;
    }
    return undefined;
  }
}

const cosine = (a: Float32Array, b: Float32Array) => a.reduce((sum, x, i) => sum + x * b[i]!, 0);
