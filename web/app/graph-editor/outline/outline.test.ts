/** The forms of the outline: their order, what is folded, and the choice of connections. */
import { beforeEach, describe, expect, it } from 'vitest';
import { renderTemplate } from '#test/support/rendered-template.ts';
import type { GraphNode, Link } from '../graph/graph.ts';
import type { NodeKind } from '../nodes/node-kind.ts';
import { GraphState } from '../state/graph-state.ts';
import { GraphOutline } from './outline.ts';

const IMAGE = { name: 'image', label: 'Image', socket: 'IMAGE', required: true };
const STEPS = {
  name: 'steps',
  label: 'Steps',
  socket: undefined,
  required: false,
  widget: { kind: 'integer' as const, initial: 1, step: 1 },
};
const KINDS: Record<string, NodeKind> = {
  Load: {
    type: 'Load',
    title: 'Load',
    category: [],
    inputs: [],
    outputs: [{ label: 'IMAGE', socket: 'IMAGE' }],
  },
  Scale: {
    type: 'Scale',
    title: 'Scale',
    category: [],
    inputs: [IMAGE, STEPS],
    outputs: [{ label: 'IMAGE', socket: 'IMAGE' }],
  },
};

let outline: GraphOutline;
let state: GraphState;
beforeEach(() => {
  outline = new GraphOutline();
  state = new GraphState();
  const get = (type: string) => (Object.hasOwn(KINDS, type) ? KINDS[type] : undefined);
  state.setKinds({ get, all: () => Object.values(KINDS), canConnect: (from, to) => from === to });
  outline.state = state;
});

const node = (id: string, type: string, more: Partial<GraphNode> = {}): GraphNode => ({
  id,
  type,
  x: 0,
  y: 0,
  values: {},
  ...more,
});
const open = (nodes: GraphNode[], links: Link[] = []) =>
  state.open({ nodes: new Map(nodes.map((each) => [each.id, each])), links });
const link = (from: string, to: string): Link => ({ from, output: 0, to, input: 'image' });
const render = () => renderTemplate(outline.render());
const html = () => render().html;
const openForms = () => [...html().matchAll(/aria-expanded="(\w+)"/g)].map(([, isOpen]) => isOpen === 'true');
const sources = () => [...html().matchAll(/<option value="(\d+ \d+)"/g)].map(([, value]) => value);

/** The node ids in the order of the forms. */
const order = () => [...html().matchAll(/data-node="([^"]*)"/g)].map(([, id]) => id);

it('invites to add nodes to an empty graph', () => expect(html()).toContain('An empty graph'));

it('lists nodes after those that they depend on', () => {
  open([node('3', 'Scale'), node('2', 'Scale'), node('1', 'Load')], [link('1', '2'), link('2', '3')]);
  expect(order()).toEqual(['1', '2', '3']);
});

describe('forms', () => {
  it.each([
    [40, true],
    [41, false],
  ])('of %i nodes are open: %s', (count, expected) => {
    open(Array.from({ length: count }, (_, n) => node(String(n), 'Load')));
    expect(openForms()).toEqual(Array(count).fill(expected));
  });

  it('are folded by their button, unless there is a problem', () => {
    open([node('1', 'Load')]);
    const fold = () =>
      render()
        .listeners.find(({ event }) => event === 'click')!
        .listener(undefined as never);
    fold();
    expect(openForms()).toEqual([false]);
    state.problems = new Map([['1', [{ message: 'It failed' }]]]);
    expect(openForms()).toEqual([true]);
    expect(html()).toContain('>It failed<');
    state.problems = new Map();
    fold();
    expect(openForms()).toEqual([true]);
  });

  it('mark a node of an unknown kind, and show its values', () => {
    open([node('1', 'Gone', { values: { text: 'old' } })]);
    expect(html()).toContain('Unknown node type.');
    expect(html()).toContain('.value="old"');
    expect(html()).toContain('<li class="bad"');
  });

  it('show a problem of an input at that input only', () => {
    open([node('1', 'Scale')]);
    state.problems = new Map([['1', [{ input: 'steps', message: 'Too few' }]]]);
    expect(html().match(/Too few/g)).toHaveLength(1);
    expect(html()).toMatch(/class="input wrong"[^>]*><span>Steps/);
  });
});

describe('connections', () => {
  beforeEach(() => {
    open([node('1', 'Load'), node('2', 'Scale'), node('3', 'Scale')], [link('2', '3')]);
  });

  it('are offered from every output that fits and closes no cycle', () => {
    // The input of 2 can come from 1, because 3 depends on 2. That of 3 can come from 1 and 2.
    expect(sources()).toEqual(['1 0', '1 0', '2 0']);
  });

  it('keep one that does not fit, so that it can be removed', () => {
    open(
      [
        node('1', 'Gone', { sockets: { inputs: [], outputs: [{ name: 'x', socket: 'OTHER' }] } }),
        node('2', 'Scale'),
      ],
      [link('1', '2')],
    );
    expect(sources()).toEqual(['1 0']);
  });

  it('change with the choice', () => {
    const select = (value: string) => {
      const changes = render().listeners.filter(({ event }) => event === 'change');
      // The last select is the one of the last node: after the checkbox, before the field of steps.
      changes.at(-2)!.listener({ target: { value } } as never);
    };
    expect(state.linkInto('3', 'image')?.from).toBe('2');
    select('1 0');
    expect(state.linkInto('3', 'image')?.from).toBe('1');
    select('');
    expect(state.linkInto('3', 'image')).toBeUndefined();
  });
});
