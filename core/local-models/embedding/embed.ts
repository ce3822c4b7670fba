import { ContextExceeded, type Embeddings, type Host, type LanguageModel } from '#core/host';
import { ApiError } from '#core/http';
import { toApiError } from '../base/engine-errors.ts';
import type { InstalledModel } from '../base/installed-model.ts';
import type { ModelRegistry } from '../registry/model-registry.ts';
import { localName } from '../runs/model-name.ts';
import type { EmbedRequest, EmbedResult } from '../runs/requests.ts';
import { loadOptions } from '../scheduler/load-options.ts';
import type { Scheduler } from '../scheduler/scheduler.ts';
import { defaultContextLength } from '../scheduler/settings.ts';
import { shorten } from './vector.ts';

const TOO_LONG = 'the input length exceeds the context length';
const EMPTY = 'input exceeds maximum context length and cannot be truncated further';
const NO_EMBEDDINGS = 'This server does not support embeddings. Start it with `--embeddings`';

/** A token stands for one byte at least, and a UTF-16 code unit for three bytes at most. */
const BYTES_PER_CODE_UNIT = 3;

/**
 * Computes the vectors of texts, on a model that the scheduler loads.
 * @param begun is called when the model is loaded and the computation starts
 * @throws ApiError: 403, 404 for the model's name, 501 when it does not embed, 400 for a text, or what loading throws
 */
export async function embedTexts(
  { host, registry, scheduler }: { host: Host; registry: ModelRegistry; scheduler: Scheduler },
  request: EmbedRequest,
  signal: AbortSignal,
  begun?: () => void,
): Promise<EmbedResult> {
  const started = host.clock.nanoseconds();
  const installed = await findModel(registry, request.model);
  const options = { ...installed.parameters, ...request.options };
  const load = await loadOptions(host, await registry.metadata(installed), options);
  const maxTokens = Math.min(
    options.num_ctx || (await defaultContextLength(host)),
    load.contextLength,
    load.embedding ? load.batchSize : load.contextLength,
  );
  checkTexts(installed, request, maxTokens);
  const lease = await scheduler.acquire(installed, load, request.keepAlive, signal);
  const loaded = host.clock.nanoseconds();
  begun?.();
  try {
    const { vectors, tokens } = await computeVectors(lease.model, request, maxTokens, signal);
    return {
      vectors: vectors.map((vector) => shorten(vector, request.dimensions)),
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

/** Ollama's texts for a missing model differ from those of chats. */
async function findModel(registry: ModelRegistry, requestedName: string): Promise<InstalledModel> {
  const name = localName(requestedName);
  if (name.trim() === '') throw new ApiError(404, "model '' not found");
  const installed = await registry.find(registry.parse(name));
  if (!installed) throw new ApiError(404, `model "${requestedName}" not found, try pulling it first`);
  return installed;
}

/** Refuses texts that certainly fail, before the model is loaded. */
function checkTexts(installed: InstalledModel, { texts, truncate }: EmbedRequest, maxTokens: number): void {
  if (texts.length === 0) return;
  // The error for a long text comes before the one for a model that does not embed, and only a loaded model can count.
  const certainlyFits = truncate || texts.every((text) => text.length * BYTES_PER_CODE_UNIT < maxTokens);
  if (certainlyFits && !installed.capabilities.includes('embedding')) throw new ApiError(501, NO_EMBEDDINGS);
  if (texts.includes('')) throw new ApiError(400, truncate ? EMPTY : TOO_LONG);
}

async function computeVectors(
  model: LanguageModel,
  { texts, truncate }: EmbedRequest,
  maxTokens: number,
  signal: AbortSignal,
): Promise<Embeddings> {
  if (texts.length === 0) return { vectors: [], tokens: [] };
  if (model.embed) return await model.embed(texts, { maxTokens, truncate }, signal);
  for (const text of texts) {
    const { length } = await model.tokenize(text, signal);
    if (length > maxTokens) throw new ContextExceeded(length, maxTokens);
  }
  throw new ApiError(501, NO_EMBEDDINGS);
}
