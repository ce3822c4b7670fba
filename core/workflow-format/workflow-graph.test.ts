import { expect, it } from 'vitest';
import { readWorkflow } from './read-workflow.ts';
import { WorkflowGraph } from './workflow-graph.ts';

const to = (node: string, index = 0, type = 'main') => ({ node, index, type });

/** A -> B -> C -> B (a loop), C:1 -> D:1, and a tool of A that carries no items. */
const graph = new WorkflowGraph(
  readWorkflow({
    nodes: ['A', 'B', 'C', 'D', 'Tool'].map((name) => ({ name, type: 'x' })),
    connections: {
      A: { main: [[to('B')]] },
      B: { main: [null, [to('C')]] },
      C: { main: [[to('B')], [to('D', 1), to('D', 0, 'tool')]] },
      Tool: { tool: [[to('A')]] },
    },
  }),
);

it('knows nodes and their connections', () => {
  expect(graph.node('A')?.name).toBe('A');
  expect(graph.node('Z')).toBeUndefined();
  expect(graph.targets('C', 1)).toEqual([to('D', 1)]);
  expect([graph.targets('B', 0), graph.targets('B', 7), graph.targets('Z', 0)]).toEqual([[], [], []]);
  expect(graph.incoming('B')).toEqual([
    { source: 'A', output: 0, input: 0 },
    { source: 'C', output: 0, input: 0 },
  ]);
  expect(graph.incoming('A')).toEqual([]);
});

it('follows connections to both ends, and through loops', () => {
  expect([...graph.descendants('A')].sort()).toEqual(['B', 'C', 'D']);
  expect([...graph.descendants('B')].sort()).toEqual(['B', 'C', 'D']);
  expect(graph.descendants('D')).toEqual(new Set());
  expect([...graph.ancestors('D')].sort()).toEqual(['A', 'B', 'C']);
  expect(graph.ancestors('A')).toEqual(new Set());
});
