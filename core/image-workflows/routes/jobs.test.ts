import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { recordsSchema } from '#core/host/records-schema.ts';
import { createTestHost } from '#test/support/host/test-host.ts';
import { testNodes } from '#test/support/image-workflows/image-server.ts';
import { RouteClient, savedImages } from '#test/support/image-workflows/route-client.ts';

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
const fail = {
  '1': { class_type: 'Fail', inputs: { value: 7 } },
  '2': { class_type: 'Show', inputs: { value: ['1', 0] } },
};
const steps = (count: number) => ({
  '1': { class_type: 'Steps', inputs: { steps: count } },
  '2': { class_type: 'Show', inputs: { value: ['1', 0] } },
});
const long = steps(100_000);
const workflow = (id: unknown) => ({ extra_data: { extra_pnginfo: { workflow: { id } } } });
const idsOf = async (query: string) =>
  (await client.getJson(`/jobs?${query}`)).jobs.map(({ id }: { id: string }) => id);

describe('a finished job', () => {
  it('is described by its outputs, times and workflow', async () => {
    const { id } = await client.server.run(savedImages('x'), workflow('w'));
    const { jobs, pagination } = await client.getJson('/jobs');
    expect(jobs).toEqual([
      {
        id,
        status: 'completed',
        priority: 0,
        create_time: expect.any(Number),
        execution_start_time: expect.any(Number),
        execution_end_time: expect.any(Number),
        outputs_count: 2,
        preview_output: {
          filename: 'x_00001_.png',
          subfolder: '',
          type: 'output',
          nodeId: '2',
          mediaType: 'images',
        },
        workflow_id: 'w',
      },
    ]);
    expect(jobs[0].execution_end_time).toBeGreaterThanOrEqual(jobs[0].execution_start_time);
    expect(pagination).toEqual({ offset: 0, limit: null, total: 1, has_more: false });
  });

  it('is shown with its graph, outputs and messages', async () => {
    const { id } = await client.server.run(show(5), workflow('w'));
    const job = await client.getJson(`/jobs/${id}`);
    expect(job).toMatchObject({
      id,
      outputs: { '2': { text: ['5'] } },
      outputs_count: 1,
      execution_status: { status_str: 'success' },
      workflow: { prompt: show(5), extra_data: { extra_pnginfo: { workflow: { id: 'w' } } } },
    });
    // A text is no file that could be shown.
    expect(job).not.toHaveProperty('preview_output');
  });

  it('has an error when it failed', async () => {
    const { id } = await client.server.run(fail, workflow(5));
    const job = await client.getJson(`/jobs/${id}`);
    expect(job).toMatchObject({
      status: 'failed',
      execution_error: { node_id: '1', exception_type: 'ValueError' },
    });
    expect(job).not.toHaveProperty('workflow_id');
  });
});

describe('the list of jobs', () => {
  beforeEach(async () => {
    // Twenty steps of a millisecond each.
    await client.server.run(steps(20), { prompt_id: 'done', ...workflow('w') });
    await client.server.run(fail, { prompt_id: 'failed' });
    await client.server.submit(long, { prompt_id: 'running', ...workflow('w') });
    // Jobs of the same millisecond would have no order.
    do await new Promise((resolve) => setTimeout(resolve, 2));
    while ((await client.getJson('/queue')).queue_running.length === 0);
    await client.server.submit(show(2), { prompt_id: 'waiting' });
  });

  it('holds finished, running and waiting jobs, the newest first', async () => {
    expect(await idsOf('')).toEqual(['waiting', 'running', 'failed', 'done']);
    expect(await idsOf('sort_order=asc')).toEqual(['done', 'failed', 'running', 'waiting']);
  });

  it('is filtered by status and workflow', async () => {
    expect(await idsOf('status=pending, failed')).toEqual(['waiting', 'failed']);
    expect(await idsOf('status=completed,failed,cancelled')).toEqual(['failed', 'done']);
    expect(await idsOf('status=in_progress')).toEqual(['running']);
    expect(await idsOf('workflow_id=w')).toEqual(['running', 'done']);
    expect(await idsOf('workflow_id=w&status=completed')).toEqual(['done']);
    expect(await idsOf('status=')).toHaveLength(4);
  });

  it('is sorted by duration, which unfinished jobs have none of', async () => {
    expect((await idsOf('sort_by=execution_duration'))[0]).toBe('done');
    expect((await idsOf('sort_by=execution_duration&sort_order=asc')).at(-1)).toBe('done');
  });

  it('comes in pages', async () => {
    const page = async (query: string) => {
      const { jobs, pagination } = await client.getJson(`/jobs?sort_order=asc&${query}`);
      return [jobs.map(({ id }: { id: string }) => id), pagination];
    };
    expect(await page('limit=2')).toEqual([
      ['done', 'failed'],
      { offset: 0, limit: 2, total: 4, has_more: true },
    ]);
    expect(await page('limit=2&offset=2')).toEqual([
      ['running', 'waiting'],
      { offset: 2, limit: 2, total: 4, has_more: false },
    ]);
    expect(await page('offset=3')).toEqual([
      ['waiting'],
      { offset: 3, limit: null, total: 4, has_more: false },
    ]);
  });

  it.each([
    ['status=zzz', 'status must be one of pending, in_progress, completed, failed, cancelled, not zzz'],
    ['sort_by=name', 'sort_by must be one of created_at, execution_duration, not name'],
    ['sort_order=up', 'sort_order must be one of asc, desc, not up'],
    ['limit=0', 'limit must be a whole number of at least 1, not 0'],
    ['limit=x', 'limit must be a whole number of at least 1, not x'],
    ['offset=-1', 'offset must be a whole number of at least 0, not -1'],
  ])('refuses %s', async (query, message) => {
    const response = await client.get(`/jobs?${query}`);
    expect([response.status, (await response.json()).error]).toEqual([400, message]);
  });

  it('shows running and waiting jobs with their graph', async () => {
    expect(await client.getJson('/jobs/running')).toMatchObject({
      status: 'in_progress',
      outputs_count: 0,
      workflow_id: 'w',
      workflow: { prompt: long, extra_data: { extra_pnginfo: { workflow: { id: 'w' } } } },
    });
    expect(await client.getJson('/jobs/waiting')).toMatchObject({ status: 'pending', priority: 3 });
  });
});

describe('cancel', () => {
  const cancel = (id: string) => client.post(`/jobs/${id}/cancel`);

  it('removes a waiting job, and interrupts a running one', async () => {
    await client.server.submit(long, { prompt_id: 'running' });
    await client.server.submit(show(2), { prompt_id: 'waiting' });
    expect((await cancel('waiting')).status).toBe(200);
    expect((await client.get('/jobs/waiting')).status).toBe(404);
    expect((await cancel('running')).status).toBe(200);
    while ((await client.getJson('/jobs/running')).status !== 'cancelled')
      await new Promise((resolve) => setTimeout(resolve, 1));
    expect((await cancel('running')).status).toBe(200);
    expect(await idsOf('status=cancelled')).toEqual(['running']);
    expect(await idsOf('status=failed')).toEqual([]);
  });

  it('does not know other ids', async () => {
    for (const response of [await cancel('none'), await client.get('/jobs/none')])
      expect([response.status, await response.json()]).toEqual([404, { error: 'Job not found' }]);
  });
});
