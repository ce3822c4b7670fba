import { expect, it } from 'vitest';
import type { Graph, GraphNode } from '#web/app/graph-editor/graph/graph.ts';
import { fillFileName, pickAlternatives } from './text-values.ts';

it.each([
  ['a cat', 'a cat'],
  ['a {red|blue} cat', 'a blue cat'],
  ['{a|{b|c}} d', 'c d'],
  ['a \\{b|c\\}', 'a {b|c}'],
  ['one /* two\nthree */four // five\nsix', 'one four \nsix'],
  ['a { b', 'a { b'],
  ['a } b | c', 'a } b | c'],
  ['{only}', 'only'],
  ['', ''],
])('picks an alternative: %s', (text, expected) => expect(pickAlternatives(text, () => 0.99)).toBe(expected));

it('picks each alternative with the same probability', () => {
  expect(pickAlternatives('{a|b}', () => 0)).toBe('a');
  expect(new Set(Array.from({ length: 200 }, () => pickAlternatives('{a|b|c}'))).size).toBe(3);
});

it('fills placeholders in file names', () => {
  const graph: Graph = {
    nodes: new Map<string, GraphNode>([
      [
        '1',
        { id: '1', type: 'KSampler', x: 0, y: 0, values: { seed: 18446744073709551615n, name: 'a/b:c' } },
      ],
      [
        '2',
        {
          id: '2',
          type: 'X',
          title: 'mine',
          x: 0,
          y: 0,
          values: { v: 7 },
          extraFields: { properties: { 'Node name for S&R': 'Y' } },
        },
      ],
    ]),
    links: [],
  };
  const now = new Date(2026, 2, 4, 5, 6, 7);
  const filled = (text: string) => fillFileName(text, graph, now);
  expect(filled('x_%date:yyyy-MM-dd_hhmmss%')).toBe('x_2026-03-04_050607');
  expect(filled('%date:yy/M/d%')).toBe('26/3/4');
  expect(filled('%KSampler.seed%-%mine.v%-%Y.v%')).toBe('18446744073709551615-7-7');
  expect(filled('%KSampler.name%')).toBe('a_b_c');
  // The server replaces the first two. The others are unknown.
  expect(filled('%width%x%height% %Nobody.seed% 100%')).toBe('%width%x%height% %Nobody.seed% 100%');
});
