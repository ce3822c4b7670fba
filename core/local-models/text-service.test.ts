import { describe, expect, test } from 'vitest';
import { type FakeModel, fakeRegistry } from '../../test/support/fake-registry.ts';
import { type Script, ScriptedEngine, type ScriptedOptions } from '../../test/support/scripted-engine.ts';
import { settle } from '../../test/support/test-clock.ts';
import { createTestHost } from '../../test/support/test-host.ts';
import { createTextService } from './text-service.ts';
import type { ChatRequest, GenerateTextRequest, Message, Run, RunEvent } from './types.ts';

const common = {
  model: 'm',
  options: {},
  truncate: true,
  shift: true,
  logprobs: false,
  topLogprobs: 0,
  debugRenderOnly: false,
};
const user = (content: string): Message => ({ role: 'user', content });
const chatRequest = (rest: Partial<ChatRequest> = {}): ChatRequest => ({
  ...common,
  messages: [user('Hi')],
  tools: [],
  ...rest,
});
const generateRequest = (rest: Partial<GenerateTextRequest> = {}): GenerateTextRequest => ({
  ...common,
  prompt: 'Hi',
  raw: false,
  ...rest,
});
const never = new AbortController().signal;

const thinkingTemplate =
  '{{ range .Messages }}[{{ .Role }}]{{ .Content }}{{ end }}[assistant]{{ if .Think }}<think>{{ end }}';
const toolTemplate = '{{ range .Tools }}{{ . }}{{ end }}{{ range .Messages }}{{ .Content }}{{ end }}';
const chatTemplate =
  '{% for m in messages %}[{{ m.role }}]{{ m.content }}{% endfor %}{% if add_generation_prompt %}[assistant]{% endif %}';
const weather = { type: 'function', function: { name: 'get_weather', parameters: { type: 'object' } } };

const models: FakeModel[] = [
  { name: 'm' },
  { name: 'thinks', template: thinkingTemplate, capabilities: ['completion', 'thinking'] },
  { name: 'calls', template: toolTemplate, capabilities: ['completion', 'tools'] },
  { name: 'native', template: undefined, parameters: {}, metadata: { chatTemplate } },
  { name: 'embeds', capabilities: ['embedding'] },
  {
    name: 'pirate',
    system: 'You are a pirate.',
    messages: [user('hi'), { role: 'assistant', content: 'Arr!' }],
    parameters: { num_predict: 3, stop: ['<x>'] },
  },
];

function setUp(script?: Script, options: ScriptedOptions = {}) {
  const engine = new ScriptedEngine({ ...(script && { script }), ...options });
  const host = createTestHost({ engines: [engine], clock: 'real' });
  return { engine, host, service: createTextService(host, fakeRegistry(models)) };
}

async function events(run: Run): Promise<RunEvent[]> {
  if (run.kind !== 'events') throw new Error(`not a run of events: ${run.kind}`);
  const all: RunEvent[] = [];
  for await (const event of run.events) all.push(event);
  return all;
}

interface Whole {
  content: string;
  thinking: string;
  calls: unknown[];
  pieces: string[];
  done: Extract<RunEvent, { type: 'done' }>;
}

async function whole(run: Run): Promise<Whole> {
  const all = await events(run);
  const texts = all.filter((event) => event.type === 'text');
  return {
    content: texts.map(({ content }) => content).join(''),
    thinking: texts.map(({ thinking }) => thinking).join(''),
    pieces: texts.map(({ content, thinking }) => content || thinking),
    calls: all.flatMap((event) => (event.type === 'tool-calls' ? event.calls : [])),
    done: all.at(-1) as Whole['done'],
  };
}

const rendered = async (rest: Partial<ChatRequest>) => {
  const run = await setUp().service.chat(chatRequest({ ...rest, debugRenderOnly: true }), never);
  return run.kind === 'rendered' ? run.text : run;
};

describe('an answer', () => {
  test('comes token by token, with counts and times in nanoseconds', async () => {
    const { service } = setUp(() => ['The', ' capital', '.']);
    const all = await events(await service.chat(chatRequest(), never));
    expect(all.slice(0, -1)).toEqual(
      ['The', ' capital', '.'].map((content) => ({ type: 'text', content, thinking: '' })),
    );
    expect(all.at(-1)).toEqual({
      type: 'done',
      reason: 'stop',
      statistics: {
        totalDuration: expect.any(Number),
        loadDuration: expect.any(Number),
        promptEvalCount: 8,
        promptEvalDuration: 8e6,
        evalCount: 4,
        evalDuration: 4e7,
      },
    });
    const { statistics } = all.at(-1) as Whole['done'];
    expect(statistics.loadDuration).toBeGreaterThan(0);
    expect(statistics.totalDuration).toBeGreaterThan(statistics.loadDuration);
    for (const value of Object.values(statistics)) expect(Number.isInteger(value)).toBe(true);
  });

  test('ends before a stop string, wherever its tokens are cut', async () => {
    const { service, engine } = setUp(() => ['One', ' <', '|', 'end', '|> two', ' three']);
    const options = { stop: ['<|end|>'] };
    const answer = await whole(await service.chat(chatRequest({ options }), never));
    expect(answer.content).toBe('One ');
    expect(answer.done).toMatchObject({ reason: 'stop', statistics: { promptEvalCount: 8, evalCount: 5 } });
    expect(engine.calls[0]?.outcome).not.toBe('running');
  });

  test('gives back as its own event what only looked like a stop string', async () => {
    const { service } = setUp(() => ['a', ' <', '|e']);
    const answer = await whole(await service.chat(chatRequest({ options: { stop: ['<|end|>'] } }), never));
    expect(answer.pieces).toEqual(['a', ' ', '<|e']);
    expect(answer.done.reason).toBe('stop');
  });

  test('a stop list of the request replaces the one of the model', async () => {
    const script: Script = () => ['a<x>b', '<y>c'];
    const own = await whole(await setUp(script).service.chat(chatRequest({ model: 'pirate' }), never));
    expect(own.content).toBe('a');
    const given = await whole(
      await setUp(script).service.chat(chatRequest({ model: 'pirate', options: { stop: ['<y>'] } }), never),
    );
    expect(given.content).toBe('a<x>b');
  });

  test('that repeats a token 31 times ends with reason length and all statistics', async () => {
    const { service } = setUp(() => ['x', ...Array.from({ length: 60 }, () => ' y')]);
    const answer = await whole(await service.chat(chatRequest(), never));
    expect(answer.content).toBe(`x${' y'.repeat(31)}`);
    expect(answer.done.reason).toBe('length');
    expect(answer.done.statistics.evalCount).toBe(33);
    expect(answer.done.statistics.promptEvalCount).toBe(8);
  });

  test.each([
    [1, 1],
    [3, 3],
    [0, 40960],
    [-1, 40960],
    [-2, 40960],
    [999_999, 40960],
  ])('num_predict %i allows %i tokens', async (num_predict, most) => {
    const { service, engine } = setUp(() => Array.from({ length: 5 }, (_, n) => ` ${n}`));
    const answer = await whole(await service.chat(chatRequest({ options: { num_predict } }), never));
    expect(engine.calls[0]?.request.maxTokens).toBe(most);
    expect(answer.done.reason).toBe(most < 5 ? 'length' : 'stop');
  });

  test('has logprobs when asked for, held-back tokens with the event that shows them', async () => {
    const { service } = setUp(() => ['a', ' <', 'b']);
    const request = chatRequest({ logprobs: true, topLogprobs: 2, options: { stop: ['<|'] } });
    const texts = (await events(await service.chat(request, never))).filter(({ type }) => type === 'text');
    expect(texts).toMatchObject([
      { content: 'a', logprobs: [{ token: 'a', top: [{ token: 'a' }, { token: ' other1' }] }] },
      { content: ' ', logprobs: [{ token: ' <' }] },
      { content: '<b', logprobs: [{ token: 'b' }] },
    ]);
    const plain = await events(await service.chat(chatRequest({ topLogprobs: 3 }), never));
    expect(JSON.stringify(plain)).not.toContain('logprobs');
  });

  test('takes options from the model and the request', async () => {
    const { service, engine } = setUp();
    await whole(
      await service.chat(
        chatRequest({ model: 'pirate', options: { temperature: 0, seed: 7, top_k: 3, num_keep: 9 } }),
        never,
      ),
    );
    expect(engine.calls[0]?.request).toMatchObject({
      maxTokens: 3,
      keep: 9,
      shift: true,
      sampling: { temperature: 0, seed: 7, topK: 3, topP: 0.9, repeatPenalty: 1, repeatLastN: 64 },
    });
  });

  test('without a seed is another one each time', async () => {
    const { service, engine } = setUp();
    for (let run = 0; run < 2; run++) await whole(await service.chat(chatRequest(), never));
    const [first, second] = engine.calls.map((call) => call.request.sampling.seed);
    expect(first).not.toBe(second);
    expect(first).toBeGreaterThanOrEqual(0);
  });
});

describe('the prompt', () => {
  const turn = (role: string, content: string) => `<|im_start|>${role}\n${content}<|im_end|>\n`;
  const open = '<|im_start|>assistant\n';

  test.each<[string, Partial<ChatRequest>, string]>([
    ['is the template over the messages', {}, turn('user', 'Hi') + open],
    [
      'begins with the system prompt and messages of the model',
      { model: 'pirate' },
      turn('system', 'You are a pirate.') +
        turn('user', 'hi') +
        turn('assistant', 'Arr!') +
        turn('user', 'Hi') +
        open,
    ],
    [
      'keeps the messages of the model before a system message of the request',
      { model: 'pirate', messages: [{ role: 'system', content: 'S' }, user('Q')] },
      turn('user', 'hi') + turn('assistant', 'Arr!') + turn('system', 'S') + turn('user', 'Q') + open,
    ],
    ['of a file with a chat template is rendered by it', { model: 'native' }, '[user]Hi[assistant]'],
    ['may end inside the thinking', { model: 'thinks' }, '[user]Hi[assistant]<think>'],
    ['does not when told so', { model: 'thinks', think: false }, '[user]Hi[assistant]'],
  ])('%s', async (_, rest, text) => {
    expect(await rendered(rest)).toBe(text);
  });

  test('is rendered without loading anything', async () => {
    const { service, engine } = setUp();
    await service.chat(chatRequest({ debugRenderOnly: true }), never);
    expect(engine.loads).toEqual([]);
  });

  test('of a chat template continues an answer, which begins the answer', async () => {
    const { service, engine } = setUp(() => [' Paris']);
    const messages = [user('Q'), { role: 'assistant', content: 'The capital is' }];
    const answer = await whole(await service.chat(chatRequest({ model: 'native', messages }), never));
    expect(engine.calls[0]?.prompt).toBe('[user]Q[assistant]The capital is');
    expect(answer.content).toBe('The capital is Paris');
  });
});

describe('a prompt that does not fit', () => {
  const long = (count: number) => Array.from({ length: count }, (_, n) => `word${n}`).join(' ');
  const options = { num_ctx: 256 };

  test('loses its oldest messages, but not the system message and the last one', async () => {
    const { service, engine } = setUp();
    const messages = [
      { role: 'system', content: 'Be brief.' },
      user(long(200)),
      { role: 'assistant', content: long(100) },
      user('first'),
      { role: 'assistant', content: 'second' },
      user('last'),
    ];
    await whole(await service.chat(chatRequest({ messages, options }), never));
    const prompt = engine.calls[0]!.prompt;
    expect(prompt).not.toContain('word199');
    for (const kept of ['Be brief.', 'word99', 'first', 'second', 'last']) expect(prompt).toContain(kept);
  });

  test('is cut to its beginning and end when the last message alone is too long', async () => {
    const { service, engine } = setUp();
    const answer = await whole(
      await service.chat(chatRequest({ messages: [user('old'), user(long(1200))], options }), never),
    );
    expect(answer.done.statistics.promptEvalCount).toBe(130);
    const prompt = engine.calls[0]!.prompt;
    expect(prompt.startsWith('<|im_start|>user')).toBe(true);
    expect(prompt.endsWith('<|im_start|>assistant\n')).toBe(true);
  });

  const tooLong =
    'the prompt is longer than the context length currently available to the model; shorten the prompt, adjust the context length in settings, or use a model with a longer context length';
  const exceeds = (tokens: number) =>
    JSON.stringify({
      error: {
        code: 400,
        message: `request (${tokens} tokens) exceeds the available context size (256 tokens), try increasing it`,
        type: 'exceed_context_size_error',
        n_prompt_tokens: tokens,
        n_ctx: 256,
      },
    });

  test.each<[string, Partial<ChatRequest>, string]>([
    ['truncate false', { truncate: false }, exceeds(1207)],
    ['truncate and shift false', { truncate: false, shift: false }, exceeds(1207)],
    ['shift false', { shift: false }, tooLong],
    ['a chat template of its own', { model: 'native' }, exceeds(1200)],
  ])('is refused with %s', async (_, rest, message) => {
    const { service } = setUp();
    const request = chatRequest({ messages: [user(long(1200))], options, ...rest });
    const run = await service.chat(request, never);
    if (run.kind !== 'events') throw new Error(run.kind);
    await expect(run.ready).rejects.toMatchObject({ status: 400, message });
    await expect(events(run)).rejects.toMatchObject({ status: 400, message });
  });

  test('num_ctx is rounded up to 256 and capped at what the model was trained for', async () => {
    for (const [num_ctx, length] of [
      [128, 256],
      [512, 512],
      [100_000, 8192],
      [undefined, 4096],
    ]) {
      const { service, engine } = setUp();
      await whole(await service.chat(chatRequest({ options: { ...(num_ctx && { num_ctx }) } }), never));
      expect([num_ctx, engine.loads[0]?.options.contextLength]).toEqual([num_ctx, length]);
    }
  });
});

describe('thinking', () => {
  test('comes first and apart', async () => {
    const { service } = setUp(() => [' Let', ' me', ' </th', 'ink>\n\n', 'It', ' is.']);
    const answer = await whole(await service.chat(chatRequest({ model: 'thinks' }), never));
    expect(answer).toMatchObject({ thinking: 'Let me ', content: 'It is.' });
  });

  test('is left in the text when it was turned off', async () => {
    const { service } = setUp(() => ['a</think>b']);
    const answer = await whole(await service.chat(chatRequest({ model: 'thinks', think: false }), never));
    expect(answer).toMatchObject({ thinking: '', content: 'a</think>b' });
  });

  test('is free of the grammar, which binds what comes after it', async () => {
    const { service, engine } = setUp((_, { grammar }) =>
      grammar ? ['{', '}'] : ['Hm', '</think>', 'free', ' text'],
    );
    const answer = await whole(await service.chat(chatRequest({ model: 'thinks', format: 'json' }), never));
    expect(answer).toMatchObject({ thinking: 'Hm', content: '{}' });
    expect(engine.calls.map(({ request }) => Boolean(request.grammar))).toEqual([false, true]);
    expect(engine.calls[1]?.prompt).toBe('[user]Hi[assistant]<think>Hm</think>');
    expect(answer.done.statistics).toMatchObject({ evalCount: 5 });
  });
});

describe('tool calls', () => {
  test('are events of their own, with an id', async () => {
    const { service } = setUp(() => ['{"name":', ' "get_weather",', ' "arguments": {"city":', ' "Paris"}}']);
    const answer = await whole(await service.chat(chatRequest({ model: 'calls', tools: [weather] }), never));
    expect(answer.content).toBe('');
    expect(answer.calls).toEqual([
      { id: expect.stringMatching(/^call_[a-z0-9]{8}$/), name: 'get_weather', arguments: { city: 'Paris' } },
    ]);
    expect(answer.done.reason).toBe('stop');
  });

  test('are text when the request has no tools', async () => {
    const { service } = setUp(() => ['{"name": "get_weather"}']);
    const answer = await whole(await service.chat(chatRequest({ model: 'calls' }), never));
    expect(answer).toMatchObject({ content: '{"name": "get_weather"}', calls: [] });
  });
});

describe('generate', () => {
  test('answers a prompt with the context of both', async () => {
    const { service, engine } = setUp(() => ['Hello', ' you']);
    const answer = await whole(await service.generate(generateRequest(), never));
    const { tokenizer } = engine;
    expect(answer.done.context).toEqual(
      tokenizer.encode('<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\nHello you'),
    );
    const second = generateRequest({ prompt: 'More', context: answer.done.context! });
    await whole(await service.generate(second, never));
    expect(engine.calls[1]?.prompt).toBe(
      '<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\nHello you<|im_start|>user\nMore<|im_end|>\n<|im_start|>assistant\n',
    );
    const shown = await service.generate({ ...second, debugRenderOnly: true }, never);
    expect(shown).toMatchObject({ kind: 'rendered', text: engine.calls[1]?.prompt });
  });

  test('raw gives the prompt as it is, and no context', async () => {
    const { service, engine } = setUp();
    const answer = await whole(await service.generate(generateRequest({ raw: true, prompt: 'Once' }), never));
    expect(engine.calls[0]?.prompt).toBe('Once');
    expect(answer.done).not.toHaveProperty('context');
  });

  test('takes a system prompt and a template from the request', async () => {
    const { service, engine } = setUp();
    const request = { model: 'pirate', system: 'S', template: '<{{ .System }}|{{ .Prompt }}>' };
    await whole(await service.generate(generateRequest(request), never));
    expect(engine.calls[0]?.prompt).toBe('<S|hi>Arr!<|Hi>');
  });

  test.each<[string, Partial<GenerateTextRequest>, number, string]>([
    ['a template that cannot be parsed', { template: '{{ .Prompt' }, 500, 'template: :1: unclosed action'],
    [
      'raw with a system prompt',
      { raw: true, system: 's' },
      400,
      'raw mode does not support template, system, or context',
    ],
    [
      'raw with context',
      { raw: true, context: [1] },
      400,
      'raw mode does not support template, system, or context',
    ],
    ['a suffix', { suffix: 'x' }, 400, 'registry.ollama.ai/library/m:latest does not support insert'],
    ['no model', { model: '' }, 404, "model '' not found"],
    ['a model that only embeds', { model: 'embeds' }, 400, '"embeds" does not support generate'],
    [
      'a model that only embeds, to load it',
      { model: 'embeds', prompt: '' },
      400,
      '"embeds" does not support generate',
    ],
  ])('refuses %s', async (_, rest, status, message) => {
    await expect(setUp().service.generate(generateRequest(rest), never)).rejects.toMatchObject({
      status,
      message,
    });
  });
});

describe('chat refuses', () => {
  const image = { ...user('x'), images: [new Uint8Array(3)] };

  test.each<[string, Partial<ChatRequest>, number, string]>([
    ['no model', { model: ' ' }, 400, 'model is required'],
    ['an unknown model', { model: 'nope' }, 404, "model 'nope' not found"],
    [
      'an unknown model to unload',
      { model: 'nope', messages: [], keepAlive: 0 },
      404,
      "model 'nope' not found",
    ],
    ['a name that is none', { model: 'bad name!' }, 400, 'invalid model name'],
    [
      'a cloud model',
      { model: 'gpt-oss:120b-cloud' },
      403,
      'ollama cloud is disabled: remote model is unavailable',
    ],
    [
      'both sources',
      { model: 'a:local:cloud' },
      400,
      'use either :local or :cloud, not both: "a:local:cloud"',
    ],
    ['tools', { tools: [weather] }, 400, 'registry.ollama.ai/library/m:latest does not support tools'],
    ['thinking', { think: 'high' }, 400, '"m" does not support thinking'],
    ['chat', { model: 'embeds' }, 400, '"embeds" does not support chat'],
    [
      'images',
      { messages: [image] },
      400,
      '{"error":{"code":400,"message":"Multimodal data provided, but model does not support multimodal requests.","type":"invalid_request_error"}}',
    ],
    [
      'images of a chat template',
      { model: 'native', messages: [image] },
      500,
      '{"error":{"code":500,"message":"image input is not supported - hint: if this is unexpected, you may need to provide the mmproj","type":"server_error"}}',
    ],
    [
      'a schema that cannot be',
      { format: { type: 'nonsense' } },
      400,
      '{"error":{"code":400,"message":"Field \'json_schema\': \\"json_schema\\": JSON schema conversion failed:\\nUnrecognized schema: {\\"type\\":\\"nonsense\\"}","type":"invalid_request_error"}}',
    ],
    [
      'repeat_last_n -1',
      { options: { repeat_last_n: -1 } },
      400,
      '{"error":{"code":400,"message":"Field \'repeat_last_n\': Value must be between 0 <= value <= 2147483647, but got -1","type":"invalid_request_error"}}',
    ],
  ])('%s', async (_, rest, status, message) => {
    await expect(setUp().service.chat(chatRequest(rest), never)).rejects.toMatchObject({ status, message });
  });
});

test('white space, letter case and :local do not change which model is meant', async () => {
  for (const model of [' m ', 'M', 'm:latest', 'm:local', 'registry.ollama.ai/library/m']) {
    expect(await whole(await setUp().service.chat(chatRequest({ model }), never))).toMatchObject({
      done: { reason: 'stop' },
    });
  }
});

describe('loading and unloading', () => {
  test('without messages', async () => {
    const { service, engine } = setUp();
    expect(await service.chat(chatRequest({ messages: [] }), never)).toEqual({ kind: 'loaded' });
    expect(service.loaded()).toMatchObject([{ name: 'm:latest', contextLength: 4096, engine: 'scripted' }]);
    expect(await service.chat(chatRequest({ messages: [], keepAlive: 0 }), never)).toEqual({
      kind: 'unloaded',
    });
    expect(service.loaded()).toEqual([]);
    expect(engine.alive).toEqual([]);
    expect(await service.generate(generateRequest({ prompt: '', keepAlive: 0 }), never)).toEqual({
      kind: 'unloaded',
    });
  });

  test('keep_alive 0: gone when the last event comes', async () => {
    const { service } = setUp();
    const run = await service.chat(chatRequest({ keepAlive: 0 }), never);
    if (run.kind !== 'events') throw new Error(run.kind);
    for await (const event of run.events) {
      expect(service.loaded()).toHaveLength(event.type === 'done' ? 0 : 1);
    }
  });

  test('ready settles when the prompt is accepted, without anyone reading', async () => {
    const { service, engine } = setUp(undefined, { loadDelay: 20 });
    const run = await service.chat(chatRequest(), never);
    if (run.kind !== 'events') throw new Error(run.kind);
    expect(service.loaded()).toEqual([]);
    await run.ready;
    expect(engine.calls).toHaveLength(1);
    expect(await whole(run)).toMatchObject({ content: 'Hello there, friend.' });
  });

  test('a load that fails is told by ready and by the events', async () => {
    const { service } = setUp(undefined, { loadFailure: () => new Error('broken') });
    const run = await service.chat(chatRequest(), never);
    if (run.kind !== 'events') throw new Error(run.kind);
    await expect(run.ready).rejects.toThrow('broken');
    await expect(events(run)).rejects.toThrow('broken');
    await expect(service.chat(chatRequest({ messages: [] }), never)).rejects.toThrow('broken');
  });
});

describe('a model kept forever', () => {
  const forever = Number.POSITIVE_INFINITY;

  test('is loaded again after a restart, with its options', async () => {
    const { service, host } = setUp();
    await whole(await service.chat(chatRequest({ keepAlive: forever, options: { num_ctx: 512 } }), never));
    await service.chat(chatRequest({ model: 'thinks', messages: [], keepAlive: 60_000 }), never);
    await service.close();

    const again = createTextService(host, fakeRegistry(models));
    expect(again.loaded()).toEqual([]);
    await again.resume(never);
    expect(again.loaded()).toMatchObject([{ name: 'm:latest', contextLength: 512, expiresAt: forever }]);
  });

  test.each<[string, Partial<ChatRequest>]>([
    ['unloaded', { messages: [], keepAlive: 0 }],
    ['given a time', { messages: [], keepAlive: 60_000 }],
  ])('is not when it was %s since', async (_, then) => {
    const { service, host } = setUp();
    await service.chat(chatRequest({ messages: [], keepAlive: forever }), never);
    await service.chat(chatRequest(then), never);
    await settle();
    await service.close();
    const again = createTextService(host, fakeRegistry(models));
    await again.resume(never);
    expect(again.loaded()).toEqual([]);
  });

  test('keeps nothing from starting when it is gone or broken', async () => {
    const { service, host } = setUp();
    for (const model of ['m', 'thinks', 'calls']) {
      await service.chat(chatRequest({ model, messages: [], keepAlive: forever }), never);
    }
    await service.close();
    const broken = new ScriptedEngine({
      loadFailure: (files) => (files[0]!.digest.startsWith('sha256:6d') ? new Error('broken') : undefined),
    });
    const later = { ...host, languageEngines: [broken] };
    const again = createTextService(later, fakeRegistry(models.filter(({ name }) => name !== 'thinks')));
    await again.resume(never);
    expect(again.loaded().map(({ name }) => name)).toEqual(['calls:latest']);
    expect(host.logged.some(({ message }) => message.includes('could not be loaded again'))).toBe(true);
  });
});

describe('a client that leaves', () => {
  const slow: ScriptedOptions = {
    script: () => Array.from({ length: 500 }, (_, n) => ` ${n}`),
    tokenDelay: 2,
  };

  test('by its signal stops the engine, and the next one is served', async () => {
    const { service, engine } = setUp(undefined, slow);
    const leaver = new AbortController();
    const run = await service.chat(chatRequest(), leaver.signal);
    if (run.kind !== 'events') throw new Error(run.kind);
    const reading = (async () => {
      for await (const event of run.events)
        if (event.type === 'text' && event.content === ' 3') leaver.abort();
    })();
    await expect(reading).rejects.toMatchObject({ status: 499, message: 'request canceled' });
    expect(engine.calls[0]?.sent).toBeLessThan(8);
    expect(
      await whole(await service.chat(chatRequest({ options: { num_predict: 2 } }), never)),
    ).toMatchObject({
      content: ' 0 1',
    });
  });

  test('by not reading on stops the engine', async () => {
    const { service, engine } = setUp(undefined, slow);
    const run = await service.chat(chatRequest(), never);
    if (run.kind !== 'events') throw new Error(run.kind);
    for await (const event of run.events) if (event.type === 'text') break;
    await settle();
    expect(engine.calls[0]?.outcome).not.toBe('running');
    expect(
      await whole(await service.chat(chatRequest({ options: { num_predict: 1 } }), never)),
    ).toMatchObject({
      content: ' 0',
    });
  });

  test('without ever reading stops the engine', async () => {
    const { service, engine } = setUp(undefined, slow);
    const leaver = new AbortController();
    const run = await service.chat(chatRequest(), leaver.signal);
    if (run.kind !== 'events') throw new Error(run.kind);
    await run.ready;
    leaver.abort();
    await settle();
    expect(engine.calls[0]?.outcome).not.toBe('running');
    await expect(service.chat(chatRequest({ messages: [] }), never)).resolves.toEqual({ kind: 'loaded' });
  });

  test('while it waits leaves the queue', async () => {
    const { service, engine } = setUp(undefined, slow);
    const first = await service.chat(chatRequest(), never);
    const leaver = new AbortController();
    const second = await service.chat(chatRequest(), leaver.signal);
    leaver.abort();
    await expect(events(second)).rejects.toMatchObject({ status: 499 });
    expect(engine.calls).toHaveLength(1);
    if (first.kind === 'events') await first.events[Symbol.asyncIterator]().return?.();
  });
});

test('an engine that dies fails its own request, and the next one gets a fresh load', async () => {
  const { service, engine } = setUp(undefined, {
    script: () => Array.from({ length: 50 }, (_, n) => ` ${n}`),
    tokenDelay: 2,
  });
  const dying = await service.chat(chatRequest(), never);
  const waiting = await service.chat(chatRequest({ options: { num_predict: 2 } }), never);
  if (dying.kind !== 'events') throw new Error(dying.kind);
  await dying.ready;
  engine.models[0]!.crash();
  await expect(events(dying)).rejects.toMatchObject({
    status: 500,
    message:
      'model runner has unexpectedly stopped, this may be due to resource limitations or an internal error, check ollama server logs for details',
  });
  expect(await whole(waiting)).toMatchObject({ content: ' 0 1', done: { reason: 'length' } });
  expect(engine.loads).toHaveLength(2);
});

test('an answer does not depend on what was asked before', async () => {
  const { service, engine } = setUp((prompt) => prompt.length.toString());
  const alone = await whole(
    await setUp((prompt) => prompt.length.toString()).service.chat(chatRequest(), never),
  );
  await whole(await service.chat(chatRequest({ messages: [user('Remember 42.')] }), never));
  const after = await whole(await service.chat(chatRequest(), never));
  expect(after.content).toBe(alone.content);
  expect(engine.calls[1]?.prompt).not.toContain('42');
});
