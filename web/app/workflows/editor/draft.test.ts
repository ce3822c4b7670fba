import { expect, it } from 'vitest';
import type { NodeInfo, WorkflowDraft, WorkflowNode } from '../api-types.ts';
import {
  addNode,
  connectNodes,
  disconnect,
  removeNode,
  renameNode,
  updateNode,
  valueAt,
  withValue,
} from './draft.ts';
import { hasEmptyBody } from './empty-body.ts';
import { outlineOf } from './outline.ts';
import { expressionsIn } from './previews.ts';
import { parseDraft } from './read-draft.ts';

const node = (name: string, parameters: WorkflowNode['parameters'] = {}, y = 0): WorkflowNode => ({
  id: name,
  name,
  type: 'n8n-nodes-base.noOp',
  typeVersion: 1,
  position: [0, y],
  parameters,
});
const to = (name: string, index = 0) => ({ node: name, type: 'main', index });
/** A -> B -> C */
const chain: WorkflowDraft = {
  name: 'chain',
  nodes: [
    node('A'),
    node('B', { x: "={{ $('A').item.json.y }}" }),
    node('C', { z: "={{ $node['B'].json }} B" }),
  ],
  connections: { A: { main: [[to('B')]] }, B: { main: [[to('C')]] } },
  settings: {},
  pinData: { B: [] },
};
const info: NodeInfo = {
  name: 'n8n-nodes-base.noOp',
  label: 'C',
  description: '',
  group: 'flow',
  versions: [1, 2],
  parameters: [],
  inputs: 1,
  outputs: ['main'],
  dynamic: false,
  credentials: [],
};

it('adds a node of the newest version after another one, under an unused name', () => {
  const { draft, name } = addNode(chain, info, 'C');
  expect(name).toBe('C1');
  expect(draft.nodes.at(-1)).toMatchObject({ name: 'C1', typeVersion: 2 });
  expect(draft.connections.C).toEqual({ main: [[to('C1')]] });
  expect(chain.connections.C).toBeUndefined();
  const alone = addNode(chain, { ...info, inputs: 0 }, 'C').draft;
  expect(alone.connections).toEqual(chain.connections);
});

it('connects the neighbors of a removed node', () => {
  const draft = removeNode(chain, 'B');
  expect(draft.nodes.map(({ name }) => name)).toEqual(['A', 'C']);
  expect(draft.connections).toEqual({ A: { main: [[to('C')]] } });
  expect(draft.pinData).toEqual({});
  const loop = connectNodes(chain, 'C', 0, to('C'));
  expect(removeNode(loop, 'C').connections).toEqual({ A: { main: [[to('B')]] }, B: { main: [[]] } });
});

it('renames a node in connections, expressions and pinned data', () => {
  const draft = renameNode(renameNode(chain, 'A', 'Start'), 'B', 'Mid');
  expect(draft.connections).toEqual({ Start: { main: [[to('Mid')]] }, Mid: { main: [[to('C')]] } });
  expect(draft.nodes[1]!.parameters.x).toBe("={{ $('Start').item.json.y }}");
  expect(draft.nodes[2]!.parameters.z).toBe("={{ $node['Mid'].json }} B");
  expect(draft.pinData).toEqual({ Mid: [] });
  expect(renameNode(chain, 'A', 'B')).toBe(chain);
  expect(renameNode(chain, 'A', ' ')).toBe(chain);
});

it('connects an output once, and disconnects it', () => {
  const draft = connectNodes(connectNodes(chain, 'A', 2, to('C', 1)), 'A', 2, to('C', 1));
  expect(draft.connections.A).toEqual({ main: [[to('B')], [], [to('C', 1)]] });
  expect(disconnect(draft, 'A', 2, to('C', 1)).connections.A).toEqual({ main: [[to('B')], [], []] });
});

it('sets and removes nested values without changing the original', () => {
  const parameters = { a: { list: [{ n: 1 }, { n: 2 }] } };
  expect(withValue(parameters, ['a', 'list', 1, 'n'], 3)).toEqual({ a: { list: [{ n: 1 }, { n: 3 }] } });
  expect(withValue(parameters, ['a', 'list', 0], undefined)).toEqual({ a: { list: [{ n: 2 }] } });
  expect(withValue(parameters, ['a'], undefined)).toEqual({});
  expect(withValue({}, ['o', 'values', 0, 'x'], 1)).toEqual({ o: { values: [{ x: 1 }] } });
  expect(valueAt(parameters, ['a', 'list', 5, 'n'])).toBeUndefined();
  expect(parameters.a.list[1]).toEqual({ n: 2 });
});

it('lists nodes in the order in which they run', () => {
  const shown = (draft: WorkflowDraft) =>
    outlineOf(draft).map(({ node: shown, depth }) => `${shown.name}${depth}`);
  expect(shown({ ...chain, nodes: chain.nodes.toReversed() })).toEqual(['A0', 'B1', 'C2']);
  const circle = connectNodes(chain, 'C', 0, to('A'));
  expect(shown(circle)).toEqual(['A0', 'B1', 'C2']);
  expect(shown({ ...chain, nodes: [...chain.nodes, node('Alone', {}, -10)] })).toEqual([
    'Alone0',
    'A0',
    'B1',
    'C2',
  ]);
});

it('finds nested expressions', () => {
  expect(expressionsIn({ a: '=1', b: ['x', { c: '=2' }], d: 'plain =' })).toEqual({
    '["a"]': '=1',
    '["b",1,"c"]': '=2',
  });
});

it('parses a workflow that was edited as JSON', () => {
  const text = JSON.stringify({ nodes: chain.nodes, connections: chain.connections });
  expect(parseDraft(text, chain)).toMatchObject({ name: 'chain', nodes: chain.nodes });
  expect(() => parseDraft('{', chain)).toThrow(/^Not valid JSON: /);
  expect(() => parseDraft('{"nodes":[{}]}', chain)).toThrow('This is not a workflow: nodes[0] has no type');
});

it('leaves other nodes unchanged', () => {
  const draft = updateNode(chain, 'A', { disabled: true });
  expect(draft.nodes[0]).toMatchObject({ disabled: true });
  expect(draft.nodes[1]).toBe(chain.nodes[1]);
});

it.each([
  ['POST', {}, {}, true],
  ['POST', { 'content-type': 'application/json' }, {}, false],
  ['POST', {}, { a: 1 }, false],
  ['GET', {}, {}, false],
])('detects an empty body: %s with headers %j and body %j', (httpMethod, headers, body, empty) => {
  const hook = { ...node('Webhook', { httpMethod }), type: 'n8n-nodes-base.webhook' };
  const task = { data: { main: [[{ json: { headers, body } }]] } };
  const run = {
    workflowData: { name: '', nodes: [hook], connections: {} },
    data: { resultData: { runData: { Webhook: [task] } } },
  };
  expect(hasEmptyBody(run as never)).toBe(empty);
});
