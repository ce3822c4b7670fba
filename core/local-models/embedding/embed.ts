/** From a parsed request for vectors to the engine and back: look-up, checks, turn, dimensions. */
import { ContextExceeded, type Host, type LanguageModel } from '#core/host';
import { ApiError } from '#core/http';
import { toApiError } from '../base/engine-errors.ts';
import type { InstalledModel } from '../base/installed-model.ts';
import type { ModelRegistry } from '../registry/model-registry.ts';
import { splitSource } from '../registry/names/source-suffix.ts';
import type { EmbedRequest, EmbedResult } from '../runs/requests.ts';
import { loadOptions } from '../scheduler/load-options.ts';
import type { Scheduler } from '../scheduler/scheduler.ts';
import { defaultContextLength } from '../scheduler/settings.ts';
import { cut } from './vector.ts';

const TOO_LONG = 'the input length exceeds the context length';
const EMPTY = 'input exceeds maximum context length and cannot be truncated further';
const NO_EMBEDDINGS = 'This server does not support embeddings. Start it with `--embeddings`';

/** A token stands for one byte at least. */
const BYTES_PER_LETTER = 3;

export async function embed(
  { host, registry, scheduler }: { host: Host; registry: ModelRegistry; scheduler: Scheduler },
  request: EmbedRequest,
  signal: AbortSignal,
  begun?: () => void,
): Promise<EmbedResult> {
  const started = host.clock.nanoseconds();
  const installed = await find(registry, request.model);
  const options = { ...installed.parameters, ...request.options };
  const load = await loadOptions(host, await registry.metadata(installed), options);
  const maxTokens = Math.min(
    options.num_ctx || (await defaultContextLength(host)),
    load.contextLength,
    load.embedding ? load.batchSize : load.contextLength,
  );
  refuse(installed, request, maxTokens);
  const lease = await scheduler.acquire(installed, load, request.keepAlive, signal);
  const loaded = host.clock.nanoseconds();
  begun?.();
  try {
    const { vectors, tokens } = await vectorsOf(lease.model, request, maxTokens, signal);
    return {
      vectors: vectors.map((vector) => cut(vector, request.dimensions)),
      promptTokens: tokens.reduce((sum, count) => sum + count, 0),
      totalDuration: host.clock.nanoseconds() - started,
      loadDuration: loaded - started,
    };
  } catch (error) {
    if (error instanceof ContextExceeded) throw new ApiError(400, TOO_LONG, { cause: error });
    throw toApiError(error, registry.display(installed.name));
  } finally {
    lease.release();
  }
}

async function find(registry: ModelRegistry, spelled: string): Promise<InstalledModel> {
  const { name, source } = splitSource(spelled);
  if (source === 'cloud') {
    throw new ApiError(403, 'ollama cloud is disabled: remote model is unavailable');
  }
  if (name.trim() === '') throw new ApiError(404, "model '' not found");
  const installed = await registry.find(registry.parse(name));
  if (!installed) throw new ApiError(404, `model "${spelled}" not found, try pulling it first`);
  return installed;
}

/** What is known to fail before anything is loaded. */
function refuse(installed: InstalledModel, { texts, truncate }: EmbedRequest, maxTokens: number): void {
  if (texts.length === 0) return;
  // Whether a text is too long is told first, and where letters do not tell, only a loaded model can count.
  const surelyFits = truncate || texts.every((text) => text.length * BYTES_PER_LETTER < maxTokens);
  if (surelyFits && !installed.capabilities.includes('embedding')) throw new ApiError(501, NO_EMBEDDINGS);
  if (texts.includes('')) throw new ApiError(400, truncate ? EMPTY : TOO_LONG);
}

async function vectorsOf(
  model: LanguageModel,
  { texts, truncate }: EmbedRequest,
  maxTokens: number,
  signal: AbortSignal,
) {
  if (texts.length === 0) return { vectors: [], tokens: [] };
  if (model.embed) return await model.embed(texts, { maxTokens, truncate }, signal);
  for (const text of texts) {
    const { length } = await model.tokenize(text, signal);
    if (length > maxTokens) throw new ContextExceeded(length, maxTokens);
  }
  throw new ApiError(501, NO_EMBEDDINGS);
}
