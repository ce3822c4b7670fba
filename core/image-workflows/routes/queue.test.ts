import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { recordsSchema } from '#core/host/records-schema.ts';
import { createTestHost } from '#test/support/host/test-host.ts';
import { testNodes } from '#test/support/image-workflows/image-server.ts';
import { RouteClient } from '#test/support/image-workflows/route-client.ts';

let client: RouteClient;
beforeEach(() => {
  const host = createTestHost({ schema: recordsSchema, clock: 'real' });
  client = new RouteClient({ host, customNodes: testNodes([]) });
});
afterEach(() => client.close());
const show = (value: number) => ({
  '1': { class_type: 'Number', inputs: { value } },
  '2': { class_type: 'Show', inputs: { value: ['1', 0] } },
});
const long = {
  '1': { class_type: 'Steps', inputs: { steps: 100_000 } },
  '2': { class_type: 'Show', inputs: { value: ['1', 0] } },
};
const statusAndError = async (response: Response) => [response.status, (await response.json()).error];

describe('POST /prompt', () => {
  const submit = async (body: object) => (await client.post('/prompt', { prompt: show(1), ...body })).json();

  it('counts prompts, also refused ones, and takes numbers as they are', async () => {
    expect((await submit({})).number).toBe(0);
    expect((await client.post('/prompt', { prompt: {} })).status).toBe(400);
    expect((await submit({ front: true })).number).toBe(-2);
    const text = await (await client.post('/prompt', { prompt: show(1), number: '7' })).text();
    expect(text).toContain('"number": 7.0');
    expect((await submit({})).number).toBe(3);
  });

  it('makes up an id, or takes that of the client', async () => {
    expect((await submit({})).prompt_id).toMatch(/^[0-9a-f-]{36}$/);
    expect((await submit({ prompt_id: null })).prompt_id).toMatch(/^[0-9a-f-]{36}$/);
    expect((await submit({ prompt_id: 'mine' })).prompt_id).toBe('mine');
    expect((await submit({ prompt_id: 5 })).prompt_id).toBe('5');
  });

  it('adds the client to the extra data', async () => {
    const { prompt_id } = await submit({ client_id: 'me', extra_data: { a: 1 } });
    while (!(await client.server.history(prompt_id))) await new Promise((resolve) => setTimeout(resolve, 1));
    expect((await client.server.history(prompt_id))!.prompt[3]).toEqual({ a: 1, client_id: 'me' });
  });

  it('runs the targets alone', async () => {
    const prompt = { ...show(1), '3': { class_type: 'Show', inputs: { value: ['1', 0] } } };
    const { prompt_id } = await submit({ prompt, partial_execution_targets: ['3'] });
    while (!(await client.server.history(prompt_id))) await new Promise((resolve) => setTimeout(resolve, 1));
    expect((await client.server.history(prompt_id))!.prompt[4]).toEqual(['3']);
  });

  it.each([
    [{ extra_data: 5 }, 'extra_data is not an object'],
    [{ number: 'x' }, 'number is not a number'],
  ])('refuses %j', async (more, message) => {
    expect((await submit(more)).error).toMatchObject({ type: 'invalid_prompt', message });
  });
});

describe('/queue', () => {
  beforeEach(async () => {
    await client.server.submit(long, { prompt_id: 'running', extra_data: { api_key_comfy_org: 'key' } });
    await client.server.submit(show(1), { prompt_id: 'a' });
    await client.server.submit(show(2), { prompt_id: 'b' });
  });
  const queued = async () => {
    const { queue_running, queue_pending } = await client.getJson('/queue');
    const ids = (prompts: [number, string][]) => prompts.map(([, id]) => id);
    return [ids(queue_running), ids(queue_pending)];
  };

  it('shows prompts with everything that was sent', async () => {
    expect(await queued()).toEqual([['running'], ['a', 'b']]);
    const [running] = (await client.getJson('/queue')).queue_running;
    expect(running).toEqual([0, 'running', long, { api_key_comfy_org: 'key' }, ['2']]);
    expect(await client.getJson('/prompt')).toEqual({ exec_info: { queue_remaining: 3 } });
  });

  it('drops pending prompts by their ids, or all', async () => {
    await client.post('/queue', { delete: ['a', 'running', 'none'] });
    expect(await queued()).toEqual([['running'], ['b']]);
    await client.post('/queue', { clear: true });
    expect(await queued()).toEqual([['running'], []]);
  });

  it.each([
    ['[]', 'the body must be an object: {"clear": true} or {"delete": ["id"]}'],
    ['{"delete": "a"}', 'delete must be a list of prompt ids'],
  ])('refuses %s', async (body, message) => {
    for (const path of ['/queue', '/history'])
      expect(await statusAndError(await client.post(path, body))).toEqual([400, message]);
    expect(await queued()).toEqual([['running'], ['a', 'b']]);
  });
});

describe('/interrupt', () => {
  const isRunning = async () => (await client.getJson('/queue')).queue_running.length > 0;
  const whenEnded = async () => {
    while (!(await client.server.history('long'))) await new Promise((resolve) => setTimeout(resolve, 1));
  };
  beforeEach(() => client.server.submit(long, { prompt_id: 'long' }));

  it('leaves a prompt of another id', async () => {
    expect((await client.post('/interrupt', { prompt_id: 'other' })).status).toBe(200);
    expect(await isRunning()).toBe(true);
  });

  it.each([
    [{ prompt_id: 'long' }],
    [{ prompt_id: '' }],
    [{ prompt_id: null }],
    [{}],
    [undefined],
    ['no json'],
  ])('ends the running prompt for %j', async (body) => {
    expect((await client.post('/interrupt', body)).status).toBe(200);
    await whenEnded();
    expect((await client.server.history('long'))!.status.completed).toBe(false);
  });

  it('refuses a body that is no object', async () => {
    expect(await statusAndError(await client.post('/interrupt', '[]'))).toEqual([
      400,
      'the body must be an object: {"prompt_id": "..."} or {}',
    ]);
    expect(await isRunning()).toBe(true);
  });
});

describe('/history', () => {
  beforeEach(async () => {
    for (const [index, id] of ['a', 'b', 'c'].entries())
      await client.server.run(show(index), { prompt_id: id });
  });
  const ids = async (query = '') => Object.keys(await client.getJson(`/history${query}`));

  it('lists prompts from the oldest on, and a range of them', async () => {
    expect(await ids()).toEqual(['a', 'b', 'c']);
    expect(await ids('?max_items=2')).toEqual(['b', 'c']);
    expect(await ids('?max_items=1&offset=1')).toEqual(['b']);
    expect(await ids('?max_items=%20-1%20')).toEqual([]);
    expect(await statusAndError(await client.get('/history?max_items=x'))).toEqual([
      400,
      'max_items is not a whole number: x',
    ]);
  });

  it('shows one prompt, or an empty object', async () => {
    expect(await client.getJson('/history/b')).toMatchObject({ b: { outputs: { '2': { text: ['1'] } } } });
    expect(await client.getJson('/history/none')).toEqual({});
  });

  it('forgets prompts by their ids, or all', async () => {
    await client.post('/history', { delete: ['b', 'none'] });
    expect(await ids()).toEqual(['a', 'c']);
    await client.post('/history', { clear: true });
    expect(await ids()).toEqual([]);
  });
});

it('/free needs an object', async () => {
  expect(await statusAndError(await client.post('/free', '[]'))).toEqual([
    400,
    'the body must be an object: {"unload_models": true, "free_memory": true}',
  ]);
  expect((await client.post('/free', {})).status).toBe(200);
});
