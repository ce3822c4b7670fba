import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  manualWorkflow,
  openControl,
  smallWorkflow,
  type TestControl,
} from '#test/support/webhooks/control.ts';
import { workflowStrings } from '../strings/workflows.ts';
import type { Execution } from './api-types.ts';
import { ListState } from './list-state.ts';
import { readImport } from './read-import.ts';
import { fromTemplate, templates } from './templates.ts';
import { WorkflowClient } from './workflow-client.ts';

let control: TestControl;
let state: ListState;
beforeEach(async () => {
  control = await openControl();
  const client = new WorkflowClient((path, init = {}) =>
    control.ask(init.method ?? 'GET', path.replace('/api/v1', ''), {
      ...(init.body != null && { body: String(init.body) }),
      headers: init.headers as Record<string, string>,
      context: { caller: 'page' },
    }),
  );
  state = new ListState(client);
});
afterEach(() => control.close());

const names = () => state.workflows?.map(({ name }) => name);
const only = () => state.workflows![0]!;

it.each(templates.map(({ key }) => key))('publishes the template %s unchanged', async (key) => {
  const id = await state.create(key);
  await state.load();
  await state.togglePublished(only());
  expect([state.failure, state.notes.get(id!), only().active]).toEqual([undefined, undefined, true]);
  await state.togglePublished(only());
  expect(only().active).toBe(false);
});

it('gives a second workflow from a template its own name and address', async () => {
  for (let n = 0; n < 2; n++) {
    await state.create('ask');
    await state.load();
  }
  for (const workflow of [...state.workflows!]) await state.togglePublished(workflow);
  expect(state.workflows!.map(({ active }) => active)).toEqual([true, true]);
  expect(names()!.sort()).toEqual(['Ask a model', 'Ask a model 2']);
  expect(fromTemplate('ask', state.workflows!).nodes[0]!.parameters.path).toBe('ask-3');
});

it('renames, duplicates, exports, imports and deletes', async () => {
  await state.import(JSON.stringify(smallWorkflow('a', 'One')));
  await state.rename(only(), 'Uno');
  expect(names()).toEqual(['Uno']);
  await state.duplicate(only());
  expect(names()!.sort()).toEqual(['Uno', 'Uno copy']);
  const [first, second] = state.workflows!;
  expect(first!.nodes.map(({ id }) => id)).not.toEqual(second!.nodes.map(({ id }) => id));
  const exported = await state.export(first!.id);
  await state.delete(first!.id);
  await state.import(exported!);
  expect(state.workflows).toHaveLength(2);
  expect(state.failure).toBeUndefined();
});

it('reports the node that prevents publishing', async () => {
  await state.import(JSON.stringify(manualWorkflow({ type: 'nobody.knows' })));
  await state.togglePublished(only());
  expect(state.notes.get(only().id)).toEqual({
    message: 'Fix these nodes before publishing:',
    problems: [{ node: 'Edit', issues: ['Unknown node type: nobody.knows'] }],
    warnings: [],
  });
  expect([only().active, state.failure]).toEqual([false, undefined]);
});

it('reports the workflow that already has the address', async () => {
  for (const name of ['First', 'Second']) await state.import(JSON.stringify(smallWorkflow('a', name)));
  for (const name of ['First', 'Second']) {
    await state.togglePublished(state.workflows!.find((workflow) => workflow.name === name)!);
  }
  const second = state.workflows!.find(({ name }) => name === 'Second')!;
  expect(state.notes.get(second.id)?.problems).toEqual([{ node: 'Webhook', issues: ['POST a: First'] }]);
});

it('updates the last run of each workflow live', async () => {
  await state.import(JSON.stringify(manualWorkflow()));
  const { id } = only();
  expect(state.lastRuns.get(id)).toBeUndefined();
  const run = await state.client.run(id);
  await expect.poll(async () => (await state.client.execution(run)).status).toBe('success');
  await state.load();
  expect(state.lastRuns.get(id)).toMatchObject({ id: run, status: 'success' });
  const reportRun = (number: string, status: Execution['status']) =>
    state.onEvent({
      type: 'executionStarted',
      data: { workflowId: id, execution: { ...state.lastRuns.get(id)!, id: number, status } },
    });
  reportRun('10', 'running');
  // An earlier run that ends later.
  reportRun('9', 'error');
  expect(state.lastRuns.get(id)).toMatchObject({ id: '10', status: 'running' });
});

it('keeps the message of the server until the next load', async () => {
  await state.delete('none');
  expect(state.failure).toBe('The workflow with the ID "none" does not exist');
  await state.load();
  expect(state.failure).toBeUndefined();
});

it.each([
  ['{', /^Not valid JSON: /],
  ['{"a":1}', workflowStrings.import.notWorkflow],
  ['null', workflowStrings.import.notWorkflow],
  ['[]', workflowStrings.import.notWorkflow],
  ['[{"nodes":[]}, 1]', workflowStrings.import.notWorkflow],
])('rejects a file with %s', (text, message) => {
  expect(() => readImport(text)).toThrow(message);
});
