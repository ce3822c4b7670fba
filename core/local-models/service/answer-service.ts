import type { Host, LoadOptions } from '#core/host';
import { ApiError } from '#core/http';
import { toApiError } from '../base/engine-errors.ts';
import type { InstalledModel } from '../base/installed-model.ts';
import type { Message, ThinkLevel } from '../base/messages.ts';
import type { ModelOptions } from '../base/model-options.ts';
import { embedTexts } from '../embedding/embed.ts';
import { generateAnswer } from '../generation/generate.ts';
import { type Generation, prepareGeneration } from '../generation/generation.ts';
import { Meter } from '../generation/meter.ts';
import { type PromptInput, renderPrompt } from '../generation/prompt.ts';
import { withReadableAudio } from '../generation/readable-audio.ts';
import { type RunOutput, startRun } from '../generation/run.ts';
import { displayPlaceholders } from '../prompting/image-placeholders.ts';
import { checkCapabilities } from '../registry/installed/check-capabilities.ts';
import type { ModelRegistry } from '../registry/model-registry.ts';
import type { Run } from '../runs/events.ts';
import { modelNotFound, requireInstalled, requireModel } from '../runs/model-name.ts';
import type { ChatRequest, GenerateTextRequest, RunRequest } from '../runs/requests.ts';
import type { TextService } from '../runs/text-service.ts';
import { loadOptions } from '../scheduler/load-options.ts';
import type { Lease, Scheduler } from '../scheduler/scheduler.ts';

/** Checks requests, renders their prompts and runs them on the models that the scheduler loads. */
export class AnswerService implements Pick<TextService, 'chat' | 'generate' | 'embed'> {
  constructor(
    readonly host: Host,
    readonly registry: ModelRegistry,
    readonly scheduler: Scheduler,
  ) {}

  async chat(request: ChatRequest, signal: AbortSignal): Promise<Run> {
    const meter = new Meter(this.host.clock);
    requireModel(request.model.trim());
    const installed = await requireInstalled(this.registry, request.model);
    const isEmpty = request.messages.length === 0;
    if (isEmpty && request.keepAlive === 0) return this.#unload(installed);
    const think = thinkSetting(installed, request);
    checkCapabilities(installed, {
      task: 'chat',
      requestedName: request.model,
      tools: request.tools.length > 0,
      insert: false,
      think,
    });
    if (isEmpty) return this.#preload(installed, request, signal);
    const system: Message[] =
      installed.system && request.messages[0]!.role !== 'system'
        ? [{ role: 'system', content: installed.system }]
        : [];
    const messages = [...system, ...installed.messages, ...request.messages];
    const { tools, continuesLast = false } = request;
    return this.#run(installed, request, { messages, tools, think, continuesLast }, meter, signal);
  }

  async generate(request: GenerateTextRequest, signal: AbortSignal): Promise<Run> {
    const meter = new Meter(this.host.clock);
    if (request.model.trim() === '') throw modelNotFound('');
    const installed = await requireInstalled(this.registry, request.model);
    const { prompt, suffix, context, images } = request;
    if (prompt === '' && request.keepAlive === 0) return this.#unload(installed);
    checkRaw(request);
    const think = thinkSetting(installed, request);
    checkCapabilities(installed, {
      task: 'generate',
      requestedName: request.model,
      tools: false,
      insert: Boolean(suffix),
      think,
    });
    if (prompt === '') return this.#preload(installed, request, signal);
    const system = request.system || installed.system;
    const conversation: PromptInput = {
      messages: [
        ...(system ? [{ role: 'system', content: system }] : []),
        ...(context?.length ? [] : installed.messages),
        { role: 'user', content: prompt, ...(images && { images }) },
      ],
      tools: [],
      think,
      template: request.template,
      raw: request.raw,
      suffix,
      context,
      returnsContext: !request.raw,
    };
    return this.#run(installed, request, conversation, meter, signal);
  }

  embed: TextService['embed'] = (request, signal, begun) => embedTexts(this, request, signal, begun);

  async #unload(installed: InstalledModel): Promise<Run> {
    await this.scheduler.unload(installed);
    return { kind: 'unloaded' };
  }

  async #preload(installed: InstalledModel, request: RunRequest, signal: AbortSignal): Promise<Run> {
    const options = { ...installed.parameters, ...request.options };
    const load = await this.#loadOptions(installed, options);
    const lease = await this.scheduler.acquire(installed, load, request.keepAlive, signal);
    lease.release();
    return { kind: 'loaded' };
  }

  async #loadOptions(installed: InstalledModel, options: ModelOptions): Promise<LoadOptions> {
    return loadOptions(this.host, await this.registry.metadata(installed), options);
  }

  /** Every error of the request itself is thrown here, before it waits for its turn. */
  async #run(
    installed: InstalledModel,
    request: RunRequest,
    conversation: PromptInput,
    meter: Meter,
    signal: AbortSignal,
  ): Promise<Run> {
    const metadata = await this.registry.metadata(installed);
    const options = { ...installed.parameters, ...request.options };
    const prompt = renderPrompt(this.host, installed, metadata, request, options, conversation);
    const needsModel = Boolean(conversation.context?.length);
    if (request.debugRenderOnly && !needsModel)
      return { kind: 'rendered', text: displayPlaceholders(prompt.text) };
    const generation = prepareGeneration(prompt, request, options, conversation, installed.config?.parser);
    const load = await this.#loadOptions(installed, options);
    const acquire = (runSignal: AbortSignal) =>
      this.scheduler.acquire(installed, load, request.keepAlive, runSignal);
    if (request.debugRenderOnly) return renderWithContext(await acquire(signal), generation, signal);
    // Outside of the async function: a full queue must refuse the request before there is a run.
    return startRun((run) => this.#answer(acquire(run.signal), installed, generation, meter, run), signal);
  }

  async #answer(
    turn: Promise<Lease>,
    installed: InstalledModel,
    generation: Generation,
    meter: Meter,
    run: RunOutput,
  ): Promise<void> {
    const lease = await turn;
    try {
      run.signal.throwIfAborted();
      meter.loaded();
      const images = await withReadableAudio(generation.prompt.images, this.host, run.signal);
      const readable = { ...generation, prompt: { ...generation.prompt, images } };
      const outcome = await generateAnswer(lease.model, readable, meter, run);
      const statistics = meter.statistics();
      // Release the lease before the last event. A client that has read it may expect that `keep_alive: 0` has unloaded
      // the model.
      lease.release();
      await run.emit({ type: 'done', statistics, ...outcome });
    } catch (error) {
      throw toApiError(error, this.registry.display(installed.name));
    } finally {
      lease.release();
    }
  }
}

/** Only the model's tokenizer can turn the context of a request into text. */
async function renderWithContext(lease: Lease, generation: Generation, signal: AbortSignal): Promise<Run> {
  try {
    const earlier = await lease.model.detokenize(generation.context, signal);
    return { kind: 'rendered', text: displayPlaceholders(earlier + generation.prompt.text) };
  } finally {
    lease.release();
  }
}

/** Models that can think do, unless the request says otherwise. */
function thinkSetting(installed: InstalledModel, request: RunRequest): boolean | ThinkLevel | undefined {
  return request.think ?? (installed.capabilities.includes('thinking') ? true : undefined);
}

function checkRaw({ raw, template, system, context }: GenerateTextRequest): void {
  if (raw && (template || system || context?.length)) {
    throw new ApiError(400, 'raw mode does not support template, system, or context');
  }
}
