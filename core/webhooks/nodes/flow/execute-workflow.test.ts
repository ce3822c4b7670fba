import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '#core/workflow-format';
import { runWebhookNode } from '#test/support/webhooks/run-node.ts';
import { codeNode, setFields, workflowOf } from '#test/support/webhooks/workflow-builder.ts';
import { openEngine } from '#test/support/webhooks/workflow-case.ts';
import type { Engine } from '../../engine/engine.ts';
import { findIssues } from '../../registrations/publish-check.ts';
import { nodeType } from '../index.ts';

let engine: Engine;
beforeAll(async () => {
  const answer = () => Response.json(workflowOf({ T: { type: 'executeWorkflowTrigger' } }, []));
  ({ engine } = await openEngine({ fetch: answer }));
});
afterAll(() => engine.close());

/** Stores a workflow that can be called. It adds `ten`, the item's `n` times ten. */
async function callee(
  id: string,
  trigger: JsonObject = { inputSource: 'passthrough' },
  settings: Record<string, unknown> = {},
) {
  const nodes = {
    Called: { type: 'executeWorkflowTrigger', typeVersion: 1.1, parameters: trigger },
    Ten: setFields({ ten: '={{ $json.n * 10 }}' }),
  };
  await engine.workflows.put({ ...workflowOf(nodes, ['Called -> Ten']), id, name: id, settings });
}

const call = (id: string, parameters: JsonObject = {}, more: object = {}) => ({
  type: 'executeWorkflow',
  typeVersion: 1.2,
  parameters: { workflowId: { __rl: true, mode: 'list', value: id }, ...parameters },
  ...more,
});

describe('Execute Sub-workflow', () => {
  it('passes all items at once and outputs the result', async () => {
    await callee('all');
    const { outputs, items } = await runWebhookNode(engine, call('all'), [{ n: 1 }, { n: 2 }]);
    expect(outputs).toEqual([
      [
        { n: 1, ten: '10' },
        { n: 2, ten: '20' },
      ],
    ]);
    expect(items[0]!.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 1 }]);
    const [run] = await engine.executions.list({ workflowId: 'all' });
    expect(run).toMatchObject({ mode: 'integrated', status: 'success' });
  });

  it('calls once for each item, also after one has failed', async () => {
    const nodes = {
      Called: { type: 'executeWorkflowTrigger', typeVersion: 1 },
      Code: codeNode("if (items[0].json.n === 2) throw new Error('two'); return [...items, ...items]"),
    };
    await engine.workflows.put({ ...workflowOf(nodes, ['Called -> Code']), id: 'each' });
    const node = call('each', { mode: 'each' }, { onError: 'continueRegularOutput' });
    const { outputs, items } = await runWebhookNode(engine, node, [{ n: 1 }, { n: 2 }, { n: 3 }]);
    expect(outputs[0]).toEqual([{ n: 1 }, { n: 1 }, { error: 'two [line 1]' }, { n: 3 }, { n: 3 }]);
    expect(items[0]!.map(({ pairedItem }) => (pairedItem as { item: number }).item)).toEqual([0, 0, 1, 2, 2]);
    const stopping = await runWebhookNode(engine, call('each', { mode: 'each' }), [{ n: 2 }]);
    expect(stopping.error).toMatchObject({ message: 'two [line 1]' });
  });

  it('passes the fields that the called workflow defines', async () => {
    const fields = { values: [{ name: 'n', type: 'number' }, { name: 'missing' }] };
    await callee('fields', { inputSource: 'workflowInputs', workflowInputs: fields });
    expect((await runWebhookNode(engine, call('fields'), [{ n: 1, more: 2 }])).outputs).toEqual([
      [{ n: 1, missing: null, ten: '10' }],
    ]);
    const workflowInputs = { mappingMode: 'defineBelow', value: { n: '={{ $json.more }}' } };
    expect(
      (await runWebhookNode(engine, call('fields', { workflowInputs }), [{ n: 1, more: 2 }])).outputs,
    ).toEqual([[{ n: 2, missing: null, ten: '20' }]]);
    await callee('example', { inputSource: 'jsonExample', jsonExample: '{"n": 1}' });
    expect((await runWebhookNode(engine, call('example'), [{ n: 1, more: 2 }])).outputs).toEqual([
      [{ n: 1, ten: '10' }],
    ]);
  });

  it('does not wait for the called workflow if the option says so', async () => {
    const nodes = {
      Called: { type: 'executeWorkflowTrigger' },
      Slow: codeNode('await new Promise((done) => setTimeout(done, 300)); return items'),
    };
    await engine.workflows.put({ ...workflowOf(nodes, ['Called -> Slow']), id: 'slow' });
    const node = call('slow', { options: { waitForSubWorkflow: false } });
    expect((await runWebhookNode(engine, node, [{ n: 1 }])).outputs).toEqual([[{ n: 1 }]]);
    const status = async () => (await engine.executions.list({ workflowId: 'slow' }))[0]?.status;
    expect(await status()).toBe('running');
    await expect.poll(status, { timeout: 5000 }).toBe('success');
  });

  it('fetches a workflow from an address', async () => {
    const node = {
      type: 'executeWorkflow',
      parameters: { source: 'url', workflowUrl: 'https://example.org/w.json' },
    };
    expect((await runWebhookNode(engine, node, [{ n: 1 }])).outputs).toEqual([[{ n: 1 }]]);
  });

  it('explains why a workflow cannot be called', async () => {
    const failure = async (node: object) =>
      (await runWebhookNode(engine, node as never, [{}])).error?.message;
    expect(await failure(call('nowhere'))).toBe('The workflow with the ID "nowhere" does not exist');
    expect(await failure(call(''))).toBe('No workflow is chosen');
    await callee('shy', {}, { callerPolicy: 'none' });
    expect(await failure(call('shy'))).toBe('The workflow "shy" (shy) does not let this workflow call it');
    await callee('picky', {}, { callerPolicy: 'workflowsFromAList', callerIds: 'other, w1' });
    expect(await failure(call('picky'))).toBeUndefined();
    const invalid = { type: 'executeWorkflow', parameters: { source: 'parameter', workflowJson: '{' } };
    expect(await failure(invalid)).toBe('The workflow JSON of the node is not valid JSON');
    const file = { type: 'executeWorkflow', parameters: { source: 'localFile' } };
    expect(await failure(file)).toBe('Workflows cannot be called from the source "localFile"');
    await engine.workflows.put({ ...workflowOf({ A: { type: 'noOp' } }, []), id: 'none', name: 'None' });
    expect(await failure(call('none'))).toBe('Missing node to start execution');
    const issues = await findIssues(workflowOf({ Call: call('') }, []), { nodeType });
    expect(issues).toEqual([{ node: 'Call', issues: ['Missing or invalid required parameter: Workflow'] }]);
  });

  it('is cancelled with the execution that called it', async () => {
    const nodes = {
      Called: { type: 'executeWorkflowTrigger' },
      Slow: codeNode('await new Promise((done) => setTimeout(done, 30_000)); return items'),
    };
    await engine.workflows.put({ ...workflowOf(nodes, ['Called -> Slow']), id: 'endless' });
    const controller = new AbortController();
    const run = runWebhookNode(engine, call('endless'), [{}], { signal: controller.signal });
    const status = async () => (await engine.executions.list({ workflowId: 'endless' }))[0]?.status;
    await expect.poll(status).toBe('running');
    controller.abort();
    expect((await run).status).toBe('canceled');
    await expect.poll(status).toBe('canceled');
  });
});
