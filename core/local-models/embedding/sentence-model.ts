import {
  type Device,
  type Embeddings,
  type EmbedOptions,
  EngineError,
  type EngineEvent,
  type LanguageModel,
  type Tensor,
  type TensorSession,
} from '#core/host';
import type { Pooling } from '../base/sentence-config.ts';
import { pool } from './pooling.ts';
import type { TextTokens } from './text-tokens.ts';
import { normalize } from './vector.ts';

/** Limits of a batch: texts, and tokens with padding. An abort takes effect between batches. */
const BATCH_TEXTS = 16;
const BATCH_TOKENS = 1024;

/** A sentence-embedding model that runs in an ONNX session. It generates no text. */
export class SentenceModel implements LanguageModel {
  readonly device: Device;
  readonly memory: { total: number; gpu: number };
  readonly gone: Promise<Error>;

  constructor(
    private readonly session: TensorSession,
    private readonly tokens: TextTokens,
    private readonly pooling: Pooling,
    readonly contextLength: number,
  ) {
    this.device = session.device;
    this.memory = session.memory;
    this.gone = session.gone;
  }

  async embed(texts: string[], options: EmbedOptions, signal: AbortSignal): Promise<Embeddings> {
    const maxTokens = Math.min(options.maxTokens, this.contextLength);
    const ids = texts.map((text) => this.tokens.encodeWithin(text, { ...options, maxTokens }));
    const vectors = new Array<Float32Array>(texts.length);
    for (const batch of batches(ids)) {
      signal.throwIfAborted();
      const batchVectors = await this.#run(
        batch.map((text) => ids[text]!),
        signal,
      );
      for (const [i, text] of batch.entries()) vectors[text] = batchVectors[i]!;
    }
    return { vectors, tokens: ids.map(({ length }) => length) };
  }

  // biome-ignore lint/correctness/useYield: it only throws
  async *generate(): AsyncGenerator<EngineEvent> {
    throw new EngineError('this model computes vectors of texts, not answers');
  }

  async tokenize(text: string): Promise<number[]> {
    return this.tokens.encode(text);
  }

  async detokenize(tokens: number[]): Promise<string> {
    return this.tokens.decode(tokens);
  }

  dispose(): Promise<void> {
    return this.session.dispose();
  }

  /** Runs one batch. `ids`: the tokens of each text. Returns one vector for each text. */
  async #run(ids: number[][], signal: AbortSignal): Promise<Float32Array[]> {
    const positions = Math.max(...ids.map(({ length }) => length));
    const shape = [ids.length, positions];
    const each = (value: (id: number | undefined) => number) =>
      ids.flatMap((row) => Array.from({ length: positions }, (_, i) => value(row[i])));
    const feeds: Record<string, Tensor> = {};
    for (const { name, type } of this.session.inputs) {
      const numbers =
        name === 'attention_mask'
          ? each((id) => (id === undefined ? 0 : 1))
          : name === 'input_ids'
            ? each((id) => id ?? 0)
            : each(() => 0);
      feeds[name] =
        type === 'int32'
          ? { type, shape, data: Int32Array.from(numbers) }
          : { type: 'int64', shape, data: BigInt64Array.from(numbers, BigInt) };
    }
    const output = outputOf(this.session);
    const { [output.name]: result } = await this.session.run(feeds, signal, [output.name]);
    if (result?.type !== 'float32') throw new EngineError(`its output ${output.name} holds no 32-bit floats`);
    const size = result.shape.at(-1)!;
    if (result.shape.length === 2) {
      return ids.map((_, text) => normalize(result.data.slice(text * size, (text + 1) * size)));
    }
    const lengths = ids.map(({ length }) => length);
    return pool({ data: result.data, positions, size, lengths }, this.pooling);
  }
}

/**
 * Chooses the output of pooled vectors, else the output of token vectors.
 * @throws EngineError when the graph has neither
 */
export function outputOf({ outputs }: TensorSession) {
  const floats = outputs.filter(({ type }) => type === 'float32');
  const output =
    floats.find(({ name }) => name === 'sentence_embedding') ??
    floats.find(({ name }) => name === 'last_hidden_state' || name === 'token_embeddings') ??
    floats.find(({ shape }) => shape.length === 3);
  if (!output) throw new EngineError('the graph has no output of token vectors');
  return output;
}

/** Groups the indices of texts with similar lengths, so that batches need little padding. */
function batches(ids: number[][]): number[][] {
  const byLength = ids.map((_, text) => text).sort((a, b) => ids[a]!.length - ids[b]!.length);
  const groups: number[][] = [];
  for (const text of byLength) {
    const last = groups.at(-1);
    // Texts come in the order of their lengths, so this one is the longest of its batch.
    const fits = last && last.length < BATCH_TEXTS && (last.length + 1) * ids[text]!.length <= BATCH_TOKENS;
    if (fits) last.push(text);
    else groups.push([text]);
  }
  return groups;
}
