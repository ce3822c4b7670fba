import { describe, expect, it } from 'vitest';
import { readWorkflow } from './read-workflow.ts';

const node = (name: string, more: object = {}) => ({ name, type: 'x', ...more });

describe('a workflow', () => {
  it('needs only nodes', () => {
    expect(readWorkflow({ nodes: [] })).toEqual({
      id: '',
      name: 'My workflow',
      nodes: [],
      connections: {},
      settings: {},
      pinData: {},
      staticData: {},
      active: false,
    });
  });

  it('keeps unknown keys, of itself and of nodes', () => {
    const read = readWorkflow({ nodes: [node('A', { color: 'red' })], nodeGroups: [1] });
    expect(read).toMatchObject({ nodeGroups: [1], nodes: [{ color: 'red' }] });
  });

  it('takes its id from the caller, otherwise from the file', () => {
    expect(readWorkflow({ id: 7, nodes: [] }).id).toBe('7');
    expect(readWorkflow({ id: 7, nodes: [] }, { id: 'mine' }).id).toBe('mine');
  });

  it.each([[{ global: { n: 1 } }], ['{"global":{"n":1}}']])('has static data as %j', (staticData) => {
    expect(readWorkflow({ nodes: [], staticData }).staticData).toEqual({ global: { n: 1 } });
  });

  it.each([['{'], [null], [3]])('has no static data as %j', (staticData) => {
    expect(readWorkflow({ nodes: [], staticData }).staticData).toEqual({});
  });

  it.each([
    [null, 'the workflow must be a JSON object'],
    [[], 'the workflow must be a JSON object'],
    [{}, 'the workflow has no list of nodes'],
    [{ nodes: [node('A'), 3] }, 'nodes[1] must be an object'],
    [{ nodes: [{ name: 'A' }] }, 'nodes[0] has no type'],
    [{ nodes: [{ type: 'x', name: '' }] }, 'nodes[0] has no name'],
    [{ nodes: [node('A', { typeVersion: 'new' })] }, 'nodes[0].typeVersion must be a number'],
    [{ nodes: [node('A'), node('A')] }, 'two nodes are called "A"'],
  ])('is refused: %j', (source, message) => {
    expect(() => readWorkflow(source)).toThrow(
      expect.objectContaining({ status: 400, message: `This is not a workflow: ${message}` }),
    );
  });
});

it('takes 0 for a place that JSON cannot store', () => {
  expect(readWorkflow({ nodes: [node('A', { position: ['1e999', 2] })] }).nodes[0]!.position).toEqual([0, 2]);
});

it('fills in the fields of nodes', () => {
  const [read] = readWorkflow({ nodes: [node('A')] }, { newId: () => 'new' }).nodes;
  expect(read).toEqual({
    id: 'new',
    name: 'A',
    type: 'x',
    typeVersion: 1,
    position: [0, 0],
    parameters: {},
  });
  const odd = node('B', { id: 5, typeVersion: '2.1', position: ['10', 'x'], parameters: [] });
  expect(readWorkflow({ nodes: [odd] }).nodes[0]).toMatchObject({
    id: '5',
    typeVersion: 2.1,
    position: [10, 0],
    parameters: {},
  });
});

it('drops connections from and to nodes that do not exist, and invalid ones', () => {
  const to = (name: string, more: object = {}) => ({ node: name, type: 'main', index: 0, ...more });
  const { connections } = readWorkflow({
    nodes: [node('A'), node('B')],
    connections: {
      A: { main: [[to('B'), to('gone')], null, [{ node: 'B', index: -1 }, 'B']], other: 'x' },
      gone: { main: [[to('A')]] },
      B: { tool: [[{ node: 'A', index: 2 }]] },
    },
  });
  expect(connections).toEqual({
    A: { main: [[to('B')], null, [to('B')]] },
    B: { tool: [[{ node: 'A', type: 'tool', index: 2 }]] },
  });
});
