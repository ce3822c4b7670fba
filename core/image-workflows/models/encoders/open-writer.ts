import type { Tensor } from '#core/host';
import { memoryName } from '../families/text-encoders/decoder-writer-graph.ts';
import { toFloatTensor } from '../graphs/session-tensors.ts';
import type { TextWriter } from './text-encoder-model.ts';

/** Longer prompts would take minutes and gigabytes. */
const MAX_PROMPT = 8192;

/** @throws RangeError for a prompt of too many tokens. */
export function checkPromptLength(tokens: number): void {
  if (tokens > MAX_PROMPT)
    throw new RangeError(`the prompt has ${tokens} tokens: shorten it to ${MAX_PROMPT} or fewer`);
}

/** A language model with the keys and values of what it has read. It reads one text, or several of the same length. */
export class OpenWriter {
  #memory: Record<string, Tensor> = {};
  #count = 0;

  /** @param hidden tokens at the start of each text that are not seen. Undefined: a graph for one text */
  constructor(
    private readonly writer: Pick<TextWriter, 'graph' | 'shape'>,
    private readonly signal: AbortSignal,
    private readonly hidden?: readonly number[],
  ) {
    const { layers, groups, headWidth } = writer.shape;
    const shape = [hidden?.length ?? 1, groups, 1, 0, headWidth];
    const empty: Tensor = { type: 'float32', shape, data: new Float32Array() };
    for (let layer = 0; layer < layers; layer++)
      for (const kind of ['keys', 'values'] as const) this.#memory[memoryName('past', layer, kind)] = empty;
  }

  /** Reads more tokens of each text. Resolves to the scores of its next one. Rejects as a session does. */
  async read(texts: readonly (readonly number[])[]): Promise<Float32Array[]> {
    const session = await this.writer.graph.session(this.signal);
    const count = texts[0]!.length;
    const feeds: Record<string, Tensor> = {
      input_ids: integers(texts.flat(), [texts.length, count]),
      start: integers([this.#count], [1]),
      ...this.#memory,
    };
    this.#count += count;
    const { hidden } = this;
    if (hidden) {
      const seen = hidden.flatMap((first) => Array.from({ length: this.#count }, (_, at) => +(at >= first)));
      feeds.attention_mask = integers(seen, [hidden.length, this.#count]);
    }
    const { logits, ...present } = await session.run(feeds, this.signal);
    this.#memory = Object.fromEntries(
      Object.entries(present).map(([name, stored]) => [name.replace('present', 'past'), stored]),
    );
    const { data } = toFloatTensor(logits!);
    const size = data.length / texts.length;
    return texts.map((_, at) => data.subarray(at * size, (at + 1) * size));
  }
}

const integers = (values: readonly number[], shape: number[]): Tensor => ({
  type: 'int64',
  shape,
  data: BigInt64Array.from(values, BigInt),
});
