/** Many calls at once, and clients that disconnect. */
import { afterEach, describe, expect, it } from 'vitest';
import { openWebhookServer, type TestWebhooks, webhookNode } from '#test/support/webhooks/webhook-server.ts';
import { setFields, workflowOf } from '#test/support/webhooks/workflow-builder.ts';
import { NodeError } from '../node-api/node-error.ts';

let server: TestWebhooks;
afterEach(() => server.close());

const delayedWorkflow = (seconds: number, parameters: Record<string, unknown> = {}) =>
  workflowOf(
    {
      Webhook: webhookNode('slow', parameters),
      Wait: { type: 'wait', typeVersion: 1.1, parameters: { amount: seconds } },
      End: setFields({ end: 1 }, false),
    },
    ['Webhook -> Wait', 'Wait -> End'],
  );
const settle = () => server.engine.executions.settle(AbortSignal.timeout(20_000));

describe('many calls at once', () => {
  it('wait in the queue; calls that exceed it get 503 with Retry-After', async () => {
    server = await openWebhookServer({
      settings: { N8N_CONCURRENCY_PRODUCTION_LIMIT: '3', TABD_WEBHOOK_QUEUE: '40' },
    });
    await server.publish(
      workflowOf({ Webhook: webhookNode('go'), Say: setFields({ n: '={{ $json.body.n }}' }, false) }, [
        'Webhook -> Say',
      ]),
    );
    const answers = await Promise.all(
      Array.from({ length: 100 }, async (_, n) => {
        const response = await server.call('POST', '/webhook/go', { json: { n } });
        const body = (await response.json()) as { n?: string; message?: string };
        return { n, status: response.status, body, retry: response.headers.get('retry-after') };
      }),
    );
    const served = answers.filter(({ status }) => status === 200);
    expect(served).toHaveLength(43);
    for (const { n, body } of served) expect(body).toEqual({ n: String(n) });
    for (const { status, body, retry } of answers.filter((answer) => !served.includes(answer))) {
      expect([status, retry]).toEqual([503, '1']);
      expect(body.message).toMatch('There are too many calls waiting for their turn');
    }
    expect(await server.engine.executions.list()).toHaveLength(43);
    expect(await server.exchange('POST', '/webhook/go', { json: { n: 'later' } })).toEqual([
      200,
      { n: 'later' },
    ]);
  });

  it('get distinct ids, and none is lost', async () => {
    server = await openWebhookServer();
    await server.publish(workflowOf({ Webhook: webhookNode('go', { responseMode: 'onReceived' }) }, []));
    const answers = await Promise.all(
      Array.from({ length: 500 }, () => server.exchange('POST', '/webhook/go')),
    );
    expect(new Set(answers.map(([status]) => status))).toEqual(new Set([200]));
    await settle();
    const runs = await server.engine.executions.list({ limit: 1000 });
    expect(new Set(runs.map(({ id }) => id)).size).toBe(500);
    expect(new Set(runs.map(({ status }) => status))).toEqual(new Set(['success']));
  });
});

describe('a client that disconnects', () => {
  it('while it sends its body starts no execution and leaves no files', async () => {
    server = await openWebhookServer();
    await server.publish(workflowOf({ Webhook: webhookNode('file', { responseMode: 'onReceived' }) }, []));
    const controller = new AbortController();
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(new Uint8Array(200_000));
      },
    });
    const headers = { 'content-type': 'application/octet-stream' };
    const answer = server.call('POST', '/webhook/file', {
      headers,
      body,
      duplex: 'half',
      signal: controller.signal,
    } as RequestInit);
    await new Promise((resolve) => setTimeout(resolve, 20));
    controller.abort(new DOMException('the client disconnected', 'AbortError'));
    await answer;
    expect(await server.engine.executions.list()).toEqual([]);
    expect(await server.host.records.collection('executionFiles').list()).toEqual([]);
    expect(server.host.logged.filter(({ level }) => level === 'error')).toEqual([]);
  });

  it('while the workflow runs does not stop the execution', async () => {
    server = await openWebhookServer();
    await server.publish(delayedWorkflow(0.1));
    const controller = new AbortController();
    const answer = server.call('POST', '/webhook/slow', { signal: controller.signal });
    await expect.poll(async () => (await server.engine.executions.list()).length).toBe(1);
    controller.abort(new DOMException('the client disconnected', 'AbortError'));
    await answer;
    await expect.poll(async () => (await server.engine.executions.list())[0]!.status).toBe('success');
  });

  it('while it reads a stream does not stop the nodes', async () => {
    server = await openWebhookServer();
    await server.publish(
      workflowOf(
        {
          Webhook: webhookNode('lines', { responseMode: 'streaming' }),
          Wait: { type: 'wait', typeVersion: 1.1, parameters: { amount: 0.05 } },
          Respond: {
            type: 'respondToWebhook',
            typeVersion: 1.5,
            parameters: { respondWith: 'text', responseBody: 'x' },
          },
          End: setFields({ end: 1 }),
        },
        ['Webhook -> Wait', 'Wait -> Respond', 'Respond -> End'],
      ),
    );
    const response = await server.call('POST', '/webhook/lines');
    await response.body!.cancel();
    await expect.poll(async () => (await server.engine.executions.list())[0]!.status).toBe('success');
  });
});

it('a server that closes ends running executions and rejects new calls', async () => {
  server = await openWebhookServer();
  await server.publish(delayedWorkflow(30));
  const answer = server.exchange('POST', '/webhook/slow');
  await expect.poll(async () => (await server.engine.executions.list())[0]?.status).toBe('waiting');
  await server.close();
  // The execution itself still waits: the next server resumes it.
  expect(await answer).toEqual([500, { message: 'Error in workflow' }]);
  expect(await server.exchange('POST', '/webhook/slow')).toMatchObject([
    503,
    { message: 'The server is closing' },
  ]);
  expect((await server.engine.executions.list())[0]).toMatchObject({ status: 'waiting' });
});

it('a failure to open the records is repeated by the next call', async () => {
  server = await openWebhookServer({ started: false });
  const { host } = server;
  let fails = 2;
  const { WebhookServer } = await import('../webhook-server.ts');
  const broken = new WebhookServer(
    {
      ...host,
      records: {
        collection(name: string) {
          if (fails-- > 0) throw new NodeError('the disk is away');
          return host.records.collection(name) as never;
        },
        write: (changes) => host.records.write(changes),
      },
    },
    { fetch: async () => new Response() },
  );
  await expect(broken.open()).rejects.toThrow('the disk is away');
  await expect(broken.open()).rejects.toThrow('the disk is away');
  expect(await broken.open()).toBeDefined();
  await broken.close();
});
