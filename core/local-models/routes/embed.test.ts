import { describe, expect, it, vi } from 'vitest';
import { ApiError } from '#core/http/errors/api-error.ts';
import { fakeServer } from '#test/support/local-models/fake-server.ts';

/** Sends a request to a new server, which `change` prepares. */
const ask = async (path: string, body: unknown, change?: (server: ReturnType<typeof fakeServer>) => void) => {
  const server = fakeServer();
  change?.(server);
  const response = await server.ask('POST', path, body);
  return { ...server, status: response.status, text: await response.text() };
};

describe('POST /api/embed', () => {
  it('prints each float with the fewest digits that identify it', async () => {
    const { status, text, service } = await ask('/api/embed', {
      model: 'smollm2:135m',
      input: 'hello world',
    });
    expect([status, text]).toEqual([
      200,
      '{"model":"smollm2:135m","embeddings":[[0.6,-0.8]],"total_duration":2264382803,"load_duration":2162926948,"prompt_eval_count":2}',
    ]);
    expect(service.embeds).toEqual([
      { model: 'smollm2:135m', texts: ['hello world'], truncate: true, dimensions: 0, options: {} },
    ]);
  });

  it('passes all fields on', async () => {
    const { service } = await ask('/api/embed', {
      model: 'smollm2:135m',
      input: ['a', 'b'],
      truncate: false,
      dimensions: 8,
      options: { num_ctx: 128 },
      keep_alive: 2,
    });
    expect(service.embeds).toEqual([
      {
        model: 'smollm2:135m',
        texts: ['a', 'b'],
        truncate: false,
        dimensions: 8,
        options: { num_ctx: 128 },
        keepAlive: 2000,
      },
    ]);
  });

  it.each([{}, { input: '' }, { input: [] }, { input: null }])(
    'only loads the model for %j',
    async (input) => {
      const { status, text, service } = await ask('/api/embed', { model: 'smollm2:135m', ...input });
      expect([status, text]).toEqual([200, '{"model":"smollm2:135m","embeddings":[]}']);
      expect(service.embeds[0]?.texts).toEqual([]);
    },
  );

  it.each([
    { input: {} },
    { input: 1 },
    { input: true },
    { input: ['a', 1] },
    { input: [1, 2, 3] },
    { input: [['a']] },
  ])('refuses %j', async (input) => {
    const { status, text } = await ask('/api/embed', { model: 'nope', ...input });
    expect([status, text]).toEqual([400, '{"error":"invalid input type"}']);
  });

  it.each([
    [undefined, 400, 'missing request body'],
    [{ model: 'nope', input: 'x' }, 404, 'model "nope" not found, try pulling it first'],
    [
      { model: 'nope', input: 'x', options: { num_ctx: 'many' } },
      404,
      'model "nope" not found, try pulling it first',
    ],
    [
      { model: 'smollm2:135m', input: 'x', options: { num_ctx: 'many' } },
      500,
      'option "num_ctx" must be of type integer',
    ],
    [
      { model: 'smollm2:135m', dimensions: 'x' },
      400,
      'json: cannot unmarshal string into Go struct field EmbedRequest.dimensions of type int',
    ],
  ])('answers %j with %d', async (body, status, error) => {
    const answer = await ask('/api/embed', body);
    expect([answer.status, JSON.parse(answer.text)]).toEqual([status, { error }]);
  });
});

describe('POST /api/embeddings', () => {
  it('prints floats with the digits of doubles', async () => {
    const { text } = await ask('/api/embeddings', { model: 'smollm2:135m', prompt: 'x' }, ({ service }) => {
      service.vector = Float32Array.of(-0.020432878, 1);
    });
    expect(text).toBe('{"embedding":[-0.02043287828564644,1]}');
  });

  it.each([{}, { prompt: '' }, { input: 'x' }])('answers with an empty vector for %j', async (rest) => {
    const { text } = await ask('/api/embeddings', { model: 'smollm2:135m', ...rest });
    expect(text).toBe('{"embedding":[]}');
  });

  it.each([
    ['{}', undefined, 400, 'model is required'],
    ['{"model":"a!b","prompt":"x"}', undefined, 400, 'invalid model name'],
    ['{"model":"nope","prompt":"x"}', undefined, 404, 'model "nope" not found, try pulling it first'],
    [
      '{"model":"smollm2:135m","prompt":"x"}',
      new ApiError(400, 'the input length exceeds the context length'),
      500,
      'the input length exceeds the context length',
    ],
    [
      '{"model":"smollm2:135m","prompt":"x"}',
      new ApiError(501, 'This server does not support embeddings. Start it with `--embeddings`'),
      500,
      'This server does not support embeddings. Start it with `--embeddings`',
    ],
    [
      '{"model":"smollm2:135m","prompt":"x"}',
      new ApiError(503, 'server busy, please try again.  maximum pending requests exceeded'),
      503,
      'server busy, please try again.  maximum pending requests exceeded',
    ],
  ])('answers %s, when it fails with %s, with %d', async (body, failure, status, error) => {
    const answer = await ask('/api/embeddings', body, ({ service }) => {
      if (failure) service.failure = failure;
    });
    expect([answer.status, JSON.parse(answer.text)]).toEqual([status, { error }]);
  });
});

describe('in a tab', () => {
  const begin = async (path: string, body: object) => {
    const server = fakeServer({ platform: 'tab' });
    let finish: (error?: Error) => void = () => {};
    server.service.ready = new Promise((resolve, reject) => {
      finish = (error) => (error ? reject(error) : resolve());
    });
    const responding = server.ask('POST', path, body);
    await vi.waitFor(() => expect(server.host.time!.pending).toBe(2));
    await server.host.time!.advance(1000);
    return { ...server, response: await responding, finish };
  };

  it('sends the head one second after the work starts, and the answer when it is complete', async () => {
    const { response, finish } = await begin('/api/embed', { model: 'smollm2:135m', input: 'x' });
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      'application/json; charset=utf-8',
    ]);
    finish();
    expect((await response.json()).embeddings).toEqual([[0.6, -0.8]]);
  });

  it('reports a later error in the body', async () => {
    const { response, finish } = await begin('/api/embeddings', { model: 'smollm2:135m', prompt: 'x' });
    finish(new ApiError(500, 'model runner has unexpectedly stopped'));
    expect(await response.text()).toBe('{"error":"model runner has unexpectedly stopped"}');
  });

  it('cancels the work when the client disconnects', async () => {
    const { response, service } = await begin('/api/embed', { model: 'smollm2:135m', input: ['x', 'y'] });
    await response.body!.cancel();
    expect(service.signals[0]!.aborted).toBe(true);
  });
});
