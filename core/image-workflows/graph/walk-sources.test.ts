import { describe, expect, it } from 'vitest';
import { type GraphJson, graphOf } from '#test/support/image-workflows/prompt-fixtures.ts';
import { walkSources } from './walk-sources.ts';

const node = (...sources: string[]) => ({
  class_type: 'A',
  inputs: Object.fromEntries(sources.map((id, index) => [`in${index}`, [id, 0]])),
});
const walk = (json: GraphJson, ...starts: string[]) => walkSources(graphOf(json), starts);

describe('walkSources', () => {
  it('returns each node after all of its sources, once', () => {
    const diamond = {
      top: node('left', 'right'),
      right: node('base'),
      left: node('base'),
      base: node(),
      other: node(),
    };
    expect(walk(diamond, 'top')).toMatchObject({ order: ['base', 'left', 'right', 'top'], isCyclic: false });
    expect(walk(diamond, 'other', 'right', 'top').order).toEqual(['other', 'base', 'right', 'left', 'top']);
  });

  it('remembers the first link to each node', () => {
    const { consumers } = walk({ a: node('b', 'c'), b: node('c'), c: node() }, 'a');
    expect([...consumers].map(([id, { node: consumer, input }]) => [id, consumer.id, input])).toEqual([
      ['b', 'a', 'in0'],
      ['c', 'b', 'in0'],
    ]);
  });

  it('ignores links to nodes that do not exist', () => {
    expect(walk({ a: node('none', 'b'), b: node() }, 'a')).toMatchObject({
      order: ['b', 'a'],
      isCyclic: false,
    });
  });

  it.each([
    [{ a: node('a') }, ['a']],
    [{ a: node('b'), b: node('c'), c: node('a') }, ['c', 'b', 'a']],
    [{ out: node('a'), a: node('b'), b: node('a') }, ['b', 'a', 'out']],
  ])('finds the cycle in %j', (json, order) => {
    const result = walk(json as GraphJson, Object.keys(json)[0]!);
    expect(result).toMatchObject({ isCyclic: true, order });
  });

  it('takes two links to one node for no cycle', () => {
    expect(walk({ a: node('b', 'b'), b: node() }, 'a').isCyclic).toBe(false);
  });

  it('walks a chain of 100,000 nodes', () => {
    const chain: GraphJson = { '0': node() };
    for (let id = 1; id < 100_000; id++) chain[id] = node(String(id - 1));
    expect(walk(chain, '99999').order).toHaveLength(100_000);
  });
});
