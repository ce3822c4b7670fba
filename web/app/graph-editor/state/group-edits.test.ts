/** Groups: created around a selection, moved, copied, laid out and undone. */
import { beforeEach, expect, it } from 'vitest';
import { type Graph, withNode, withoutNodes } from '../graph/graph.ts';
import { membersOf } from '../graph/group.ts';
import { GraphState } from './graph-state.ts';

const node = (id: string, x: number, y = 0) => ({ id, type: 'T', x, y, values: {} });
const kind = { type: 'T', title: 'T', category: [], inputs: [], outputs: [{ label: 'o', socket: '*' }] };

let state: GraphState;
beforeEach(() => {
  state = new GraphState();
  state.setKinds({ get: () => kind, all: () => [kind], canConnect: () => true });
  const nodes = [node('1', 0), node('2', 400), node('3', 1500)];
  state.open({ nodes: new Map(nodes.map((each) => [each.id, each])), links: [] });
  state.select(['1', '2']);
  state.groups.add('pair');
});

const group = () => state.groups.all[0]!;

it('creates a group around the selection and selects it', () => {
  expect(state.selectedGroup).toBe(group().id);
  expect(state.selection.size).toBe(0);
  expect(state.groups.members(group())).toEqual(['1', '2']);
  const [first, second] = [state.areaOf('1'), state.areaOf('2')];
  expect(group().x).toBeLessThan(first.x);
  expect(group().y).toBeLessThan(first.y);
  expect(group().x + group().width).toBeGreaterThan(second.x + second.width);
  state.select([]);
  expect(state.groups.add('of nothing')).toBeUndefined();
});

it('moves a group with its nodes in one undo step', () => {
  const before = state.graph;
  state.groups.move(group().id, 30, -20);
  expect(state.graph.nodes.get('1')).toMatchObject({ x: 30, y: -20 });
  expect(state.graph.nodes.get('2')).toMatchObject({ x: 430, y: -20 });
  expect(state.graph.nodes.get('3')).toMatchObject({ x: 1500, y: 0 });
  expect(state.groups.members(group())).toEqual(['1', '2']);
  state.undo();
  expect(state.graph).toBe(before);
  state.undo();
  expect(state.groups.all).toEqual([]);
  expect(state.selectedGroup).toBeUndefined();
  state.redo();
  expect(state.groups.all).toHaveLength(1);
});

it('moves a nested group with the outer one', () => {
  state.select(['1']);
  const inner = state.groups.add('inner')!;
  const { x } = state.groups.get(inner)!;
  state.groups.move(group().id, 100, 0);
  expect(state.groups.get(inner)!.x).toBe(x + 100);
  expect(state.graph.nodes.get('1')!.x).toBe(100);
});

it('loses a node that is moved out, and fits the remaining one', () => {
  state.move(new Map([['2', { x: 3000, y: 0 }]]));
  expect(state.groups.members(group())).toEqual(['1']);
  const { width } = group();
  state.groups.fit(group().id);
  expect(group().width).toBeLessThan(width);
});

it('is moved with its nodes, but renamed and deleted without them', () => {
  state.groups.change(group().id, { title: 'two', color: '#3f789e' });
  expect(group()).toMatchObject({ title: 'two', color: '#3f789e' });
  state.nudge(10, 0);
  expect(state.graph.nodes.get('1')!.x).toBe(10);
  state.groups.change(group().id, { width: 3 });
  expect(group().width).toBeGreaterThan(50);
  state.delete();
  expect(state.groups.all).toEqual([]);
  expect(state.graph.nodes.size).toBe(3);
});

it('is copied with its nodes, also when all of them are selected', () => {
  const text = state.clipboard.copy();
  expect(state.clipboard.paste(text, { x: 0, y: 2000 })).toBe(true);
  expect(state.groups.all.map(({ title }) => title)).toEqual(['pair', 'pair']);
  expect(state.groups.all[0]!.id).not.toBe(state.groups.all[1]!.id);
  const ids = [...state.selection];
  expect(ids).toEqual(['4', '5']);
  expect(state.groups.members(state.groups.all[1]!)).toEqual(ids);
  state.select(['1']);
  state.clipboard.paste(state.clipboard.copy(), { x: 0, y: 4000 });
  expect(state.groups.all).toHaveLength(2);
  state.select(['1', '2']);
  state.clipboard.duplicate();
  expect(state.groups.all).toHaveLength(3);
  state.groups.select(group().id);
  state.clipboard.cut();
  expect(state.graph.nodes.has('1')).toBe(false);
  expect(state.groups.all).toHaveLength(2);
});

it('keeps its nodes, and no others, when the graph is laid out', () => {
  let graph: Graph = state.graph;
  for (const id of ['a', 'b', 'c']) graph = withNode(graph, node(id, 200, 50));
  const link = (from: string, to: string) => ({ from, to, output: 0, input: 'i' });
  state.edit({ ...graph, links: [link('1', 'a'), link('a', '2'), link('2', 'b'), link('b', 'c')] });
  // Moves the nodes a, b and c out of the frame, in which they lie at first.
  state.edit({
    ...state.graph,
    nodes: new Map(
      [...state.graph.nodes].map(([id, each]) => [id, 'abc'.includes(id) ? { ...each, y: 5000 } : each]),
    ),
  });
  expect(state.groups.members(group())).toEqual(['1', '2']);
  state.arrange();
  expect(state.groups.members(group())).toEqual(['1', '2']);
  const areas = [...state.graph.nodes.keys()].map((id) => state.areaOf(id));
  for (const a of areas)
    for (const b of areas)
      if (a !== b)
        expect(
          a.x + a.width <= b.x || b.x + b.width <= a.x || a.y + a.height <= b.y || b.y + b.height <= a.y,
        ).toBe(true);
});

it('can be deleted when its nodes are deleted', () => {
  state.edit(withoutNodes(state.graph, new Set(['1', '2'])));
  expect(membersOf(state.graph, group(), (id) => state.areaOf(id))).toEqual([]);
  const before = state.graph;
  state.groups.fit(group().id);
  expect(state.graph).toBe(before);
  state.groups.remove(group().id);
  expect(state.groups.all).toEqual([]);
});
