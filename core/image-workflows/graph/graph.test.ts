import { describe, expect, it } from 'vitest';
import { PromptRefused } from '../errors.ts';
import { type PythonValue, parsePythonJson } from '../python/python-value.ts';
import { asLink, linksOf, readGraph } from './graph.ts';

const read = (json: string) => readGraph(parsePythonJson(json));

describe('readGraph', () => {
  it('reads nodes in the order in which they were sent', () => {
    const graph = read(
      '{"9": {"class_type": "A", "inputs": {"x": 1}}, "1": {"class_type": "B", "inputs": [1]}}',
    );
    expect([...graph.values()]).toEqual([
      { id: '9', className: 'A', inputs: new Map([['x', 1n]]) },
      { id: '1', className: 'B', inputs: undefined },
    ]);
  });

  it('reads an empty list as an empty graph', () => {
    expect(read('[]').size).toBe(0);
  });

  it.each([
    ['5', 'The prompt is not an object of nodes by their ids.'],
    ['[1]', 'The prompt is not an object of nodes by their ids.'],
    ['null', 'The prompt is not an object of nodes by their ids.'],
    ['{"nodes": [], "links": []}', 'This is a workflow as the editor saves it, not one in the API format.'],
    [
      '{"nodes": [], "last_node_id": 3}',
      'This is a workflow as the editor saves it, not one in the API format.',
    ],
    ['{"nodes": [1]}', 'Cannot execute because a node is missing the class_type property.'],
    ['{"1": {"class_type": 5}}', 'Cannot execute because a node is missing the class_type property.'],
    ['{"1": null}', 'Cannot execute because a node is missing the class_type property.'],
  ])('refuses %s', (json, message) => {
    const refused = expect.objectContaining({ type: 'invalid_prompt', message, status: 400 });
    expect(() => read(json)).toThrow(PromptRefused);
    expect(() => read(json)).toThrow(refused);
  });

  it('names the node without a class', () => {
    expect(() => read('{"7": {}}')).toThrow(expect.objectContaining({ details: "Node ID '#7'" }));
  });

  it('takes 100,000 nodes, and no more', () => {
    const nodes = (count: number) =>
      new Map(
        Array.from({ length: count }, (_, id): [string, PythonValue] => [
          String(id),
          new Map([['class_type', 'A']]),
        ]),
      );
    expect(readGraph(nodes(100_000)).size).toBe(100_000);
    expect(() => readGraph(nodes(100_001))).toThrow('at most 100000 nodes');
  });
});

describe('asLink', () => {
  it.each([
    [['1', 0n], { node: '1', slot: 0 }],
    [['1', -1n], { node: '1', slot: -1 }],
    [['1', 2], { node: '1', slot: 2 }],
    [[1n, 0n], undefined],
    [['1', '0'], undefined],
    [['1'], undefined],
    [['1', 0n, 0n], undefined],
    ['1', undefined],
    [undefined, undefined],
  ])('%o is %o', (value, link) => {
    expect(asLink(value)).toEqual(link);
  });
});

it('linksOf returns the links of a node by input', () => {
  const graph = read(
    '{"1": {"class_type": "A", "inputs": {"a": ["2", 1], "b": 5, "c": ["3", 0]}}, "2": {"class_type": "B"}}',
  );
  expect(linksOf(graph.get('1')!)).toEqual([
    ['a', { node: '2', slot: 1 }],
    ['c', { node: '3', slot: 0 }],
  ]);
  expect(linksOf(graph.get('2')!)).toEqual([]);
});
