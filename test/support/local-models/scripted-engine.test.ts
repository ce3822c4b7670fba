import { expect, test } from 'vitest';
import { EngineCrashed, type EngineEvent, type GenerateRequest } from '#core/host';
import { greedySampling } from './greedy-sampling.ts';
import { ScriptedEngine } from './scripted-engine.ts';
import { ScriptedTokenizer } from './scripted-tokenizer.ts';

const request: GenerateRequest = {
  prompt: '<|im_start|>user\nHi<|im_end|>\n',
  sampling: greedySampling(),
  maxTokens: 100,
  keep: 0,
  shift: true,
};
const loadOptions = { contextLength: 64, batchSize: 8, gpuLayers: 0, threads: 1 };
const never = new AbortController().signal;

async function load(engine: ScriptedEngine) {
  return engine.load([], loadOptions, never, () => {});
}
async function collect(events: AsyncIterable<EngineEvent>) {
  const all: EngineEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

test('the tokenizer decodes every text that it encoded', () => {
  const tokenizer = new ScriptedTokenizer();
  for (const text of [
    '',
    ' ',
    '<|im_start|>user\n a  b<|im_end|>\n',
    '<|',
    'a<|b',
    'é 🙂\t\n<||>',
    'x<|y|>z',
  ]) {
    expect(tokenizer.decode(tokenizer.encode(text))).toBe(text);
  }
  expect(() => tokenizer.decode([10_000])).toThrow(RangeError);
});

test('an answer arrives as tokens with counts, and a repeated prompt is cached', async () => {
  const model = await load(new ScriptedEngine({ script: (prompt) => `You said ${prompt.length}` }));
  const events = await collect(model.generate(request, never));
  expect(events.flatMap((event) => (event.type === 'token' ? [event.text] : []))).toEqual([
    'You',
    ' said',
    ' 30',
  ]);
  const [first, second] = [events, await collect(model.generate(request, never))].map((all) => all.at(-1)!);
  expect(first).toMatchObject({ reason: 'stop', counts: { cachedTokens: 0, generatedTokens: 4 } });
  const tokens = model.engine.tokenizer.encode(request.prompt as string).length;
  expect(second).toMatchObject({ counts: { promptTokens: tokens, cachedTokens: tokens - 1 } });
  const short = await collect(model.generate({ ...request, maxTokens: 2 }, never));
  expect(short.at(-1)).toMatchObject({ reason: 'length', counts: { generatedTokens: 2 } });
});

test('aborts and crashes end a generation and are recorded', async () => {
  const engine = new ScriptedEngine({ tokenDelay: 5 });
  const model = await load(engine);
  const controller = new AbortController();
  const aborted = (async () => {
    for await (const event of model.generate(request, controller.signal)) {
      if (event.type === 'token') controller.abort(new Error('left'));
    }
  })();
  await expect(aborted).rejects.toThrow('left');
  expect(engine.calls[0]).toMatchObject({ outcome: 'aborted', sent: 1 });
  const crashed = collect(model.generate(request, never));
  setTimeout(() => model.crash('killed'), 7);
  await expect(crashed).rejects.toThrow(EngineCrashed);
  expect(engine.calls[1]!.outcome).toBe('crashed');
  expect((await model.gone).message).toBe('killed');
  expect(engine.alive).toEqual([]);
});
