/**
 * A text service and a registry without engines and files, for tests of routes and dialects. They record requests, and
 * answer with the events of the test.
 */
import { ApiError } from '#core/http/errors/api-error.ts';
import type { InstalledModel, ModelMetadata } from '#core/local-models/base/installed-model.ts';
import { startRun } from '#core/local-models/generation/run.ts';
import type { ModelRegistry } from '#core/local-models/registry/model-registry.ts';
import { canonicalName, displayName, parseName } from '#core/local-models/registry/names/model-name.ts';
import type { PullProgress } from '#core/local-models/registry/progress.ts';
import type { EventRun, Run, RunEvent } from '#core/local-models/runs/events.ts';
import type { HeardEvent, HearSpeechRequest } from '#core/local-models/runs/hear-request.ts';
import type {
  ChatRequest,
  EmbedRequest,
  EmbedResult,
  GenerateTextRequest,
} from '#core/local-models/runs/requests.ts';
import type { SpeakTextRequest, SpokenEvent } from '#core/local-models/runs/speak-request.ts';
import type { TextService } from '#core/local-models/runs/text-service.ts';
import type { LoadedModel } from '#core/local-models/scheduler/loaded-model.ts';

export function installed(name: string, more: Partial<InstalledModel> = {}): InstalledModel {
  return {
    name: parseName(name),
    digest: 'fd5f44c0b5aff6453726119fc560d73a8a995a55b4a49804bc24b1969ecf1794',
    size: 98362745,
    modifiedAt: Date.UTC(2026, 10, 21, 5, 18, 20, 797) + 0.688,
    format: 'gguf',
    files: [{ role: 'weights', digest: `sha256:${'9'.repeat(64)}`, size: 98362432 }],
    licences: [],
    parameters: { stop: ['<|im_start|>', '<|im_end|>'] },
    messages: [],
    origin: 'test',
    capabilities: ['completion'],
    ...more,
  };
}

export const METADATA: ModelMetadata = {
  architecture: 'llama',
  quantization: 'Q4_1',
  parameterCount: 134515008,
  contextLength: 8192,
  embeddingLength: 576,
  chatTemplate: '{{ messages }}',
  addBos: false,
  hasVision: false,
  keyValues: [
    ['general.architecture', 'llama'],
    ['general.name', 'hidden'],
    ['general.basename', 'smollm2'],
    ['general.languages', ['en']],
    ['llama.attention.layer_norm_rms_epsilon', Math.fround(0.00001)],
    ['llama.big', 18446744073709551615n],
    ['tokenizer.chat_template', 'hidden'],
    ['tokenizer.ggml.tokens', ['<a>', 'b']],
  ],
  tensors: [{ name: 'output_norm.weight', type: 'F32', shape: [576] }],
};

function onlyReal(): never {
  throw new Error('the fake registry does not make models');
}

export class FakeRegistry implements ModelRegistry {
  models: InstalledModel[] = [installed('smollm2:135m')];
  progress: PullProgress[] = [{ status: 'pulling manifest' }, { status: 'success' }];
  pullFailure?: Error;
  parse = parseName;
  display = displayName;
  close = async () => {};
  async find(name: InstalledModel['name']) {
    return this.models.find((model) => canonicalName(model.name) === canonicalName(name));
  }
  async list() {
    return this.models;
  }
  // Tests change the list directly.
  revision = () => undefined;
  async delete(name: InstalledModel['name']) {
    const found = await this.find(name);
    this.models = this.models.filter((model) => model !== found);
    return found !== undefined;
  }
  async metadata() {
    return METADATA;
  }
  async *pull(request: { model: string }, signal: AbortSignal) {
    parseName(request.model);
    for (const line of this.progress) {
      signal.throwIfAborted();
      yield line;
    }
    if (this.pullFailure) throw this.pullFailure;
  }
  async *importFiles() {}
  // Only the real registry creates and copies models.
  copy = onlyReal;
  create = onlyReal;
  push = onlyReal;
  hasBlob = onlyReal;
  storeBlob = onlyReal;
  prune = async () => {};
}

const STATISTICS = {
  totalDuration: 159523928,
  loadDuration: 558742,
  promptEvalCount: 16,
  promptEvalDuration: 8520000,
  evalCount: 8,
  evalDuration: 147967000,
};

export const DONE: RunEvent = { type: 'done', reason: 'stop', statistics: STATISTICS };
export const textEvent = (content: string, thinking = ''): RunEvent => ({ type: 'text', content, thinking });

export class FakeTextService implements TextService {
  /** The requests of all runs so far. */
  requests: (ChatRequest | GenerateTextRequest)[] = [];
  embeds: EmbedRequest[] = [];
  hearings: HearSpeechRequest[] = [];
  /** The events of the next hearings. A function may wait or throw. */
  heard: HeardEvent[] | ((signal: AbortSignal) => AsyncIterable<HeardEvent>) = [];
  speeches: SpeakTextRequest[] = [];
  /** The events of the next speeches. A function may wait or throw. */
  spoken: SpokenEvent[] | ((signal: AbortSignal) => AsyncIterable<SpokenEvent>) = [];
  /** The vector of each text. */
  vector = Float32Array.of(0.6, -0.8);
  /** The events of the next runs. A function may wait or throw. */
  events: RunEvent[] | ((signal: AbortSignal) => AsyncIterable<RunEvent>) = [
    textEvent('The'),
    textEvent(' end'),
    DONE,
  ];
  ready: Promise<void> = Promise.resolve();
  failure?: Error;
  models: LoadedModel[] = [];
  /** The signals of the runs so far. */
  signals: AbortSignal[] = [];

  constructor(readonly registry: FakeRegistry) {}

  async #run(request: ChatRequest | GenerateTextRequest, empty: boolean, signal: AbortSignal): Promise<Run> {
    this.requests.push(request);
    this.signals.push(signal);
    if (!(await this.registry.find(parseName(request.model))))
      throw new ApiError(404, `model '${request.model}' not found`);
    if (this.failure) throw this.failure;
    if (request.debugRenderOnly) return { kind: 'rendered', text: '<|im_start|>' };
    if (empty) return { kind: request.keepAlive === 0 ? 'unloaded' : 'loaded' };
    const { events, ready } = this;
    return startRun(async ({ accepted, emit, signal: runSignal }) => {
      void ready.then(accepted);
      for await (const event of typeof events === 'function' ? events(runSignal) : events) await emit(event);
    }, signal);
  }
  chat(request: ChatRequest, signal: AbortSignal) {
    return this.#run(request, request.messages.length === 0, signal);
  }
  generate(request: GenerateTextRequest, signal: AbortSignal) {
    return this.#run(request, request.prompt === '', signal);
  }
  async embed(request: EmbedRequest, signal: AbortSignal, begun?: () => void): Promise<EmbedResult> {
    this.embeds.push(request);
    this.signals.push(signal);
    begun?.();
    await this.ready;
    if (!(await this.registry.find(parseName(request.model))))
      throw new ApiError(404, `model "${request.model}" not found, try pulling it first`);
    if (this.failure) throw this.failure;
    return {
      vectors: request.texts.map(() => this.vector),
      promptTokens: 2 * request.texts.length,
      totalDuration: 2264382803,
      loadDuration: 2162926948,
    };
  }
  async hear(request: HearSpeechRequest, signal: AbortSignal): Promise<EventRun<HeardEvent>> {
    this.hearings.push(request);
    this.signals.push(signal);
    if (this.failure) throw this.failure;
    const { heard } = this;
    return startRun<HeardEvent>(async ({ emit, signal: runSignal }) => {
      for await (const event of typeof heard === 'function' ? heard(runSignal) : heard) await emit(event);
    }, signal);
  }
  async speak(request: SpeakTextRequest, signal: AbortSignal): Promise<EventRun<SpokenEvent>> {
    this.speeches.push(request);
    this.signals.push(signal);
    if (this.failure) throw this.failure;
    const { spoken } = this;
    return startRun<SpokenEvent>(async ({ emit, signal: runSignal }) => {
      for await (const event of typeof spoken === 'function' ? spoken(runSignal) : spoken) await emit(event);
    }, signal);
  }
  loaded() {
    return this.models;
  }
  waiting() {
    return 0;
  }
  async resume() {}
  async close() {}
}
