import { describe, expect, it } from 'vitest';
import { ApiError } from '#core/http/errors/api-error.ts';
import { fakeServer } from '#test/support/local-models/fake-server.ts';

const M = 'smollm2:135m';
const PATH = '/v1/embeddings';

describe('POST /v1/embeddings', () => {
  it('prints each float with the fewest digits that identify it', async () => {
    const { ask, service } = fakeServer();
    service.vector = Float32Array.of(-0.020432878, 1 / 3, 0, 1e-7, 0.1);
    const response = await ask('POST', PATH, { model: M, input: 'hello' });
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(await response.text()).toBe(
      `{"object":"list","data":[{"object":"embedding","embedding":[-0.020432878,0.33333334,0,1e-7,0.1],"index":0}],"model":"${M}","usage":{"prompt_tokens":2,"total_tokens":2}}\n`,
    );
  });

  it('answers in base64 on request, and passes the dimensions on', async () => {
    const { ask, service } = fakeServer();
    service.vector = Float32Array.of(1, -2.5);
    const body = { model: M, input: ['a', 'b'], dimensions: 2, encoding_format: 'Base64', user: 'x' };
    expect(await (await ask('POST', PATH, body)).json()).toEqual({
      object: 'list',
      data: [
        { object: 'embedding', embedding: 'AACAPwAAIMA=', index: 0 },
        { object: 'embedding', embedding: 'AACAPwAAIMA=', index: 1 },
      ],
      model: M,
      usage: { prompt_tokens: 4, total_tokens: 4 },
    });
    expect(service.embeds).toEqual([
      { model: M, texts: ['a', 'b'], truncate: true, dimensions: 2, options: {} },
    ]);
  });

  it('accepts an empty text', async () => {
    const { ask, service } = fakeServer();
    await ask('POST', PATH, { model: M, input: '' });
    expect(service.embeds[0]?.texts).toEqual(['']);
  });

  it.each([
    [
      { model: M, input: 'x', encoding_format: 'hex' },
      400,
      "Invalid value for 'encoding_format' = hex. Supported values: ['float', 'base64'].",
    ],
    [{ model: M }, 400, 'invalid input'],
    [{ model: M, input: null }, 400, 'invalid input'],
    [{ model: M, input: [] }, 400, 'invalid input'],
    [{ model: M, input: [1, 2] }, 400, 'invalid input type'],
    [{ model: M, input: {} }, 400, 'invalid input type'],
    [{ model: 'nope', input: 'x' }, 404, 'model "nope" not found, try pulling it first'],
  ])('refuses %j', async (body, status, message) => {
    const response = await fakeServer().ask('POST', PATH, body);
    expect([response.status, (await response.json()).error.message]).toEqual([status, message]);
  });

  it('answers with the status of the error that the model throws', async () => {
    const { ask, service } = fakeServer();
    service.failure = new ApiError(501, 'This server does not support embeddings.');
    const response = await ask('POST', PATH, { model: M, input: 'x' });
    expect([response.status, await response.text()]).toEqual([
      501,
      '{"error":{"message":"This server does not support embeddings.","type":"api_error","param":null,"code":null}}\n',
    ]);
  });
});
