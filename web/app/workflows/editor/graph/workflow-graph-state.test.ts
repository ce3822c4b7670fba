/** Edits workflows in the graph editor, with the real control API. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import {
  manualWorkflow,
  openControl,
  smallWorkflow,
  type TestControl,
} from '#test/support/webhooks/control.ts';
import { topologicalOrder } from '#web/app/graph-editor/graph/graph.ts';
import type { WorkflowNode } from '../../api-types.ts';
import { followEvents } from '../../live-events.ts';
import { WorkflowClient } from '../../workflow-client.ts';
import { PageState } from '../page-state.ts';
import { STICKY_NOTE } from './sticky-notes.ts';
import { WorkflowGraphState } from './workflow-graph-state.ts';

let control: TestControl;
let page: PageState;
let graph: WorkflowGraphState;
let leaving: AbortController;
beforeEach(async () => {
  leaving = new AbortController();
  control = await openControl();
});
afterEach(async () => {
  leaving.abort();
  graph.close();
  page.close();
  await control.close();
});

async function open(workflow: object): Promise<void> {
  const client = new WorkflowClient((path, init = {}) =>
    control.ask(init.method ?? 'GET', path.replace('/api/v1', ''), {
      ...(init.body != null && { body: String(init.body) }),
      headers: init.headers as Record<string, string>,
      context: { caller: 'page' },
      ...(init.signal && { signal: init.signal }),
    }),
  );
  const { id } = await control.json('POST', '/workflows', workflow);
  page = new PageState(client, id);
  await page.load();
  graph = new WorkflowGraphState(page);
  await new Promise<void>((resolve) => {
    const handlers = { onOpen: resolve, onEvent: page.onEvent.bind(page), onLost: () => {} };
    void followEvents(client, handlers, leaving.signal);
  });
}

const state = () => graph.state;
const node = (name: string) => page.draft!.nodes.find((candidate) => candidate.name === name)!;
const main = (name: string) => page.draft!.connections[name]?.main;
const kind = (type: string) => state().kinds.get(type)!;
const to = (name: string, index = 0) => ({ node: name, type: 'main', index });

it('shows nodes by name, with their ports and links', async () => {
  await open(smallWorkflow());
  expect(topologicalOrder(state().graph).map(({ id }) => id)).toEqual(['Webhook', 'Edit']);
  expect(state().graph.links).toEqual([{ from: 'Webhook', output: 0, to: 'Edit', input: '0' }]);
  expect(state().kindOf(state().graph.nodes.get('Webhook')!)).toMatchObject({ inputs: [], title: 'Webhook' });
  expect(state().labelOf(state().graph.nodes.get('Edit')!)).toBe('Edit');
  const about = (name: string) => state().kinds.summaryOf!(state().graph.nodes.get(name)!);
  expect([about('Webhook'), about('Edit')]).toEqual(['POST /orders', 'Edit Fields (Set)']);
  // The selection is that of the page.
  expect([...state().selection]).toEqual(['Webhook']);
  state().select(['Edit']);
  expect(page.selected).toBe('Edit');
  page.select('Webhook');
  expect([...state().selection]).toEqual(['Webhook']);
});

it('moves, adds, connects, disables and deletes nodes, and undoes it on the page', async () => {
  await open(smallWorkflow());
  const first = page.draft;
  state().move(new Map([['Edit', { x: 500, y: 40 }]]));
  expect(node('Edit').position).toEqual([500, 40]);
  expect(node('Webhook')).toBe(first!.nodes[0]);

  const id = state().add(kind('n8n-nodes-base.if'), { x: 700, y: 0 }, { from: 'Edit', output: 0 });
  expect(node(id)).toMatchObject({ type: 'n8n-nodes-base.if', position: [700, 0], parameters: {} });
  expect(node(id).typeVersion).toBe(page.typeOf(node(id))!.versions.at(-1));
  expect(main('Edit')).toEqual([[to(id)]]);
  expect(page.selected).toBe(id);
  // The second output, an input with two sources, and a cycle.
  expect(state().connect({ from: id, output: 1, to: 'Edit', input: '0' })).toBe(true);
  expect(main(id)).toEqual([[], [to('Edit')]]);
  expect(main('Webhook')).toEqual([[to('Edit')]]);
  expect(state().graph.links).toHaveLength(3);

  state().toggleMode('bypassed', new Set(['Edit']));
  expect(node('Edit').disabled).toBe(true);
  state().toggleMode('bypassed', new Set(['Edit']));
  expect(node('Edit').disabled).toBeUndefined();

  state().delete(new Set(['Edit']));
  expect(page.draft!.nodes.map(({ name }) => name)).toEqual(['Webhook', id]);
  expect(main('Webhook')).toEqual([[]]);
  expect(main(id)).toEqual([[], []]);
  for (let steps = 0; page.canUndo; steps++) {
    expect(steps).toBeLessThan(10);
    state().undo();
  }
  expect(page.draft).toBe(first);
  state().redo();
  expect(node('Edit').position).toEqual([500, 40]);
});

it('renames a node in connections and expressions', async () => {
  const workflow = smallWorkflow();
  await open({
    ...workflow,
    nodes: [workflow.nodes[0], { ...workflow.nodes[1], parameters: { x: "={{ $('Webhook').item }}" } }],
  });
  state().select(['Webhook']);
  state().rename('Webhook', 'Call');
  expect(main('Call')).toEqual([[to('Edit')]]);
  expect(node('Edit').parameters.x).toBe("={{ $('Call').item }}");
  expect([...state().selection]).toEqual(['Call']);
  expect(state().graph.nodes.get('Call')?.title).toBe('Call');
});

it('copies nodes with their settings under unused names', async () => {
  const workflow = smallWorkflow();
  await open({ ...workflow, nodes: [{ ...workflow.nodes[0], webhookId: 'abc' }, workflow.nodes[1]] });
  state().selectAll();
  const text = state().clipboard.copy()!;
  expect(state().clipboard.paste(text)).toBe(true);
  expect(page.draft!.nodes.map(({ name }) => name)).toEqual(['Webhook', 'Edit', 'Webhook1', 'Edit1']);
  expect(node('Edit1').parameters).toEqual(node('Edit').parameters);
  expect(node('Edit1').id).not.toBe(node('Edit').id);
  expect(node('Webhook').webhookId).toBe('abc');
  expect(node('Webhook1').webhookId).toBeUndefined();
  expect(main('Webhook1')).toEqual([[to('Edit1')]]);
  // The clipboard format of n8n's editor.
  expect(graph.pasteText(JSON.stringify(manualWorkflow()))).toBe(true);
  expect(main('Start')).toEqual([[to('Edit2')]]);
  expect(graph.pasteText('{"a":1}')).toBe(false);
  expect(page.failure).toContain('nodes');
});

it('keeps connections of types that it does not show', async () => {
  const workflow = smallWorkflow();
  await open({
    ...workflow,
    connections: {
      ...workflow.connections,
      Edit: { ai_tool: [[{ node: 'Webhook', type: 'ai_tool', index: 0 }]] },
    },
  });
  state().connect({ from: 'Edit', output: 0, to: 'Edit', input: '0' });
  expect(page.draft!.connections.Edit).toEqual({
    ai_tool: [[{ node: 'Webhook', type: 'ai_tool', index: 0 }]],
    main: [[to('Edit')]],
  });
});

it('shows sticky notes as groups, and stores groups as sticky notes', async () => {
  const workflow = smallWorkflow();
  const note = {
    name: 'Sticky Note',
    type: STICKY_NOTE,
    typeVersion: 1,
    position: [-40, -80],
    parameters: { content: '## Start', width: 300, height: 220, color: 5 },
  };
  await open({ ...workflow, nodes: [...workflow.nodes, note] });
  expect(state().graph.nodes.has('Sticky Note')).toBe(false);
  const group = state().groups.get('Sticky Note')!;
  expect(group).toMatchObject({
    title: '## Start',
    color: '#3f789e',
    x: -40,
    y: -80,
    width: 300,
    height: 220,
  });
  expect(state().groups.members(group)).toEqual(['Webhook']);
  state().groups.move(group.id, 10, 20);
  expect(node('Sticky Note').position).toEqual([-30, -60]);
  expect(node('Webhook').position).toEqual([10, 20]);
  state().groups.change(group.id, { title: 'Begin', color: '#a83232' });
  expect(node('Sticky Note').parameters).toMatchObject({ content: 'Begin', color: 3 });
  const groupId = state().groups.add('Edits', ['Edit'])!;
  expect(state().selectedGroup).toBe(groupId);
  expect(node(groupId)).toMatchObject({ type: STICKY_NOTE, parameters: { content: 'Edits', color: 7 } });
  state().groups.remove(groupId);
  expect(page.draft!.nodes.map(({ name }: WorkflowNode) => name)).toEqual(['Webhook', 'Edit', 'Sticky Note']);
  await page.save();
  expect(page.dirty).toBe(false);
});

it('marks the running node, and shows the result and the errors of the last run', async () => {
  await open(manualWorkflow({ parameters: { mode: 'raw', jsonOutput: '={{ {}.a.b }}' } }));
  const marked = new Set<string>();
  state().addEventListener('change', () => {
    for (const [id, mark] of state().marks) if (mark.state === 'running') marked.add(id);
  });
  await page.run();
  await vi.waitUntil(() => state().marks.get('Edit')?.state === 'failed', { timeout: 10_000 });
  expect(state().marks.get('Start')).toMatchObject({ state: 'done', note: '1 item' });
  expect(state().problems.get('Edit')?.[0]?.message).toBeTruthy();
  expect(marked.size).toBeGreaterThan(0);
  expect(page.running.size).toBe(0);
});

it('shows an unknown node as wide as the others', async () => {
  const workflow = smallWorkflow();
  const [webhook, edit] = workflow.nodes;
  const slack = { ...edit!, id: 's', name: 'Slack', type: 'n8n-nodes-base.slack', parameters: {} };
  await open({
    ...workflow,
    nodes: [webhook, slack],
    connections: { Webhook: { main: [[to('Slack', 1)]] } },
  });
  const { width } = state().kindOf(state().graph.nodes.get('Slack')!);
  expect(width).toBe(kind('n8n-nodes-base.webhook').width);
});
