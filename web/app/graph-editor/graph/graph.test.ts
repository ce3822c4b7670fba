import { expect, it } from 'vitest';
import { extractFragment, insertFragment, parseFragment, printFragment } from './fragment.ts';
import { closesCycle, emptyGraph, type Graph, linkInto, topologicalOrder, withLink } from './graph.ts';
import { exactInteger, parseExactJson, printExactJson } from './value.ts';

function graphOf(...links: [from: string, to: string][]): Graph {
  const ids = [...new Set(links.flat())];
  return {
    nodes: new Map(
      ids.map((id) => [id, { id, type: 'T', x: Number(id) * 10, y: 0, values: { v: Number(id) } }]),
    ),
    links: links.map(([from, to]) => ({ from, to, output: 0, input: `of ${from}` })),
  };
}

it('replaces the link of an input, unless it accepts many', () => {
  const link = { from: '1', to: '3', output: 0, input: 'x' };
  const graph = withLink(withLink(emptyGraph, link), { ...link, from: '2' });
  expect(graph.links.map(({ from }) => from)).toEqual(['2']);
  expect(linkInto(graph, '3', 'x')?.from).toBe('2');
  const many = withLink(withLink(withLink(emptyGraph, link, true), { ...link, from: '2' }, true), link, true);
  expect(many.links.map(({ from }) => from)).toEqual(['2', '1']);
});

it('detects links that would close a cycle', () => {
  const graph = graphOf(['1', '2'], ['2', '3']);
  expect(closesCycle(graph, '3', '1')).toBe(true);
  expect(closesCycle(graph, '1', '3')).toBe(false);
  expect(closesCycle(graph, '2', '2')).toBe(true);
});

it('orders nodes topologically, also long chains and cycles', () => {
  const chain = graphOf(
    ...Array.from({ length: 20_000 }, (_, i): [string, string] => [String(20_000 - i), String(19_999 - i)]),
  );
  const ids = topologicalOrder(chain).map(({ id }) => id);
  expect(ids).toHaveLength(20_001);
  expect([ids[0], ids.at(-1)]).toEqual(['20000', '0']);
  expect(
    topologicalOrder(graphOf(['1', '2'], ['2', '1']))
      .map(({ id }) => id)
      .sort(),
  ).toEqual(['1', '2']);
});

it('copies as text and pastes with new ids and inner links', () => {
  const graph = graphOf(['1', '2'], ['2', '3']);
  const text = printFragment(extractFragment(graph, new Set(['2', '3'])));
  const fragment = parseFragment(text)!;
  const { graph: pasted, ids } = insertFragment(graph, fragment, { x: 500, y: 7 });
  expect([...ids]).toEqual(['4', '5']);
  expect(pasted.nodes.get('4')).toMatchObject({ x: 500, y: 7, values: { v: 2 } });
  expect(pasted.nodes.get('5')).toMatchObject({ x: 510 });
  expect(pasted.links.filter(({ to }) => ids.has(to))).toEqual([
    { from: '4', to: '5', output: 0, input: 'of 2' },
  ]);
  expect(parseFragment('some text')).toBeUndefined();
  expect(parseFragment('{"tabd-graph":1,"nodes":[{}],"links":3}')).toBeUndefined();
});

it('parses and prints every digit of a seed', () => {
  const text = '{"seed":18446744073709551615,"cfg":7.5,"small":3,"__proto__":1,"list":[true,null,"ü\\n"]}';
  expect(printExactJson(parseExactJson(text))).toBe(text);
  expect(parseExactJson(text)).toMatchObject({ seed: 18446744073709551615n, small: 3 });
  expect(printExactJson(parseExactJson('{"a":[1,{}],"b":{"c":2}}'), 2)).toBe(
    JSON.stringify({ a: [1, {}], b: { c: 2 } }, null, 2),
  );
  expect(() => parseExactJson('{"a":')).toThrow();
  expect([exactInteger('-9223372036854775807'), exactInteger('12'), exactInteger('1.5')]).toEqual([
    -9223372036854775807n,
    12,
    undefined,
  ]);
});
