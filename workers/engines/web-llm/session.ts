import { MLCEngine } from '@mlc-ai/web-llm';
import type { EngineEvent, GenerateRequest } from '#core/host';
import { EngineFailure } from '../shared/engine-failure.ts';
import type { CheckAnswer, Loaded } from '../shared/engine-protocol.ts';
import { checkRequest } from '../shared/known-answer.ts';
import { BlobHub, HUB, LIBRARY, REPOSITORY } from './blob-hub.ts';
import { Generator } from './generator.ts';
import type { MlcLoadMessage } from './load-message.ts';
import { type MlcConfig, readMlcConfig } from './mlc-config.ts';
import { MlcSteps } from './mlc-steps.ts';
import { RepositoryTokenizer } from './repository-tokenizer.ts';
import { Sampler } from './sampler.ts';

const MODEL = 'model';
const TENSORS = 'tensor-cache.json';
const TENSORS_BEFORE = 'ndarray-cache.json';

/** One loaded model in this worker. */
export class Session {
  private constructor(
    readonly loaded: Loaded,
    readonly tokenizer: RepositoryTokenizer,
    private readonly generator: Generator,
  ) {}

  static async load(message: MlcLoadMessage, onProgress: (fraction: number) => void): Promise<Session> {
    const repository = new Map(message.files);
    const older = repository.get(TENSORS_BEFORE);
    if (older && !repository.has(TENSORS)) repository.set(TENSORS, older);
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
        ...[...repository].map(([path, file]): [string, Blob] => [REPOSITORY + path, file]),
        [LIBRARY, message.library],
      ]),
    ).install(globalThis);
    const sampler = new Sampler();
    const engine = new MLCEngine({
      appConfig: {
        cacheBackend: 'cache',
        model_list: [
          {
            model: `${HUB}model`,
            model_id: MODEL,
            model_lib: LIBRARY,
            ...(repository.has('mlc-model-manifest.json') && { model_manifest: 'mlc-model-manifest.json' }),
          },
        ],
      },
      logLevel: 'SILENT',
      logitProcessorRegistry: new Map([[MODEL, sampler]]),
      initProgressCallback: ({ progress }) => onProgress(progress),
    });
    // What is drawn is decided before web-llm's own sampler, which must not change it.
    const untouched = {
      temperature: 1,
      top_p: 0.95,
      repetition_penalty: 1,
      frequency_penalty: 0,
      presence_penalty: 0,
    };
    await engine.reload(MODEL, {
      ...untouched,
      context_window_size: message.contextLength,
      sliding_window_size: -1,
    });
    const generator = new Generator({
      steps: new MlcSteps(engine, MODEL),
      sampler,
      tokenizer,
      contextLength: message.contextLength,
      stopTokens: config.stopTokens,
      bosToken: config.bosToken,
    });
    const bytes = memoryOf(message, config);
    const answer = await check(generator);
    if (!answer.finite) {
      throw new EngineFailure({ kind: 'corrupt', message: 'the model computes no finite numbers' });
    }
    const { contextLength } = message;
    const loaded: Loaded = {
      contextLength,
      parallel: 1,
      threads: 1,
      embedding: false,
      memory: { total: bytes, gpu: bytes },
      answer,
    };
    return new Session(loaded, tokenizer, generator);
  }

  generate(request: GenerateRequest, signal: AbortSignal, emit: (event: EngineEvent) => void): Promise<void> {
    return this.generator.generate(request, signal, emit);
  }
}

async function check(generator: Generator): Promise<CheckAnswer> {
  const answer: CheckAnswer = { text: '', likeliest: [], finite: true };
  await generator.generate(checkRequest('answer'), new AbortController().signal, (event) => {
    if (event.type !== 'token') return;
    answer.text += event.text;
    if (answer.likeliest.length > 0) return;
    answer.likeliest = event.logprob?.top.map(({ token, logprob }) => [token, logprob]) ?? [];
  });
  return answer;
}

/** Weights and cache: web-llm does not tell what it took. */
function memoryOf({ files, contextLength }: MlcLoadMessage, config: MlcConfig): number {
  const weights = files.filter(([path]) => /\.bin$/.test(path)).reduce((sum, [, file]) => sum + file.size, 0);
  return weights + (config.cacheBytes ?? 0) * contextLength;
}
