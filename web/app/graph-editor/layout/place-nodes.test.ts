import { expect, it } from 'vitest';
import type { Graph } from '../graph/graph.ts';
import { placeNodes } from './place-nodes.ts';

function graphOf(...links: [from: string, to: string][]): Graph {
  const ids = [...new Set(links.flat())];
  return {
    nodes: new Map(ids.map((id) => [id, { id, type: 'T', x: 0, y: 0, values: {} }])),
    links: links.map(([from, to]) => ({ from, to, output: 0, input: `of ${from}` })),
  };
}

const box = () => ({ width: 200, height: 100 });

it('lays out nodes without overlap, from left to right', () => {
  const graph = graphOf(['1', '2'], ['1', '3'], ['2', '4'], ['3', '4'], ['5', '4'], ['6', '7'], ['8', '8']);
  const size = (id: string) => ({ width: 200, height: id === '1' ? 400 : 100 });
  const places = placeNodes(graph, size);
  expect(places.size).toBe(8);
  for (const { from, to } of graph.links)
    if (from !== to) expect(places.get(from)!.x + 200).toBeLessThan(places.get(to)!.x);
  const boxes = [...places].map(([id, { x, y }]) => ({ x, y, ...size(id) }));
  for (const a of boxes)
    for (const b of boxes)
      if (a !== b)
        expect(
          a.x + a.width <= b.x || b.x + b.width <= a.x || a.y + a.height <= b.y || b.y + b.height <= a.y,
        ).toBe(true);
  // Node 5 has no inputs: it is placed in the column before its target.
  expect(places.get('5')!.x).toBe(places.get('2')!.x);
});

it('places components in rows, about in the proportions of a screen', () => {
  const pairs = Array.from({ length: 40 }, (_, i): [string, string] => [String(2 * i), String(2 * i + 1)]);
  const places = [...placeNodes(graphOf(...pairs), () => ({ width: 200, height: 150 })).values()];
  const width = Math.max(...places.map(({ x }) => x)) + 200;
  const height = Math.max(...places.map(({ y }) => y)) + 150;
  expect(width / height).toBeGreaterThan(1);
  expect(width / height).toBeLessThan(2.5);
  expect(new Set(places.map(({ x, y }) => `${x} ${y}`)).size).toBe(80);
});

it('orders each column so that links do not cross', () => {
  const places = placeNodes(
    graphOf(['1', 'd'], ['2', 'c'], ['3', 'b'], ['1', 'e'], ['e', 'x'], ['b', 'x']),
    box,
  );
  const lower = (a: string, b: string) => places.get(a)!.y > places.get(b)!.y;
  expect(lower('1', '3')).toBe(lower('d', 'b'));
  expect(lower('1', '3')).toBe(lower('e', 'b'));
});

it('places every node of a cycle once', () => {
  const places = placeNodes(graphOf(['1', '2'], ['2', '3'], ['3', '1']), box);
  expect(new Set([...places.values()].map(({ x, y }) => `${x} ${y}`)).size).toBe(3);
});

it('places nothing in an empty graph', () => {
  expect(placeNodes({ nodes: new Map(), links: [] }, box).size).toBe(0);
});

it('keeps the nodes of a cluster together, within its margins', () => {
  const graph = graphOf(['1', '2'], ['2', '3'], ['3', '4'], ['1', '4']);
  const around = 30;
  const above = 40;
  const places = placeNodes(graph, box, [new Set(['2', '3']), new Set<string>()], { around, above });
  const [two, three] = [places.get('2')!, places.get('3')!];
  const frame = {
    left: Math.min(two.x, three.x) - around,
    right: Math.max(two.x, three.x) + 200 + around,
    top: Math.min(two.y, three.y) - around - above,
    bottom: Math.max(two.y, three.y) + 100 + around,
  };
  for (const id of ['1', '4']) {
    const { x, y } = places.get(id)!;
    const outside = x + 200 <= frame.left || x >= frame.right || y + 100 <= frame.top || y >= frame.bottom;
    expect(outside, `node ${id}`).toBe(true);
  }
  expect(two.x + 200).toBeLessThan(three.x);
});
