import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  manualWorkflow,
  openControl,
  smallWorkflow,
  type TestControl,
} from '#test/support/webhooks/control.ts';

let control: TestControl;
beforeEach(async () => {
  control = await openControl();
});
afterEach(() => control.close());

/** The status and the message of an error. */
const errorOf = async (...call: Parameters<TestControl['ask']>) => {
  const response = await control.ask(...call);
  return [response.status, ((await response.json()) as { message: string }).message];
};

describe('workflows', () => {
  it('are created, listed, changed and deleted', async () => {
    const created = await control.json('POST', '/workflows', smallWorkflow());
    expect(created).toMatchObject({ name: 'Orders', active: false, activeVersion: null, staticData: null });
    expect(created.nodes[0].webhookId).toMatch(/^[0-9a-f-]{36}$/);
    const changed = await control.json('PUT', `/workflows/${created.id}`, smallWorkflow('orders', 'Renamed'));
    expect(changed).toMatchObject({ id: created.id, name: 'Renamed', createdAt: created.createdAt });
    expect(changed.versionId).not.toBe(created.versionId);
    expect(changed.nodes[0].webhookId).toBe(created.nodes[0].webhookId);
    expect((await control.json('GET', '/workflows')).data).toEqual([changed]);
    expect(await control.json('DELETE', `/workflows/${created.id}`)).toMatchObject({ id: created.id });
    expect(await errorOf('GET', `/workflows/${created.id}`)).toEqual([
      404,
      `The workflow with the ID "${created.id}" does not exist`,
    ]);
  });

  it.each([
    [{ ...smallWorkflow(), settings: undefined }, "request/body must have required property 'settings'"],
    [{ ...smallWorkflow(), active: true }, 'request/body/active is read-only'],
    [{ ...smallWorkflow(), id: 'x' }, 'request/body/id is read-only'],
    [{ ...smallWorkflow(), zzz: 1 }, 'request/body must NOT have additional properties: zzz'],
    [{ ...smallWorkflow(), name: '' }, 'request/body/name must be a string that is not empty'],
    [{ ...smallWorkflow(), nodes: {} }, 'This is not a workflow: the workflow has no list of nodes'],
    [{ ...smallWorkflow(), nodes: [{}] }, 'This is not a workflow: nodes[0] has no type'],
    ['{"name"', /^The body is not JSON: /],
    ['[]', 'request/body must be object'],
  ])('refuses the body of case %#', async (body, message) => {
    expect(await errorOf('POST', '/workflows', { body })).toEqual([
      400,
      typeof message === 'string' ? message : expect.stringMatching(message),
    ]);
  });

  it('refuses a body that is too large', async () => {
    const [status] = await errorOf('POST', '/workflows', { body: `"${'x'.repeat(17 * 1024 * 1024)}"` });
    expect(status).toBe(413);
  });

  it('are listed in pages', async () => {
    for (let n = 0; n < 5; n++) await control.json('POST', '/workflows', manualWorkflow({}, `W${n}`));
    const seen: string[] = [];
    let cursor: string | null = '';
    do {
      const query: string = cursor ? `&cursor=${encodeURIComponent(cursor)}` : '';
      const answer = await control.json('GET', `/workflows?limit=2${query}`);
      expect(answer.data.length).toBeLessThanOrEqual(2);
      seen.push(...answer.data.map((workflow: { name: string }) => workflow.name));
      cursor = answer.nextCursor;
    } while (cursor);
    expect(seen.sort()).toEqual(['W0', 'W1', 'W2', 'W3', 'W4']);
    expect(await errorOf('GET', '/workflows?limit=0')).toEqual([400, 'request/query/limit must be >= 1']);
    expect(await errorOf('GET', '/workflows?limit=251')).toEqual([400, 'request/query/limit must be <= 250']);
    expect(await errorOf('GET', '/workflows?cursor=zzz')).toEqual([400, 'An invalid cursor was provided']);
    expect((await control.json('GET', '/workflows?name=W3')).data).toHaveLength(1);
  });

  it('are published and unpublished', async () => {
    const { id, versionId } = await control.json('POST', '/workflows', smallWorkflow());
    const published = await control.json('POST', `/workflows/${id}/activate`);
    expect(published).toMatchObject({
      active: true,
      activeVersionId: versionId,
      activeVersion: { versionId, workflowId: id },
      triggerCount: 1,
      addresses: [{ node: 'Webhook', methods: ['POST'], url: 'http://localhost:5678/webhook/orders' }],
    });
    expect(control.publishing.live(id)?.name).toBe('Orders');
    expect((await control.json('GET', '/workflows?active=true')).data).toHaveLength(1);
    expect(await control.json('POST', `/workflows/${id}/deactivate`)).toMatchObject({ active: false });
    expect(control.publishing.live(id)).toBeUndefined();
    expect((await control.json('GET', '/workflows?active=true')).data).toEqual([]);
  });

  it('stay unchanged after a conflict of addresses, which the error describes', async () => {
    const first = await control.json('POST', '/workflows', smallWorkflow('a', 'First'));
    const second = await control.json('POST', '/workflows', smallWorkflow('b', 'Second'));
    for (const { id } of [first, second]) await control.json('POST', `/workflows/${id}/activate`);
    const response = await control.ask('PUT', `/workflows/${second.id}`, {
      body: smallWorkflow('a', 'Second'),
    });
    expect(response.status).toBe(409);
    const body = (await response.json()) as { code: number; message: string; hint: string };
    expect(body).toMatchObject({ code: 409, message: 'There is a conflict with one of the webhooks.' });
    expect(JSON.parse(body.hint)[0].conflict.workflowName).toBe('First');
    const stored = await control.json('GET', `/workflows/${second.id}`);
    expect([stored.nodes[0].parameters.path, stored.active]).toEqual(['b', true]);
  });

  it('are published in the new version when they change', async () => {
    const { id } = await control.json('POST', '/workflows', smallWorkflow('a'));
    await control.json('POST', `/workflows/${id}/activate`);
    const changed = await control.json('PUT', `/workflows/${id}`, smallWorkflow('b'));
    expect(changed).toMatchObject({ active: true, activeVersionId: changed.versionId });
    expect(control.publishing.addresses(control.publishing.live(id)!, 'production')[0]!.path).toBe(
      '/webhook/b',
    );
  });

  it('cannot be published with faults, and warn of braces without effect', async () => {
    const broken = await control.json('POST', '/workflows', manualWorkflow({ type: 'nobody.knows' }));
    const [status, message] = await errorOf('POST', `/workflows/${broken.id}/activate`);
    expect([status, message]).toEqual([400, expect.stringContaining('Unknown node type: nobody.knows')]);
    const plain = smallWorkflow();
    const [hook] = plain.nodes;
    const closed = { ...hook?.parameters, authentication: 'n8nOAuth2', httpMethod: 'TRACE' };
    const unreachable = await control.json('POST', '/workflows', {
      ...plain,
      nodes: [{ ...hook, parameters: closed }, plain.nodes[1]],
    });
    const [, why] = await errorOf('POST', `/workflows/${unreachable.id}/activate`);
    expect(why).toContain(
      'The authentication "n8nOAuth2" is not supported here: use Basic, Header or JWT Auth',
    );
    expect(why).toContain('The HTTP method "TRACE" is not supported');
    const parameters = { mode: 'raw', jsonOutput: '{"a": "{{ $json.x }}"}' };
    const { id } = await control.json('POST', '/workflows', {
      ...plain,
      nodes: [plain.nodes[0], { ...plain.nodes[1], parameters }],
    });
    const { warnings } = await control.json('POST', `/workflows/${id}/activate`);
    expect(warnings).toEqual([expect.stringContaining('Node "Edit": the value of "jsonOutput" holds {{ }}')]);
  });

  it('are imported from exports of other servers, and exported', async () => {
    const file = {
      ...smallWorkflow(),
      id: 'elsewhere',
      active: true,
      versionId: 'v',
      tags: [{ name: 't' }],
      meta: { instanceId: 'i' },
      shared: [],
      unknown: { kept: true },
    };
    const { data } = await control.json('POST', '/workflows/import', file);
    expect(data).toHaveLength(1);
    expect(data[0]).toMatchObject({ name: 'Orders', active: false, meta: { instanceId: 'i' } });
    expect(data[0].id).not.toBe('elsewhere');
    const exported = await control.json('GET', `/workflows/${data[0].id}/export`);
    expect(exported).toMatchObject({
      name: 'Orders',
      connections: file.connections,
      settings: file.settings,
    });
    const again = await control.json('POST', '/workflows/import', { workflows: [exported, file] });
    expect(again.data).toHaveLength(2);
    const bad = { workflows: [file, { nodes: [{}] }] };
    expect((await errorOf('POST', '/workflows/import', { body: bad }))[0]).toBe(400);
    expect((await control.json('GET', '/workflows')).data).toHaveLength(3);
  });

  it('report their addresses', async () => {
    const { id } = await control.json('POST', '/workflows', smallWorkflow());
    expect(await control.json('GET', `/workflows/${id}/addresses`)).toMatchObject({
      published: false,
      unreachable: expect.stringMatching(/^(nothing|something else) answers at http:\/\/localhost:5678/),
      production: [{ path: '/webhook/orders', reachable: false }],
      test: [{ path: '/webhook-test/orders', methods: ['POST'], reachable: false }],
    });
  });

  it('listen for one test call', async () => {
    const { id } = await control.json('POST', '/workflows', smallWorkflow());
    const { data } = await control.json('POST', `/workflows/${id}/listen`, {});
    expect(data).toMatchObject([{ url: 'http://localhost:5678/webhook-test/orders' }]);
    expect(control.listening.table.match('POST', 'orders')).toBeDefined();
    expect(await control.json('DELETE', `/workflows/${id}/listen`)).toEqual({ stopped: true });
    expect(control.listening.table.match('POST', 'orders')).toBeUndefined();
    const manual = await control.json('POST', '/workflows', manualWorkflow());
    expect((await errorOf('POST', `/workflows/${manual.id}/listen`))[0]).toBe(400);
  });
});

describe('executions', () => {
  async function finished(workflow: object): Promise<string> {
    const { id } = await control.json('POST', '/workflows', workflow);
    const { executionId } = await control.json('POST', `/workflows/${id}/run`, {});
    await expect
      .poll(async () => (await control.json('GET', `/executions/${executionId}`)).status)
      .not.toBe('running');
    return executionId;
  }

  it('are run by hand, listed, shown with their data and deleted', async () => {
    const id = await finished(manualWorkflow());
    const { data } = await control.json('GET', '/executions');
    expect(data).toMatchObject([{ id, finished: true, mode: 'manual', status: 'success', retryOf: null }]);
    expect(data[0].data).toBeUndefined();
    const full = await control.json('GET', `/executions/${id}?includeData=true`);
    expect(full.data.resultData.runData.Edit[0].data.main[0][0].json).toEqual({ x: 1 });
    expect(full.workflowData.nodes[1].parameters).toMatchObject({
      mode: 'manual',
      includeOtherFields: false,
    });
    expect(await control.json('DELETE', `/executions/${id}`)).toMatchObject({ id });
    expect((await errorOf('GET', `/executions/${id}`))[0]).toBe(404);
  });

  it('can be retried after a failure, with the current workflow on request', async () => {
    const failing = manualWorkflow({
      type: 'n8n-nodes-base.stopAndError',
      typeVersion: 1,
      parameters: { errorMessage: 'no' },
    });
    const id = await finished(failing);
    const { workflowId } = await control.json('GET', `/executions/${id}`);
    await control.json('PUT', `/workflows/${workflowId}`, manualWorkflow());
    const again = await control.json('POST', `/executions/${id}/retry`, { loadWorkflow: true });
    expect(again).toMatchObject({ retryOf: id, mode: 'retry' });
    await expect
      .poll(async () => (await control.json('GET', `/executions/${id}`)).retrySuccessId)
      .toBe(again.id);
    expect((await errorOf('POST', `/executions/${again.id}/retry`))[0]).toBe(409);
  });

  it('can be stopped', async () => {
    const endless = manualWorkflow({
      type: 'n8n-nodes-base.code',
      typeVersion: 2,
      parameters: { jsCode: 'await new Promise(() => setTimeout(() => {}, 60000)); return []' },
    });
    const { id: workflow } = await control.json('POST', '/workflows', endless);
    const { executionId } = await control.json('POST', `/workflows/${workflow}/run`, {});
    expect(await control.json('POST', `/executions/${executionId}/stop`)).toMatchObject({
      status: 'canceled',
    });
    await expect
      .poll(async () => (await control.json('GET', `/executions?status=canceled`)).data.length)
      .toBe(1);
    expect((await errorOf('POST', `/executions/${executionId}/stop`))[0]).toBe(409);
  });

  it('are filtered and paged, newest first', async () => {
    const { id } = await control.json('POST', '/workflows', manualWorkflow());
    for (let n = 0; n < 3; n++) await control.json('POST', `/workflows/${id}/run`, {});
    const all = (await control.json('GET', `/executions?workflowId=${id}`)).data;
    expect(all.map(({ id }: { id: string }) => Number(id))).toEqual([3, 2, 1]);
    const first = await control.json('GET', '/executions?limit=2');
    const rest = await control.json('GET', `/executions?limit=2&cursor=${first.nextCursor}`);
    expect([first.data.length, rest.data.length, rest.nextCursor]).toEqual([2, 1, null]);
    expect((await control.json('GET', '/executions?workflowId=none')).data).toEqual([]);
    expect((await errorOf('GET', '/executions?status=odd'))[0]).toBe(400);
  });

  it('are deleted with their workflow', async () => {
    const id = await finished(manualWorkflow());
    const { workflowId } = await control.json('GET', `/executions/${id}`);
    await control.json('DELETE', `/workflows/${workflowId}`);
    expect((await control.json('GET', '/executions')).data).toEqual([]);
  });

  it('need a node to start at', async () => {
    const { id } = await control.json('POST', '/workflows', smallWorkflow());
    expect(await errorOf('POST', `/workflows/${id}/run`, { body: {} })).toEqual([
      400,
      expect.stringContaining('listen for a test call'),
    ]);
    expect((await errorOf('POST', `/workflows/${id}/run`, { body: { node: 'None' } }))[0]).toBe(400);
    expect((await errorOf('POST', `/workflows/${id}/run`, { body: { node: 3 } }))[0]).toBe(400);
  });
});

describe('credentials', () => {
  it('are created, changed and deleted, and never shown', async () => {
    const credential = { name: 'c', type: 'httpHeaderAuth', data: { name: 'X', value: 'hush-hush' } };
    const created = await control.json('POST', '/credentials', credential);
    expect(created).toMatchObject({ name: 'c', type: 'httpHeaderAuth', isManaged: false });
    const changed = await control.json('PATCH', `/credentials/${created.id}`, {
      data: { value: 'hush-2' },
      isPartialData: true,
    });
    const listed = await control.json('GET', '/credentials');
    expect(JSON.stringify([created, changed, listed])).not.toMatch(/hush/);
    expect(await control.credentials.data('httpHeaderAuth', { id: created.id, name: '' })).toEqual({
      name: 'X',
      value: 'hush-2',
    });
    await control.json('DELETE', `/credentials/${created.id}`);
    expect((await errorOf('DELETE', `/credentials/${created.id}`))[0]).toBe(404);
  });

  it('have schemas', async () => {
    expect(await control.json('GET', '/credentials/schema/jwtAuth')).toMatchObject({
      additionalProperties: false,
      properties: { secret: { type: 'string' } },
    });
    expect(await errorOf('GET', '/credentials/schema/none')).toEqual([404, 'Not Found']);
    expect((await control.json('GET', '/credential-types')).data[0].fields.length).toBeGreaterThan(0);
  });

  it.each([
    [{ name: 'c', type: 'httpBasicAuth' }, "request/body must have required property 'data'"],
    [{ name: 'c', type: 'zzz', data: {} }, 'req.body.type is not a known type'],
    [{ name: 1, type: 'httpBasicAuth', data: {} }, 'request/body/name must be a string that is not empty'],
    [{ name: 'c', type: 'httpBasicAuth', data: [] }, 'request/body/data must be object'],
  ])('are refused: %j', async (body, message) => {
    expect(await errorOf('POST', '/credentials', { body })).toEqual([400, message]);
  });
});

describe('node types', () => {
  it('are listed with their parameters', async () => {
    const { data } = await control.json('GET', '/node-types');
    const limit = data.find(({ name }: { name: string }) => name === 'n8n-nodes-base.limit');
    expect(limit).toMatchObject({ label: 'Limit', group: 'data', versions: [1], inputs: 1, dynamic: false });
    expect(limit.parameters[0]).toMatchObject({ name: 'maxItems', type: 'number', default: 1 });
  });

  it('have ports that depend on the settings of a node', async () => {
    const merge = {
      name: 'M',
      type: 'n8n-nodes-base.merge',
      typeVersion: 3.2,
      parameters: { numberInputs: 4 },
    };
    const odd = { name: 'O', type: 'odd' };
    const { data } = await control.json('POST', '/node-types/ports', { nodes: [merge, odd] });
    expect(data).toMatchObject({ M: { inputs: 4 }, O: null });
  });
});
