import { afterEach, describe, expect, it } from 'vitest';
import { openWebhookServer, type TestWebhooks, webhookNode } from '#test/support/webhooks/webhook-server.ts';
import { setFields, workflowOf } from '#test/support/webhooks/workflow-builder.ts';

let open: TestWebhooks | undefined;
afterEach(async () => {
  await open?.close();
  open = undefined;
});
const start = async (options: Parameters<typeof openWebhookServer>[0] = {}) => {
  open = await openWebhookServer(options);
  return open;
};

/** Responds with `{ v: value }` at its path. */
const valueWorkflow = (value: unknown, path = 'orders', id = 'w1', name = 'Orders') =>
  workflowOf(
    { Webhook: { ...webhookNode(path), id: `node-${id}` }, Say: setFields({ v: value }, false) },
    ['Webhook -> Say'],
    { id, name },
  );

describe('publishing', () => {
  it('registers the address before it returns, and unpublishing removes it', async () => {
    const { publish, publishing, exchange, engine } = await start();
    expect((await exchange('POST', '/webhook/orders'))[0]).toBe(404);
    const published = await publish(valueWorkflow('1'));
    expect(published.active).toBe(true);
    expect(await exchange('POST', '/webhook/orders')).toEqual([200, { v: '1' }]);
    expect((await engine.workflows.get('w1'))!.active).toBe(true);
    expect(await publishing.unpublish('w1')).toBe(true);
    expect((await exchange('POST', '/webhook/orders'))[0]).toBe(404);
    expect((await engine.workflows.get('w1'))!.active).toBe(false);
    expect(await publishing.unpublish('w1')).toBe(false);
  });

  it('keeps the published version while the stored workflow changes', async () => {
    const { publish, publishing, engine, exchange } = await start();
    await publish(valueWorkflow('1'));
    await engine.workflows.put({ ...valueWorkflow('2', 'other'), active: true });
    expect(await exchange('POST', '/webhook/orders')).toEqual([200, { v: '1' }]);
    expect((await exchange('POST', '/webhook/other'))[0]).toBe(404);
    await publishing.publish('w1');
    expect((await exchange('POST', '/webhook/orders'))[0]).toBe(404);
    expect(await exchange('POST', '/webhook/other')).toEqual([200, { v: '2' }]);
  });

  it('rejects an address of another workflow, and names that workflow', async () => {
    const { publish, publishing, exchange, engine } = await start();
    await publish(valueWorkflow('1'));
    const error = await publish(valueWorkflow('2', '/orders/', 'w2', 'Copy')).catch((reason) => reason);
    expect(error).toMatchObject({ status: 409, message: 'There is a conflict with one of the webhooks.' });
    const [conflict] = JSON.parse(error.hint);
    expect(conflict.conflict).toEqual({
      workflowId: 'w1',
      workflowName: 'Orders',
      webhookPath: 'orders',
      method: 'POST',
      node: 'Webhook',
    });
    expect(conflict.trigger).toMatchObject({ id: 'node-w2', parameters: { authentication: 'none' } });
    expect((await engine.workflows.get('w2'))!.active).toBe(false);
    expect(await exchange('POST', '/webhook/orders')).toEqual([200, { v: '1' }]);
    await publishing.unpublish('w1');
    await publishing.publish('w2');
    expect(await exchange('POST', '/webhook/orders')).toEqual([200, { v: '2' }]);
  });

  it('gives an address to one of two simultaneous workflows', async () => {
    const { publishing, engine } = await start();
    for (const id of ['w1', 'w2'])
      await engine.workflows.put({ ...valueWorkflow(id, 'same', id), active: false });
    const settled = await Promise.allSettled(['w1', 'w2'].map((id) => publishing.publish(id)));
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
  });

  it.each([
    ['w9', {}, 404, 'The workflow with the ID "w9" does not exist'],
    [
      'w1',
      { Webhook: webhookNode('a', { authentication: 'jwtAuth' }) },
      400,
      'Cannot publish workflow: 1 node have configuration issues:\n\nNode "Webhook":\n  - Missing required credential: jwtAuth',
    ],
    [
      'w1',
      { Set: setFields({}) },
      400,
      'Cannot publish workflow: it has no trigger node that could start it',
    ],
    [
      'w1',
      { Webhook: { ...webhookNode('a'), disabled: true } },
      400,
      'Cannot publish workflow: it has no trigger node that could start it',
    ],
  ])('refuses %s of %j', async (id, nodes, status, message) => {
    const { publishing, engine } = await start();
    await engine.workflows.put(workflowOf(nodes as never, [], { id: 'w1' }));
    await expect(publishing.publish(id)).rejects.toMatchObject({ status, message });
  });

  it('restores the published version with its static data after a restart', async () => {
    const counting = workflowOf(
      {
        Webhook: webhookNode('count'),
        Count: {
          type: 'code',
          typeVersion: 2,
          parameters: {
            jsCode:
              "const data = $getWorkflowStaticData('global'); data.n = (data.n ?? 0) + 1; return { n: data.n };",
          },
        },
      },
      ['Webhook -> Count'],
      { id: 'w1' },
    );
    const first = await start();
    await first.publish(counting);
    expect(await first.exchange('POST', '/webhook/count')).toEqual([200, { n: 1 }]);
    await first.engine.workflows.put({ ...(await first.engine.workflows.get('w1'))!, nodes: [] });
    const { records } = first.host;
    await first.close();
    const { exchange, publishing } = await start({ records });
    expect(await exchange('POST', '/webhook/count')).toEqual([200, { n: 2 }]);
    expect(publishing.list().map(({ id }) => id)).toEqual(['w1']);
  });
});

describe('shown addresses', () => {
  const dynamic = workflowOf({ Webhook: { ...webhookNode('o/:id'), webhookId: 'wid' } }, []);

  it.each([
    [{}, undefined, 'http://localhost:5678'],
    [{}, 'http://localhost:5680', 'http://localhost:5680'],
    [{ WEBHOOK_URL: 'https://hooks.example.com/' }, 'http://localhost:5680', 'https://hooks.example.com'],
    [{ N8N_WEBHOOK_URL: 'https://old.example.com' }, undefined, 'https://old.example.com'],
    [
      { N8N_HOST: 'box', N8N_PROTOCOL: 'https', N8N_PATH: 'in' },
      'http://localhost:5680',
      'https://box:5680/in',
    ],
  ])('settings %j, port %s: %s', async (settings, address, expected) => {
    const { webhookServer, publishing, engine } = await start({ settings, started: false });
    await webhookServer.start(address);
    expect(publishing.addresses(dynamic, 'production')).toEqual([
      {
        node: 'Webhook',
        methods: ['POST'],
        url: `${expected}/webhook/wid/o/:id`,
        path: '/webhook/wid/o/:id',
      },
    ]);
    expect(publishing.addresses(dynamic, 'test')[0]!.url).toBe(`${expected}/webhook-test/wid/o/:id`);
    expect(engine.resumeUrl('7')).toMatch(
      new RegExp(`^${expected.replaceAll('.', '\\.')}/webhook-waiting/7\\?signature=[0-9a-f]{64}$`),
    );
  });
});

describe('prefixes of paths from settings', () => {
  const settings = {
    N8N_ENDPOINT_WEBHOOK: 'hooks/in',
    N8N_ENDPOINT_WEBHOOK_TEST: 'try',
    N8N_ENDPOINT_WEBHOOK_WAIT: 'go-on',
  };
  const waiting = workflowOf(
    {
      Webhook: webhookNode('orders', { responseMode: 'responseNode' }),
      Respond: {
        type: 'respondToWebhook',
        typeVersion: 1.5,
        parameters: {
          respondWith: 'json',
          responseBody: '={{ [$json.webhookUrl, $execution.resumeUrl] }}',
        },
      },
      Wait: { type: 'wait', typeVersion: 1.1, parameters: { resume: 'webhook', httpMethod: 'POST' } },
    },
    ['Webhook -> Respond', 'Respond -> Wait'],
  );

  it('replace the usual ones on the port', async () => {
    const { publish, exchange, listening, engine } = await start({ settings });
    const workflow = await publish(waiting);
    expect((await exchange('POST', '/webhook/orders'))[0]).toBe(404);
    const [status, [url, resume]] = (await exchange('POST', '/Hooks/In/orders')) as [
      number,
      [string, string],
    ];
    expect([status, url]).toEqual([200, 'http://localhost:5678/hooks/in/orders']);
    await engine.executions.settle(AbortSignal.timeout(5000));
    const { pathname, search } = new URL(resume);
    expect(pathname).toBe('/go-on/1');
    expect((await exchange('POST', `/webhook-waiting/1${search}`))[0]).toBe(404);
    expect((await exchange('POST', pathname + search))[0]).toBe(200);
    const [test] = await listening.listen(workflow);
    expect(test).toMatchObject({ url: 'http://localhost:5678/try/orders', path: '/try/orders' });
    expect((await exchange('POST', '/webhook-test/orders'))[0]).toBe(404);
    expect((await exchange('POST', '/try/orders'))[0]).toBe(200);
  });

  it('do not apply to a page', async () => {
    const { publish, publishing, exchange } = await start({ settings, platform: 'tab' });
    await publish(waiting);
    expect(publishing.addresses(waiting, 'production')[0]!.path).toBe('/webhook/orders');
    expect((await exchange('POST', '/webhook/orders'))[0]).toBe(200);
  });

  it('are refused with a log message if they are not possible', async () => {
    const { host, exchange } = await start({ settings: { N8N_ENDPOINT_WEBHOOK: 'api' } });
    expect((await exchange('GET', '/webhook/x'))[0]).toBe(404);
    expect(host.logged.map(({ message }) => message)).toContain(
      "N8N_ENDPOINT_WEBHOOK: 'api' cannot be the beginning of a path here, 'webhook' is used",
    );
  });
});
