import { describe, expect, test } from 'vitest';
import type { Tensor, TensorSession, TensorSlot } from '#core/host';
import { outputOf, SentenceModel } from './sentence-model.ts';
import type { TextTokens } from './text-tokens.ts';

const never = new AbortController().signal;
const slot = (name: string, type: TensorSlot['type'] = 'float32', dimensions = 3): TensorSlot => ({
  name,
  type,
  shape: Array.from({ length: dimensions }, () => undefined),
});

/** A model whose tokens are the words' lengths. Each token vector is [token, 1]. */
function setUp({ inputs = ['input_ids', 'attention_mask'], output = slot('last_hidden_state') } = {}) {
  const feeds: Record<string, Tensor>[] = [];
  const session = {
    device: { kind: 'cpu', name: 'CPU' },
    inputs: inputs.map((name) => slot(name, 'int64', 2)),
    outputs: [output],
    memory: { total: 1, gpu: 0 },
    gone: new Promise(() => {}),
    async run(fed: Record<string, Tensor>, signal: AbortSignal) {
      signal.throwIfAborted();
      feeds.push(fed);
      const { shape, data } = fed.input_ids!;
      const vectors = Array.from(data as BigInt64Array, (id) => [Number(id), 1]).flat();
      return { [output.name]: { type: 'float32', shape: [...shape, 2], data: Float32Array.from(vectors) } };
    },
    async dispose() {},
  } as unknown as TensorSession;
  const tokens = {
    encodeWithin: (text: string, { maxTokens }: { maxTokens: number }) =>
      text
        .split(' ')
        .map((word) => word.length)
        .slice(0, maxTokens),
  } as unknown as TextTokens;
  return { feeds, session, model: new SentenceModel(session, tokens, 'mean', 100) };
}
const options = { maxTokens: 1000, truncate: true };

describe('embed', () => {
  test('pools the tokens of each text, and no padding', async () => {
    const { model } = setUp();
    const { vectors, tokens } = await model.embed(['aaa', 'a bbbbb'], options, never);
    const mean = [3 / Math.hypot(3, 1), 1 / Math.hypot(3, 1)].map((x) => x.toFixed(5));
    expect(vectors.map((vector) => [...vector].map((x) => x.toFixed(5)))).toEqual([mean, mean]);
    expect(tokens).toEqual([1, 2]);
  });

  test('batches up to 16 texts of similar lengths, and returns their order', async () => {
    const { model, feeds } = setUp();
    const texts = Array.from({ length: 20 }, (_, n) => Array.from({ length: 20 - n }, () => 'aa').join(' '));
    const { tokens } = await model.embed(texts, options, never);
    expect(tokens).toEqual(texts.map((_, n) => 20 - n));
    expect(feeds.map((fed) => fed.input_ids!.shape)).toEqual([
      [16, 16],
      [4, 20],
    ]);
  });

  test('batches up to 1024 tokens with padding', async () => {
    const { model, feeds } = setUp();
    const texts = Array.from({ length: 12 }, () => Array.from({ length: 100 }, () => 'a').join(' '));
    await model.embed(texts, options, never);
    expect(feeds.map((fed) => fed.input_ids!.shape)).toEqual([
      [10, 100],
      [2, 100],
    ]);
  });

  test('cuts texts at the context of the model', async () => {
    const { model } = setUp();
    const text = Array.from({ length: 300 }, () => 'a').join(' ');
    expect((await model.embed([text], options, never)).tokens).toEqual([100]);
    expect((await model.embed([text], { ...options, maxTokens: 7 }, never)).tokens).toEqual([7]);
  });

  test('stops between batches', async () => {
    const { model, feeds } = setUp();
    const client = new AbortController();
    const texts = Array.from({ length: 40 }, () => 'a');
    const embedding = model.embed(texts, options, client.signal);
    client.abort(new Error('canceled'));
    await expect(embedding).rejects.toThrow('canceled');
    expect(feeds.length).toBeLessThan(3);
  });

  test('feeds the type of tokens as zeros, in the type of each input', async () => {
    const { model, feeds, session } = setUp({ inputs: ['input_ids', 'attention_mask', 'token_type_ids'] });
    Object.assign(session.inputs[2]!, { type: 'int32' });
    await model.embed(['aa b'], options, never);
    expect(feeds[0]).toEqual({
      input_ids: { type: 'int64', shape: [1, 2], data: BigInt64Array.of(2n, 1n) },
      attention_mask: { type: 'int64', shape: [1, 2], data: BigInt64Array.of(1n, 1n) },
      token_type_ids: { type: 'int32', shape: [1, 2], data: Int32Array.of(0, 0) },
    });
  });

  test('refuses an output that is not of 32-bit floats', async () => {
    const { model, session } = setUp();
    session.run = async () => ({ last_hidden_state: { type: 'int32', shape: [1], data: Int32Array.of(1) } });
    await expect(model.embed(['a'], options, never)).rejects.toThrow(
      'its output last_hidden_state holds no 32-bit floats',
    );
  });
});

test('generates no text', async () => {
  await expect(setUp().model.generate().next()).rejects.toThrow(
    'this model computes vectors of texts, not answers',
  );
});

describe('outputOf', () => {
  const output = (...outputs: TensorSlot[]) => outputOf({ outputs } as TensorSession).name;

  test.each<[string, TensorSlot[], string]>([
    ['pooled vectors', [slot('last_hidden_state'), slot('sentence_embedding')], 'sentence_embedding'],
    ['vectors of tokens by name', [slot('other'), slot('token_embeddings')], 'token_embeddings'],
    ['an output of three dimensions', [slot('logits', 'float32', 2), slot('output_0')], 'output_0'],
    ['floats', [slot('sentence_embedding', 'float16'), slot('last_hidden_state')], 'last_hidden_state'],
  ])('prefers %s', (_, outputs, name) => {
    expect(output(...outputs)).toBe(name);
  });

  test('refuses a graph without vectors of tokens', () => {
    expect(() => output(slot('logits', 'float32', 2))).toThrow('the graph has no output of token vectors');
  });
});
