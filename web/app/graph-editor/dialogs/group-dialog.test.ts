import { beforeEach, expect, it } from 'vitest';
import { renderTemplate } from '#test/support/rendered-template.ts';
import { GraphState } from '../state/graph-state.ts';
import { GroupDialog } from './group-dialog.ts';

let dialog: GroupDialog;
let state: GraphState;
beforeEach(() => {
  dialog = new GroupDialog();
  state = new GraphState();
  state.open({ nodes: new Map([['1', { id: '1', type: 'T', x: 0, y: 0, values: {} }]]), links: [] });
  state.select(['1']);
  dialog.state = state;
  dialog.group = state.groups.add('Pair');
});

const render = () => renderTemplate(dialog.render());
const checked = () =>
  [...render().html.matchAll(/aria-label="(\w+)" .checked="true"/g)].map(([, name]) => name);
const changeColor = (name: string) => {
  const names = [...render().html.matchAll(/name="color" aria-label="(\w+)"/g)].map(([, color]) => color);
  const changes = render().listeners.filter(({ event }) => event === 'change');
  changes[names.indexOf(name)]!.listener(undefined as never);
};

it('shows and changes the name', () => {
  expect(render().html).toContain('.value="Pair"');
  const { listener } = render().listeners.find(({ event }) => event === 'input')!;
  listener({ target: { value: 'Other\nname' } } as never);
  expect(state.groups.get(dialog.group)?.title).toBe('Other\nname');
});

it('shows and changes the color', () => {
  expect(checked()).toEqual(['plain']);
  changeColor('blue');
  expect([state.groups.get(dialog.group)?.color, checked()]).toEqual(['#3f789e', ['blue']]);
  changeColor('plain');
  expect([state.groups.get(dialog.group)?.color, checked()]).toEqual([undefined, ['plain']]);
  state.groups.change(dialog.group!, { color: '#123456' });
  expect(checked()).toEqual([]);
});

it.each([undefined, 'gone'])('is empty for the group %s', (group) => {
  dialog.group = group;
  expect(render().html).not.toContain('textarea');
});
