/** Everything between a parsed request and an engine: look-up, checks, prompt, turn, answer. */
import type { Host, LoadOptions } from '#core/host';
import { ApiError } from '#core/http';
import { runnerError, toApiError } from '../base/engine-errors.ts';
import type { InstalledModel } from '../base/installed-model.ts';
import type { Message, ThinkLevel, Tool } from '../base/messages.ts';
import { embed } from '../embedding/embed.ts';
import { type Generation, generate } from '../generation/generate.ts';
import { startRun } from '../generation/run.ts';
import { maxTokens, sampling, tokensToKeep } from '../generation/sampling.ts';
import { Meter } from '../generation/statistics.ts';
import { formatGrammar } from '../prompting/grammar/format-grammar.ts';
import {
  displayPlaceholders,
  insertPlaceholders,
  withoutPlaceholders,
} from '../prompting/image-placeholders.ts';
import { outputForm } from '../prompting/output/output-form.ts';
import { type PromptRenderer, promptRenderer } from '../prompting/prompt-renderer.ts';
import { checkCapabilities } from '../registry/installed/check-capabilities.ts';
import type { ModelRegistry } from '../registry/model-registry.ts';
import { splitSource } from '../registry/names/source-suffix.ts';
import type { Run, RunEvent } from '../runs/events.ts';
import type { ChatRequest, GenerateTextRequest } from '../runs/requests.ts';
import type { TextService } from '../runs/text-service.ts';
import { loadOptions } from '../scheduler/load-options.ts';
import type { Lease, Scheduler } from '../scheduler/scheduler.ts';

type AnyRequest = Omit<ChatRequest, 'messages' | 'tools'>;

/** What chat and generate have in common once they know what to say to the model. */
interface Plan {
  installed: InstalledModel;
  request: AnyRequest;
  renderer: PromptRenderer;
  messages: Message[];
  /** All images of the messages; what is rendered holds a place for each. */
  images: Uint8Array[];
  render(messages: Message[]): string;
  think: boolean | ThinkLevel | undefined;
  tools: Tool[];
  /** Given verbatim: nothing of it is ever dropped or rendered. */
  raw: boolean;
  /** Tokens that go before the prompt. */
  before: number[];
  meter: Meter;
}

export class AnswerService implements Pick<TextService, 'chat' | 'generate' | 'embed'> {
  constructor(
    readonly host: Host,
    readonly registry: ModelRegistry,
    readonly scheduler: Scheduler,
  ) {}

  async chat(request: ChatRequest, signal: AbortSignal): Promise<Run> {
    const meter = new Meter(this.host.clock);
    if (request.model.trim() === '') throw new ApiError(400, 'model is required');
    const installed = await this.#find(request.model);
    const empty = request.messages.length === 0;
    if (empty && request.keepAlive === 0) return this.#unload(installed);
    const think = this.#think(installed, request);
    checkCapabilities(installed, {
      task: 'chat',
      spelled: request.model,
      tools: request.tools.length > 0,
      insert: false,
      think,
    });
    if (empty) return this.#preload(installed, request, signal);
    const system: Message[] =
      installed.system && request.messages[0]!.role !== 'system'
        ? [{ role: 'system', content: installed.system }]
        : [];
    return this.#run(
      await this.#plan(installed, request, {
        messages: [...system, ...installed.messages, ...request.messages],
        tools: request.tools,
        think,
        meter,
      }),
      signal,
    );
  }

  async generate(request: GenerateTextRequest, signal: AbortSignal): Promise<Run> {
    const meter = new Meter(this.host.clock);
    if (request.model.trim() === '') throw new ApiError(404, "model '' not found");
    const installed = await this.#find(request.model);
    const { prompt, suffix } = request;
    if (prompt === '' && request.keepAlive === 0) return this.#unload(installed);
    if (request.raw && (request.template || request.system || request.context?.length)) {
      throw new ApiError(400, 'raw mode does not support template, system, or context');
    }
    const think = this.#think(installed, request);
    checkCapabilities(installed, {
      task: 'generate',
      spelled: request.model,
      tools: false,
      insert: Boolean(suffix),
      think,
    });
    if (prompt === '') return this.#preload(installed, request, signal);
    const system = request.system || installed.system;
    const plan = await this.#plan(installed, request, {
      messages: [
        ...(system ? [{ role: 'system', content: system }] : []),
        ...(request.context?.length ? [] : installed.messages),
        { role: 'user', content: prompt, ...(request.images && { images: request.images }) },
      ],
      tools: [],
      think,
      meter,
      ...(request.template && { template: request.template }),
    });
    const placed = plan.messages.at(-1)!.content;
    if (request.raw) Object.assign(plan, { raw: true, messages: [], render: () => placed });
    else if (suffix) {
      const settings = { tools: [], think, now: this.host.clock.now() };
      Object.assign(plan, { messages: [], render: () => plan.renderer.infill(placed, suffix, settings) });
    }
    plan.before = request.context ?? [];
    return this.#run(plan, signal, true);
  }

  embed: TextService['embed'] = (request, signal, begun) => embed(this, request, signal, begun);

  async #find(spelled: string): Promise<InstalledModel> {
    const { name, source } = splitSource(spelled);
    if (source === 'cloud') {
      throw new ApiError(403, 'ollama cloud is disabled: remote model is unavailable');
    }
    const installed = await this.registry.find(this.registry.parse(name));
    if (!installed) throw new ApiError(404, `model '${spelled}' not found`);
    return installed;
  }

  #think(installed: InstalledModel, request: AnyRequest): boolean | ThinkLevel | undefined {
    return request.think ?? (installed.capabilities.includes('thinking') ? true : undefined);
  }

  async #unload(installed: InstalledModel): Promise<Run> {
    await this.scheduler.unload(installed);
    return { kind: 'unloaded' };
  }

  async #preload(installed: InstalledModel, request: AnyRequest, signal: AbortSignal): Promise<Run> {
    const options = await this.#loadOptions(installed, request);
    const lease = await this.scheduler.acquire(installed, options, request.keepAlive, signal);
    lease.release();
    return { kind: 'loaded' };
  }

  async #loadOptions(installed: InstalledModel, request: AnyRequest): Promise<LoadOptions> {
    const metadata = await this.registry.metadata(installed);
    return loadOptions(this.host, metadata, { ...installed.parameters, ...request.options });
  }

  async #plan(
    installed: InstalledModel,
    request: AnyRequest,
    given: Pick<Plan, 'messages' | 'tools' | 'think' | 'meter'> & { template?: string },
  ): Promise<Plan> {
    const metadata = await this.registry.metadata(installed);
    const { tools, think, meter } = given;
    const { messages, images } = insertPlaceholders(given.messages);
    const renderer = promptRenderer(installed, metadata, given.template);
    if (images.length > 0 && !this.#takesImages(installed)) throw noImages(renderer.native);
    const now = this.host.clock.now();
    const render = (list: Message[]) => renderer.render(list, { tools, think, now });
    return {
      installed,
      request,
      renderer,
      messages,
      images,
      render,
      think,
      tools,
      raw: false,
      before: [],
      meter,
    };
  }

  /** The model has a projector, and there is an engine here that knows what to do with it. */
  #takesImages({ files, format }: InstalledModel): boolean {
    const engines = this.host.languageEngines.filter((engine) => engine.formats.includes(format));
    return files.some(({ role }) => role === 'projector') && engines.some(({ media }) => media);
  }

  async #run(plan: Plan, signal: AbortSignal, wantsContext = false): Promise<Run> {
    const { installed, request, renderer, meter } = plan;
    // Rendered before the queue, so that what the template refuses is told at once.
    const rendered = plan.render(plan.messages);
    if (request.debugRenderOnly && plan.before.length === 0)
      return { kind: 'rendered', text: displayPlaceholders(rendered) };
    const options = { ...installed.parameters, ...request.options };
    const grammar = formatGrammar(request.format);
    const samplingSettings = sampling(options);
    const load = await this.#loadOptions(installed, request);
    const acquire = (leaves: AbortSignal) =>
      this.scheduler.acquire(installed, load, request.keepAlive, leaves);

    const output = outputForm({
      template: renderer.source,
      parser: plan.raw ? 'passthrough' : installed.config?.parser,
      tools: plan.tools,
      think: plan.think,
    });

    const prepare = async (lease: Lease): Promise<Generation> => {
      meter.loaded();
      const prefix = plan.before.length > 0 ? await lease.model.detokenize(plan.before, signal) : '';
      return {
        prompt: {
          text: prefix + rendered,
          messages: plan.messages,
          render: (messages) => prefix + plan.render(messages),
          truncate: request.truncate,
          shift: request.shift,
          native: renderer.native && !plan.raw,
          keep: tokensToKeep(options),
        },
        settings: {
          sampling: samplingSettings,
          maxTokens: maxTokens(options, lease.model.contextLength),
          keep: tokensToKeep(options),
          shift: request.shift,
          ...(request.logprobs && { topLogprobs: request.topLogprobs }),
        },
        grammar,
        stop: [...(options.stop ?? []), ...output.stop],
        output,
        begun: withoutPlaceholders(renderer.answerPrefix(plan.messages)),
        images: plan.images,
        context: wantsContext && !plan.raw,
      };
    };

    if (request.debugRenderOnly) {
      const lease = await acquire(signal);
      try {
        return { kind: 'rendered', text: displayPlaceholders((await prepare(lease)).prompt.text) };
      } finally {
        lease.release();
      }
    }
    const name = this.registry.display(installed.name);
    return startRun((stopped, accepted) => answer(acquire(stopped), stopped, accepted), signal);

    async function* answer(
      turn: Promise<Lease>,
      stopped: AbortSignal,
      accepted: () => void,
    ): AsyncGenerator<RunEvent> {
      const lease = await turn;
      try {
        stopped.throwIfAborted();
        const outcome = yield* generate(lease.model, await prepare(lease), meter, accepted, stopped);
        const statistics = meter.statistics();
        // Given back before the end is told: whoever reads it may rely on keep_alive 0 having worked.
        lease.release();
        yield { type: 'done', statistics, ...outcome };
      } catch (error) {
        throw toApiError(error, name);
      } finally {
        lease.release();
      }
    }
  }
}

function noImages(native: boolean): ApiError {
  return native
    ? runnerError(
        500,
        'image input is not supported - hint: if this is unexpected, you may need to provide the mmproj',
        'server_error',
      )
    : runnerError(
        400,
        'Multimodal data provided, but model does not support multimodal requests.',
        'invalid_request_error',
      );
}
