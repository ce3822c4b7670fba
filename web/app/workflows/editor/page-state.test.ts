import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  manualWorkflow,
  openControl,
  smallWorkflow,
  type TestControl,
} from '#test/support/webhooks/control.ts';
import { followEvents } from '../live-events.ts';
import { stepsOf } from '../runs/run-state.ts';
import { WorkflowClient } from '../workflow-client.ts';
import { updateNode } from './draft.ts';
import { PageState } from './page-state.ts';

let control: TestControl;
let state: PageState;
let client: WorkflowClient;
const connections: AbortController[] = [];
beforeEach(async () => {
  control = await openControl();
  client = new WorkflowClient((path, init = {}) =>
    control.ask(init.method ?? 'GET', path.replace('/api/v1', ''), {
      ...(init.body != null && { body: String(init.body) }),
      headers: init.headers as Record<string, string>,
      context: { caller: 'page' },
      ...(init.signal && { signal: init.signal }),
    }),
  );
});
afterEach(async () => {
  for (const controller of connections.splice(0)) controller.abort();
  state?.close();
  await control.close();
});

/** Opens the page of a workflow with its event stream. */
async function open(workflow: object): Promise<void> {
  const { id } = await control.json('POST', '/workflows', workflow);
  state = new PageState(client, id);
  await state.load();
  const leaving = new AbortController();
  connections.push(leaving);
  await new Promise<void>((resolve) => {
    void followEvents(
      client,
      { onOpen: resolve, onEvent: (event) => state.onEvent(event), onLost: () => {} },
      leaving.signal,
    );
  });
}

const setPath = (path: string, what?: string) =>
  state.change(
    (draft) => updateNode(draft, 'Webhook', { parameters: { ...draft.nodes[0]!.parameters, path } }),
    what,
  );
const path = () => state.draft!.nodes[0]!.parameters.path;

it('changes, undoes and saves; a published workflow answers with the saved version', async () => {
  await open(smallWorkflow('a'));
  expect([state.dirty, state.selected, path()]).toEqual([false, 'Webhook', 'a']);
  setPath('b', 'path');
  setPath('bc', 'path');
  expect([state.dirty, path()]).toEqual([true, 'bc']);
  state.undo();
  expect([state.dirty, path()]).toEqual([false, 'a']);
  state.redo();
  await state.publish();
  expect([state.dirty, state.stored!.active, state.test.addresses!.published]).toEqual([false, true, true]);
  expect(control.publishing.live(state.id)!.nodes[0]!.parameters.path).toBe('bc');
  setPath('d');
  expect(await state.save()).toBe(true);
  expect(state.test.addresses!.production[0]!.path).toBe('/webhook/d');
  await state.unpublish();
  expect([state.stored!.active, state.failure]).toEqual([false, undefined]);
});

it('reports at the node why publishing failed, and keeps the unsaved changes', async () => {
  const taken = await control.json('POST', '/workflows', smallWorkflow('taken', 'First'));
  await control.json('POST', `/workflows/${taken.id}/activate`);
  await open(smallWorkflow('mine', 'Second'));
  await state.publish();
  setPath('taken');
  expect(await state.save()).toBe(false);
  expect(state.note?.problems).toEqual([{ node: 'Webhook', issues: ['POST taken: First'] }]);
  expect([state.dirty, path()]).toEqual([true, 'taken']);
});

it('loads changes of other clients unless there are unsaved ones', async () => {
  await open(smallWorkflow('a'));
  await control.json('PUT', `/workflows/${state.id}`, smallWorkflow('b'));
  await expect.poll(path).toBe('b');
  setPath('mine');
  await control.json('PUT', `/workflows/${state.id}`, smallWorkflow('c'));
  await expect.poll(() => state.changedElsewhere).toBe(true);
  expect(path()).toBe('mine');
  state.loadStored();
  expect([path(), state.dirty, state.changedElsewhere]).toEqual(['c', false, false]);
  state.undo();
  expect(path()).toBe('mine');
});

it('shows runs live, and evaluates expressions with their data', async () => {
  const after = { parameters: { fields: '={{ $json }}', ...manualWorkflow().nodes[1]!.parameters } };
  await open(manualWorkflow(after));
  state.select('Edit');
  await state.run();
  await expect.poll(() => state.runs.list?.[0]?.status).toBe('success');
  await expect.poll(() => state.lastRun?.id).toBe('1');
  expect(stepsOf(state.lastRun).map(({ node }) => node)).toEqual(['Start', 'Edit']);
  await expect.poll(() => state.previews.get(['fields'])).toEqual({ value: {} });
  await state.runs.delete('1');
  expect(state.runs.list).toEqual([]);
});

it('listens for one call, and reports its arrival or the end of listening', async () => {
  await open(smallWorkflow());
  setPath('fresh');
  await state.listen();
  // Listening saves the workflow first.
  expect([state.dirty, state.test.phase]).toEqual([false, 'listening']);
  const match = control.listening.table.match('POST', 'fresh')!;
  control.listening.claim(match.registration)!.started('7');
  await expect.poll(() => [state.test.phase, state.test.runId]).toEqual(['received', '7']);
  await state.listen();
  control.listening.stop(state.id);
  await expect.poll(() => state.test.phase).toBe('ended');
});

it('notices a missing workflow', async () => {
  state = new PageState(client, 'none');
  await state.load();
  expect([state.missing, state.draft, state.failure]).toEqual([true, undefined, undefined]);
});
