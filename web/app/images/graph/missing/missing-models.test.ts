import { expect, it } from 'vitest';
import type { GraphNode } from '../../../graph-editor/graph/graph.ts';
import type { NodeKind } from '../../../graph-editor/nodes/node-kind.ts';
import { missingModels } from './missing-models.ts';

const loader: NodeKind = {
  type: 'Loader',
  title: 'Loader',
  category: [],
  inputs: [
    {
      name: 'file',
      label: 'file',
      socket: undefined,
      required: true,
      widget: { kind: 'choice', initial: '', options: ['here.safetensors'] },
    },
  ],
  outputs: [],
};

const graphOf = (...nodes: Partial<GraphNode>[]) => ({
  nodes: new Map(
    nodes.map((node, index) => [
      String(index),
      { id: String(index), type: 'Loader', x: 0, y: 0, values: {}, ...node },
    ]),
  ),
  links: [],
});

it('lists each file that no list has, once', () => {
  const graph = graphOf(
    { values: { file: 'here.safetensors' } },
    { values: { file: 'absent.safetensors' } },
    { values: { file: 'absent.safetensors' } },
    { values: { file: 'euler' } },
    { values: { file: 'muted.safetensors' }, mode: 'muted' },
    { type: 'Unknown', values: { file: 'other.safetensors' } },
  );
  expect(missingModels(graph, new Map([['Loader', loader]]))).toEqual(['absent.safetensors']);
});
