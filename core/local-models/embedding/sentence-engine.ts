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
/** Least cosine of two right devices' vectors of one text. */
const SAME_DIRECTION = 0.99;
const INPUTS = new Set(['input_ids', 'attention_mask', 'token_type_ids']);

/** Sentence-embedding models in ONNX, with the tokenizer and settings of their repositories. */
export function sentenceEngine({ tensors, blobs, log }: SentenceEngineParts): LanguageEngine {
  const read = (file: ModelFile) => readSmallFile(blobs, file);
  /** Weights and GPUs that gave the right vector. */
  const proven = new Set<string>();

  async function open(
    files: ModelFile[],
    providers: TensorProvider[],
    options: LoadOptions,
    signal: AbortSignal,
    onProgress: (fraction: number) => void,
  ): Promise<SentenceModel> {
    const tokenizer = files.find(
      ({ role, name }) => role === 'tokenizer' && name?.endsWith('tokenizer.json'),
    );
    if (!tokenizer) throw new ModelUnsupported('it came without a tokenizer.json');
    const settings = files.find(({ name }) => name === 'tokenizer_config.json');
    const config = await readSentenceConfig(files, read);
    const { TextTokens } = await import('./text-tokens.ts');
    const tokens = new TextTokens(await read(tokenizer), settings && (await read(settings)));
    const session = await tensors.open(files, { providers, threads: options.threads }, signal, onProgress);
    try {
      const strange = session.inputs.find(({ name }) => !INPUTS.has(name));
      if (strange) throw new ModelUnsupported(`its graph asks for ${strange.name}, which no text has`);
      outputOf(session);
      return new SentenceModel(session, tokens, config.pooling, config.maxTokens);
    } catch (error) {
      await session.dispose();
      throw error;
    }
  }

  return {
    name: tensors.name,
    formats: ['onnx'],
    async load(files, options, signal, onProgress) {
      const onGpu = options.gpuLayers !== 0;
      const load = (providers: TensorProvider[]) => open(files, providers, options, signal, onProgress);
      const model = await load(onGpu ? ['webgpu', 'wasm'] : ['wasm']);
      const vector = await checked(model, signal);
      const weights = files.filter(({ role }) => role === 'weights' || role === 'part');
      const key = `${weights.map(({ digest }) => digest).join(' ')} ${model.device.name}`;
      if (model.device.kind === 'cpu') {
        if (!vector) {
          await model.dispose();
          throw new ModelCorrupt('it computes no finite numbers: its weights are damaged');
        }
        return model;
      }
      if (vector && proven.has(key)) return model;
      let reference: SentenceModel;
      try {
        reference = await load(['wasm']);
      } catch (error) {
        await model.dispose();
        throw error;
      }
      const right = await checked(reference, signal);
      if (vector && right && cosine(vector, right) >= SAME_DIRECTION) {
        proven.add(key);
        await reference.dispose();
        return model;
      }
      await model.dispose();
      const note = `${model.device.name} gave a wrong answer to a known question`;
      log.warn('a model for vectors runs on the CPU', { note });
      return Object.assign(reference, { device: { ...reference.device, note } });
    },
  };
}

/** The vector of a known text; undefined when it is none. Disposes of a model that fails. */
async function checked(model: SentenceModel, signal: AbortSignal): Promise<Float32Array | undefined> {
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
