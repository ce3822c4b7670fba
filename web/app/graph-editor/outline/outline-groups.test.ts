import { beforeEach, expect, it } from 'vitest';
import { renderTemplate } from '#test/support/rendered-template.ts';
import { GraphState } from '../state/graph-state.ts';
import { OutlineGroups } from './outline-groups.ts';

let element: OutlineGroups;
let state: GraphState;
beforeEach(() => {
  element = new OutlineGroups();
  state = new GraphState();
  const node = (id: string, x: number) => ({ id, type: 'T', title: `Node ${id}`, x, y: 0, values: {} });
  state.open({ nodes: new Map([node('1', 0), node('2', 5000)].map((each) => [each.id, each])), links: [] });
  element.state = state;
});

const addGroup = () => {
  state.select(['1']);
  return state.groups.add('Pair')!;
};
const render = () => renderTemplate(element.render());
const options = () => [...render().html.matchAll(/<option value="([^"]*)"/g)].map(([, color]) => color);
const selected = () => /<option value="([^"]*)" .selected="true"/.exec(render().html)?.[1];
const send = (event: string, value: string) =>
  render()
    .listeners.find((each) => each.event === event)!
    .listener({ target: { value } } as never);

it('shows nothing without groups', () => expect(render().html).toBe(''));

it('names the group and its nodes', () => {
  addGroup();
  expect(render().html).toContain('aria-label="Group Pair"');
  expect(render().html).toContain('<p>contains Node 1</p>');
  expect(render().html).not.toContain('Node 2');
});

it('disables the buttons of a group without nodes', () => {
  addGroup();
  state.delete(new Set(['1']));
  expect(render().html).toContain('<p>It contains no nodes.</p>');
  expect(render().html.match(/\?disabled="true"/g)).toHaveLength(2);
});

it('renames the group, also to an empty name', () => {
  addGroup();
  send('input', 'Other');
  expect(state.groups.all[0]!.title).toBe('Other');
  send('input', '');
  expect(render().html).toContain('aria-label="Group without a name"');
});

it('offers a color of the file that the editor does not list', () => {
  const id = addGroup();
  const listed = options();
  expect(listed).toContain('');
  state.groups.change(id, { color: '#123456' });
  expect([options(), selected()]).toEqual([[...listed, '#123456'], '#123456']);
  send('change', listed[1]!);
  expect([options(), selected()]).toEqual([listed, listed[1]]);
  send('change', '');
  expect([state.groups.all[0]!.color, selected()]).toEqual([undefined, '']);
});

it.each(['toString', 'constructor'])('offers the damaged color %s of a file', (color) => {
  state.groups.change(addGroup(), { color });
  expect([options().at(-1), selected()]).toEqual([color, color]);
});
