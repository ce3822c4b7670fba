/** The list of the dialog: search, order, and the nodes that fit a wire. */
import { beforeEach, describe, expect, it } from 'vitest';
import { renderTemplate } from '#test/support/rendered-template.ts';
import type { NodeKind } from '../nodes/node-kind.ts';
import { GraphState } from '../state/graph-state.ts';
import { AddDialog } from './add-dialog.ts';

const kind = (title: string, category: string, more: Partial<NodeKind> = {}): NodeKind => ({
  type: title.replace(/ /g, ''),
  title,
  category: category.split('/'),
  inputs: [],
  outputs: [],
  ...more,
});
const input = (socket: string | undefined) => [{ name: 'in', label: 'in', socket, required: true }];
const output = (socket: string) => [{ label: 'out', socket }];

const KINDS = [
  kind('Test Node', '_for_testing'),
  kind('Save Image', 'image', { inputs: input('IMAGE') }),
  kind('Load Image', 'image', { outputs: output('IMAGE') }),
  kind('Image Scale', 'image/upscaling', { inputs: input('IMAGE'), outputs: output('IMAGE') }),
  kind('Encode', 'latent', { inputs: input('IMAGE'), outputs: output('LATENT') }),
  kind('Number', 'utils', { inputs: input(undefined) }),
  kind('Hidden', 'image', { hidden: true, inputs: input('IMAGE') }),
];

let dialog: AddDialog;
beforeEach(() => {
  dialog = new AddDialog();
  const state = new GraphState();
  const get = (type: string) => KINDS.find((each) => each.type === type);
  state.setKinds({ get, all: () => KINDS, canConnect: (from, to) => from === to });
  const nodes = ['LoadImage', 'SaveImage'].map((type, at) => ({
    id: String(at),
    type,
    x: 0,
    y: 0,
    values: {},
  }));
  state.open({ nodes: new Map(nodes.map((node) => [node.id, node])), links: [] });
  dialog.state = state;
});

const render = () => renderTemplate(dialog.render());
const titles = () =>
  [...render().html.matchAll(/data-tip=?[^>]*> ([^<]+) <small>|role="option"[^>]*> ([^<]+) <small>/g)].map(
    ([, a, b]) => a ?? b,
  );
const send = (event: string, fields: object, at = 0) => {
  const { listener } = render().listeners.filter((each) => each.event === event)[at]!;
  return listener.call(dialog, { preventDefault: () => {}, ...fields } as never);
};
/** The keys of the search field come before those of the dialog. */
const press = (key: string) => send('keydown', { key, stopPropagation: () => {} }, 1);
const search = (value: string) => send('input', { target: { value } });

it('lists the nodes by category and title, experimental ones last, without hidden ones', () => {
  expect(titles()).toEqual(['Load Image', 'Save Image', 'Image Scale', 'Encode', 'Number', 'Test Node']);
});

describe('the search', () => {
  it.each([
    ['image', ['Image Scale', 'Load Image', 'Save Image']],
    ['  IMAGE  sc ', ['Image Scale']],
    ['scale image', ['Image Scale']],
    ['saveimage', ['Save Image']],
    ['latent', ['Encode']],
    ['hidden', []],
    ['nothing like it', []],
  ])('for %j finds %j', (query, found) => {
    search(query);
    expect(titles()).toEqual(found);
    expect(render().html).toContain(found.length === 1 ? '>1 node<' : `>${found.length} nodes<`);
  });
});

describe('a wire', () => {
  it.each([
    [{ from: '0', output: 0 }, ['Save Image', 'Image Scale', 'Encode']],
    [{ to: '1', input: 'in' }, ['Load Image', 'Image Scale']],
    [{ from: '0', output: 1 }, []],
    [{ to: '1', input: 'none' }, []],
    [{ from: 'gone', output: 0 }, []],
  ])('%j fits %j', (wire, found) => {
    dialog.wire = wire;
    expect(titles()).toEqual(found);
  });
});

it('moves the choice within the list, and begins anew with each search', () => {
  const chosen = () => /aria-activedescendant="kind-(\d+)"/.exec(render().html)?.[1];
  expect(chosen()).toBe('0');
  for (const [key, expected] of [
    ['ArrowUp', '0'],
    ['ArrowDown', '1'],
    ['PageDown', '5'],
    ['ArrowDown', '5'],
    ['a', '5'],
    ['PageUp', '0'],
  ]) {
    press(key!);
    expect(chosen(), key).toBe(expected);
  }
  press('ArrowDown');
  search('image');
  expect(chosen()).toBe('0');
  search('nothing like it');
  press('ArrowDown');
  expect(chosen()).toBeUndefined();
  search('');
  expect(chosen()).toBe('0');
});

it('says that the nodes are still loading', () => {
  dialog.state = new GraphState();
  expect(render().html).toContain('Loading the nodes…');
});
