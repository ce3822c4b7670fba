import { describe, expect, it } from 'vitest';
import { fakeServer } from '#test/support/local-models/fake-server.ts';
import { DONE, textEvent } from '#test/support/local-models/fake-text-service.ts';

const M = 'smollm2:135m';
const PATH = '/v1/completions';
const HEAD = '"object":"text_completion","created":1767323045';
const SOURCE = `"model":"${M}","system_fingerprint":"fp_ollama"`;
/** Removes the random ids. */
const withoutIds = (body: string) => body.replaceAll(/"id":"cmpl-\d{1,3}",/g, '');
const ZERO = '"usage":{"prompt_tokens":0,"completion_tokens":0,"total_tokens":0}';

describe('POST /v1/completions', () => {
  it('answers with one object', async () => {
    const { ask } = fakeServer();
    const response = await ask('POST', PATH, { model: M, prompt: 'Once' });
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(withoutIds(await response.text())).toBe(
      `{${HEAD},${SOURCE},"choices":[{"text":"The end","index":0,"finish_reason":"stop"}],"usage":{"prompt_tokens":16,"completion_tokens":8,"total_tokens":24}}\n`,
    );
  });

  it.each([false, true])('streams, with usage in every chunk on request (%s)', async (usage) => {
    const { ask, service } = fakeServer();
    service.events = [textEvent('', 'thinking is left out'), textEvent('The'), DONE];
    const body = { model: M, prompt: 'Once', stream: true, stream_options: { include_usage: usage } };
    const answer = await (await ask('POST', PATH, body)).text();
    expect(new Set(answer.match(/cmpl-\d+/g)).size).toBe(1);
    const chunk = (choices: string, more = usage ? `,${ZERO}` : '') =>
      `data: {${HEAD},"choices":[${choices}],${SOURCE}${more}}\n\n`;
    expect(withoutIds(answer)).toBe(
      [
        chunk('{"text":"The","index":0,"finish_reason":null}'),
        chunk('{"text":"","index":0,"finish_reason":"stop"}'),
        usage ? chunk('', ',"usage":{"prompt_tokens":16,"completion_tokens":8,"total_tokens":24}') : '',
        'data: [DONE]\n\n',
      ].join(''),
    );
  });

  it('only loads the model when there is no prompt', async () => {
    const { ask } = fakeServer();
    expect(withoutIds(await (await ask('POST', PATH, { model: M })).text())).toBe(
      `{${HEAD},${SOURCE},"choices":[{"text":"","index":0,"finish_reason":"load"}],${ZERO}}\n`,
    );
    const streamed = await (await ask('POST', PATH, { model: M, stream: true })).text();
    expect(withoutIds(streamed)).toBe(
      `data: {${HEAD},"choices":[{"text":"","index":0,"finish_reason":"load"}],${SOURCE}}\n\ndata: [DONE]\n\n`,
    );
  });

  it('translates all fields of a request', async () => {
    const { ask, service } = fakeServer();
    await ask('POST', PATH, {
      model: M,
      prompt: 'def f(',
      suffix: 'return',
      max_tokens: 3,
      seed: 7,
      stop: ['a', 'b'],
      frequency_penalty: 0.5,
      logprobs: 2,
      n: 3,
      echo: true,
    });
    expect(service.requests).toEqual([
      {
        model: M,
        prompt: 'def f(',
        suffix: 'return',
        options: {
          temperature: 1,
          top_p: 1,
          stop: ['a', 'b'],
          num_predict: 3,
          seed: 7,
          frequency_penalty: 0.5,
        },
        raw: false,
        truncate: true,
        shift: true,
        logprobs: false,
        topLogprobs: 0,
        debugRenderOnly: false,
      },
    ]);
  });

  it('shows the rendered prompt on request', async () => {
    const { ask } = fakeServer();
    const body = { model: M, prompt: 'x', _debug_render_only: true };
    expect(await (await ask('POST', PATH, body)).text()).toContain(
      `${ZERO},"_debug_info":{"rendered_template":"\\u003c|im_start|\\u003e"}}\n`,
    );
  });

  it.each([
    [
      { model: M, prompt: ['a'] },
      'json: cannot unmarshal array into Go struct field CompletionRequest.prompt of type string',
    ],
    [{ model: M, prompt: 'a', stop: ['a', 1] }, "invalid type for 'stop' field: float64"],
    [{ model: M, prompt: 'a', stop: [null] }, "invalid type for 'stop' field: <nil>"],
  ])('refuses %j', async (body, message) => {
    const response = await fakeServer().ask('POST', PATH, body);
    expect([response.status, await response.text()]).toEqual([
      400,
      JSON.stringify({ error: { message, type: 'invalid_request_error', param: null, code: null } })
        .replaceAll('<', '\\u003c')
        .replaceAll('>', '\\u003e'),
    ]);
  });

  it('answers a request without a model as /api/generate does', async () => {
    const response = await fakeServer().ask('POST', PATH, { prompt: 'a' });
    expect([response.status, await response.text()]).toEqual([
      404,
      `{"error":{"message":"model '' not found","type":"not_found_error","param":null,"code":null}}\n`,
    ]);
  });
});
