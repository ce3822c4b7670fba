import { afterEach, beforeEach, expect, it } from 'vitest';
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

async function finished(id: string): Promise<void> {
  await expect
    .poll(async () => (await control.json('GET', `/executions/${id}`)).status)
    .toMatch(/success|error/);
}

/** Start -> Edit ({ x: 1 }) -> After */
function chain() {
  const workflow = manualWorkflow();
  const after = { ...workflow.nodes[1]!, name: 'After', parameters: { note: '={{ $json.x }}' } };
  return {
    ...workflow,
    nodes: [...workflow.nodes, after],
    connections: {
      ...workflow.connections,
      Edit: { main: [[{ node: 'After', type: 'main', index: 0 }]] },
    },
  };
}

const preview = async (body: object) => (await control.json('POST', '/expressions/preview', body)).data;

it('evaluates expressions with the data of an execution', async () => {
  const workflow = chain();
  const { id } = await control.json('POST', '/workflows', workflow);
  const { executionId } = await control.json('POST', `/workflows/${id}/run`, {});
  await finished(executionId);
  const values = {
    path: '={{ $json.x }}',
    text: '=x is {{ $json.x }}',
    typed: '={{ [$json.x + 1] }}',
    other: "={{ $('Edit').first().json.x }}",
    nothing: '={{ $json.none }}',
    broken: '={{ $json. }}',
    unknown: "={{ $('Nobody').item }}",
    plain: '{{ 1 }}',
  };
  expect(await preview({ workflow, node: 'After', values, executionId })).toEqual({
    path: { value: 1 },
    text: { value: 'x is 1' },
    typed: { value: [2] },
    other: { value: 1 },
    nothing: { value: null },
    broken: { error: expect.any(String) },
    unknown: expect.objectContaining({ error: "Referenced node doesn't exist" }),
    plain: { value: '{{ 1 }}' },
  });
});

it('uses pinned data if the node did not run', async () => {
  const workflow = { ...chain(), pinData: { Edit: [{ json: { x: 'pinned' } }] } };
  expect(await preview({ workflow, node: 'After', values: { a: '={{ $json.x }}' } })).toEqual({
    a: { value: 'pinned' },
  });
});

it('rejects unknown nodes and executions', async () => {
  const workflow = chain();
  for (const [body, message] of [
    [{ workflow, values: {} }, 'request/body/node must be string'],
    [{ workflow, node: 'None', values: {} }, 'The workflow has no node called "None"'],
    [{ workflow, node: 'Edit' }, 'request/body/values must be object'],
    [{ workflow, node: 'Edit', values: {}, itemIndex: -1 }, 'request/body/itemIndex must be integer >= 0'],
    [{ workflow: {}, node: 'Edit', values: {} }, 'This is not a workflow: the workflow has no list of nodes'],
  ] as const) {
    const response = await control.ask('POST', '/expressions/preview', { body });
    expect([response.status, await response.json()]).toEqual([400, { message }]);
  }
});

it('repeats an execution with its first items', async () => {
  const { id } = await control.json('POST', '/workflows', smallWorkflow());
  const workflow = (await control.engine.workflows.get(id))!;
  const output = [[{ json: { body: { n: 7 } } }]];
  const call = await control.engine.executions.start({ workflow, mode: 'webhook', node: 'Webhook', output });
  await call.done;
  const { executionId } = await control.json('POST', `/executions/${call.id}/replay`);
  await finished(executionId);
  const again = await control.json('GET', `/executions/${executionId}?includeData=true`);
  expect(again).toMatchObject({ mode: 'manual', status: 'success', workflowId: id });
  expect(again.data.resultData.runData.Webhook[0].data.main[0][0].json).toEqual({ body: { n: 7 } });

  await control.json('PUT', `/workflows/${id}`, manualWorkflow());
  const gone = await control.ask('POST', `/executions/${call.id}/replay`);
  expect([gone.status, await gone.json()]).toEqual([
    409,
    { message: 'The workflow no longer has the node "Webhook" that it started at' },
  ]);
});

it('lists the faults of a workflow by node', async () => {
  const { id } = await control.json('POST', '/workflows', manualWorkflow({ type: 'nobody.knows' }));
  const response = await control.ask('POST', `/workflows/${id}/activate`);
  expect(await response.json()).toMatchObject({
    issues: [{ node: 'Edit', issues: ['Unknown node type: nobody.knows'] }],
  });
});
