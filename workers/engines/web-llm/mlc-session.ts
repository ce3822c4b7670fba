import { MLCEngine } from '@mlc-ai/web-llm';
import type { EngineEvent, GenerateRequest } from '#core/host';
import { EngineFailure } from '../shared/engine-failure.ts';
import type { CheckAnswer, WorkerModel } from '../shared/engine-protocol.ts';
import { checkRequest } from '../shared/known-answer.ts';
import { BlobHub, HUB_URL, LIBRARY_URL, REPOSITORY_URL } from './blob-hub.ts';
import { Generator } from './generator.ts';
import type { MlcLoadMessage } from './load-message.ts';
import { type MlcConfig, readMlcConfig } from './mlc-config.ts';
import { MlcSteps } from './mlc-steps.ts';
import { RepositoryTokenizer } from './repository-tokenizer.ts';
import { TokenSampler } from './sampler.ts';

const MODEL_ID = 'model';
/** The list of weight files, and its name in older repositories. */
const TENSOR_LIST = 'tensor-cache.json';
const OLD_TENSOR_LIST = 'ndarray-cache.json';

/** One loaded model in this worker. */
export class MlcSession {
  private constructor(
    readonly loaded: WorkerModel,
    readonly tokenizer: RepositoryTokenizer,
    private readonly generator: Generator,
  ) {}

  /** Loads the model and generates the answer to the known prompt. Rejects with web-llm's error or an `EngineFailure`. */
  static async load(message: MlcLoadMessage, onProgress: (fraction: number) => void): Promise<MlcSession> {
    const repository = new Map(message.files);
    const oldList = repository.get(OLD_TENSOR_LIST);
    if (oldList && !repository.has(TENSOR_LIST)) repository.set(TENSOR_LIST, oldList);
    const text = async (path: string) => {
      const file = repository.get(path);
      if (file) return await file.text();
      throw new EngineFailure({ kind: 'corrupt', message: `this model has no file ${path}` });
    };
    const tokenizerConfig = await repository.get('tokenizer_config.json')?.text();
    const config = readMlcConfig(await text('mlc-chat-config.json'), tokenizerConfig);
    const tokenizer = new RepositoryTokenizer(await text('tokenizer.json'));

    new BlobHub(
      new Map([
        ...[...repository].map(([path, file]): [string, Blob] => [REPOSITORY_URL + path, file]),
        [LIBRARY_URL, message.library],
      ]),
    ).install(globalThis);
    const sampler = new TokenSampler();
    const engine = new MLCEngine({
      appConfig: {
        cacheBackend: 'cache',
        model_list: [
          {
            model: `${HUB_URL}model`,
            model_id: MODEL_ID,
            model_lib: LIBRARY_URL,
            ...(repository.has('mlc-model-manifest.json') && { model_manifest: 'mlc-model-manifest.json' }),
          },
        ],
      },
      logLevel: 'SILENT',
      logitProcessorRegistry: new Map([[MODEL_ID, sampler]]),
      initProgressCallback: ({ progress }) => onProgress(progress),
    });
    // web-llm's own sampler must not change the logits from which it draws the chosen token.
    const neutralSampling = {
      temperature: 1,
      top_p: 0.95,
      repetition_penalty: 1,
      frequency_penalty: 0,
      presence_penalty: 0,
    };
    await engine.reload(MODEL_ID, {
      ...neutralSampling,
      context_window_size: message.contextLength,
      sliding_window_size: -1,
    });
    const generator = new Generator({
      steps: new MlcSteps(engine, MODEL_ID),
      sampler,
      tokenizer,
      contextLength: message.contextLength,
      stopTokens: config.stopTokens,
      bosToken: config.bosToken,
    });
    const bytes = estimateMemory(message, config);
    const answer = await generateCheckAnswer(generator);
    if (!answer.isFinite) {
      throw new EngineFailure({ kind: 'corrupt', message: 'the model computes no finite numbers' });
    }
    const { contextLength } = message;
    const loaded: WorkerModel = {
      contextLength,
      parallel: 1,
      threads: 1,
      embedding: false,
      memory: { total: bytes, gpu: bytes },
      answer,
    };
    return new MlcSession(loaded, tokenizer, generator);
  }

  generate(request: GenerateRequest, signal: AbortSignal, emit: (event: EngineEvent) => void): Promise<void> {
    return this.generator.generate(request, signal, emit);
  }
}

async function generateCheckAnswer(generator: Generator): Promise<CheckAnswer> {
  const answer: CheckAnswer = { text: '', likeliest: [], isFinite: true };
  await generator.generate(checkRequest('answer'), new AbortController().signal, (event) => {
    if (event.type !== 'token') return;
    answer.text += event.text;
    if (answer.likeliest.length > 0) return;
    answer.likeliest = event.logprob?.top.map(({ token, logprob }) => [token, logprob]) ?? [];
  });
  return answer;
}

/** Bytes of weights and cache. web-llm does not report how much memory it uses. */
function estimateMemory({ files, contextLength }: MlcLoadMessage, config: MlcConfig): number {
  const weights = files.filter(([path]) => /\.bin$/.test(path)).reduce((sum, [, file]) => sum + file.size, 0);
  return weights + (config.cacheBytes ?? 0) * contextLength;
}
