import { describe, expect, test } from 'vitest';
import { neverAborted } from '#test/support/host/never-aborted.ts';
import {
  chatRequest,
  finished,
  generateRequest,
  setUp,
  user,
  weatherTool,
} from '#test/support/local-models/text-runs.ts';
import type { ChatRequest, GenerateTextRequest } from '../runs/requests.ts';

describe('generate', () => {
  test('ends an answer with the tokens of prompt and answer', async () => {
    const { service, engine } = setUp(() => ['Hello', ' you']);
    const answer = await finished(await service.generate(generateRequest(), neverAborted));
    const { tokenizer } = engine;
    expect(answer.done.context).toEqual(
      tokenizer.encode('<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\nHello you'),
    );
    const second = generateRequest({ prompt: 'More', context: answer.done.context! });
    await finished(await service.generate(second, neverAborted));
    expect(engine.calls[1]?.prompt).toBe(
      '<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\nHello you<|im_start|>user\nMore<|im_end|>\n<|im_start|>assistant\n',
    );
    const shown = await service.generate({ ...second, debugRenderOnly: true }, neverAborted);
    expect(shown).toMatchObject({ kind: 'rendered', text: engine.calls[1]?.prompt });
  });

  test('with raw passes the prompt on unchanged, and returns no context', async () => {
    const { service, engine } = setUp();
    const answer = await finished(
      await service.generate(generateRequest({ raw: true, prompt: 'Once' }), neverAborted),
    );
    expect(engine.calls[0]?.prompt).toBe('Once');
    expect(answer.done).not.toHaveProperty('context');
  });

  test('fills the gap between a prompt and its suffix', async () => {
    const { service, engine } = setUp();
    const request = generateRequest({ model: 'inserts', prompt: 'def f():', suffix: 'return x' });
    await finished(await service.generate(request, neverAborted));
    expect(engine.calls[0]?.prompt).toBe('<P>def f():<S>return x<M>');
  });

  test('renders with the system prompt and template of the request', async () => {
    const { service, engine } = setUp();
    const request = { model: 'pirate', system: 'S', template: '<{{ .System }}|{{ .Prompt }}>' };
    await finished(await service.generate(generateRequest(request), neverAborted));
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
    await expect(setUp().service.generate(generateRequest(rest), neverAborted)).rejects.toMatchObject({
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
    ['an invalid name', { model: 'bad name!' }, 400, 'invalid model name'],
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
    ['tools', { tools: [weatherTool] }, 400, 'registry.ollama.ai/library/m:latest does not support tools'],
    ['thinking', { think: 'high' }, 400, '"m" does not support thinking'],
    ['chat', { model: 'embeds' }, 400, '"embeds" does not support chat'],
    [
      'images',
      { messages: [image] },
      400,
      '{"error":{"code":400,"message":"Multimodal data provided, but model does not support multimodal requests.","type":"invalid_request_error"}}',
    ],
    [
      'images for a model with a chat template of its own',
      { model: 'native', messages: [image] },
      500,
      '{"error":{"code":500,"message":"image input is not supported - hint: if this is unexpected, you may need to provide the mmproj","type":"server_error"}}',
    ],
    [
      'a schema that cannot be followed',
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
    await expect(setUp().service.chat(chatRequest(rest), neverAborted)).rejects.toMatchObject({
      status,
      message,
    });
  });
});

test('white space, letter case and :local do not change which model is used', async () => {
  for (const model of [' m ', 'M', 'm:latest', 'm:local', 'registry.ollama.ai/library/m']) {
    expect(await finished(await setUp().service.chat(chatRequest({ model }), neverAborted))).toMatchObject({
      done: { reason: 'stop' },
    });
  }
});

test('an answer does not depend on earlier requests', async () => {
  const { service, engine } = setUp((prompt) => prompt.length.toString());
  const alone = await finished(
    await setUp((prompt) => prompt.length.toString()).service.chat(chatRequest(), neverAborted),
  );
  await finished(await service.chat(chatRequest({ messages: [user('Remember 42.')] }), neverAborted));
  const after = await finished(await service.chat(chatRequest(), neverAborted));
  expect(after.content).toBe(alone.content);
  expect(engine.calls[1]?.prompt).not.toContain('42');
});
