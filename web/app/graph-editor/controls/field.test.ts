import { describe, expect, it } from 'vitest';
import { renderTemplate } from '#test/support/rendered-template.ts';
import type { AfterRun } from '../graph/graph.ts';
import type { JsonValue } from '../graph/value.ts';
import type { InputKind, Widget } from '../nodes/node-kind.ts';
import { GraphState } from '../state/graph-state.ts';
import { afterRunSelect, type InputControlOptions, inputControl } from './field.ts';

/** The control of a node with one input `a`, whose label is `A`. */
function control(widget: Widget, value?: JsonValue, more: Partial<InputControlOptions> = {}) {
  const input: InputKind = { name: 'a', label: 'A', socket: undefined, widget, required: true };
  const state = new GraphState();
  const values: Record<string, JsonValue> = value === undefined ? {} : { a: value };
  state.open({ nodes: new Map([['1', { id: '1', type: 'T', x: 0, y: 0, values }]]), links: [] });
  const node = () => state.graph.nodes.get('1')!;
  const render = () => renderTemplate(inputControl({ state, node: node(), input, ...more }));
  const send = (event: string, target: object, fields: object = {}) => {
    const { listener } = render().listeners.find((each) => each.event === event)!;
    return listener({ target, preventDefault: () => {}, ...fields } as never);
  };
  return { state, input, node, render, send, value: () => node().values.a };
}

const INTEGER: Widget = { kind: 'integer', initial: 20, min: 1, max: 100, step: 1 };
const NUMBER: Widget = { kind: 'number', initial: 0.5, min: 0, max: 1, step: 0.1 };
const CHOICE: Widget = { kind: 'choice', initial: 'x', options: ['x', 'y'] };
const TEXT: Widget = { kind: 'text', initial: '', multiline: false };

describe('a number', () => {
  it.each<[Widget, string, JsonValue]>([
    [INTEGER, '7', 7],
    [INTEGER, ' 7,6 ', 8],
    [INTEGER, '1000', 100],
    [INTEGER, '-5', 1],
    [INTEGER, '', 20],
    [INTEGER, 'seven', 20],
    [INTEGER, 'Infinity', 20],
    [NUMBER, '0,25', 0.25],
    [NUMBER, '1e9', 1],
    [{ ...INTEGER, max: undefined } as Widget, '18446744073709551615', 18446744073709551615n],
  ])('of %j takes the typed %j as %s', (widget, typed, expected) => {
    const field = control(widget, widget.initial);
    const target = { value: typed };
    field.send('change', target);
    expect(field.value()).toBe(expected);
    expect(target.value).toBe(String(expected));
  });

  it.each<[string, object, JsonValue]>([
    ['ArrowUp', {}, 21],
    ['ArrowDown', {}, 19],
    ['ArrowUp', { shiftKey: true }, 30],
    ['ArrowUp', { ctrlKey: true }, 20],
    ['ArrowDown', { altKey: true }, 20],
    ['Enter', {}, 20],
  ])('changes at %s with %j to %s', (key, keys, expected) => {
    const field = control(INTEGER, 20);
    field.send('keydown', { value: '20' }, { key, ...keys });
    expect(field.value()).toBe(expected);
  });

  it('steps from typed text that is not stored yet, or from the value where that is no number', () => {
    const field = control(INTEGER, 20);
    field.send('keydown', { value: '50' }, { key: 'ArrowUp' });
    expect(field.value()).toBe(51);
    field.send('keydown', { value: 'x' }, { key: 'ArrowUp' });
    expect(field.value()).toBe(52);
  });

  it('shows the limits that it has, and every digit of a seed', () => {
    expect(control(INTEGER, 5).render().html).toContain(
      'aria-valuetext="5" aria-valuemin="1" aria-valuemax="100"',
    );
    const seed = control({ kind: 'integer', initial: 0, step: 1 }, 18446744073709551615n).render().html;
    expect(seed).toContain('.value="18446744073709551615"');
    expect(seed).not.toContain('aria-valuemin');
  });
});

describe('a choice', () => {
  it.each<[JsonValue | undefined, Partial<InputControlOptions>, string[]]>([
    [undefined, {}, ['x', 'y']],
    ['y', {}, ['x', 'y']],
    ['gone.safetensors', {}, ['gone.safetensors', 'x', 'y']],
    ['y', { onlySelectedOption: true }, ['y']],
    [5, {}, ['5', 'x', 'y']],
  ])('of the value %s with %j has the options %j', (value, more, options) => {
    const { html } = control(CHOICE, value, more).render();
    expect([...html.matchAll(/<option value="([^"]*)"/g)].map(([, option]) => option)).toEqual(options);
    const [, selected] = /<option value="([^"]*)" .selected="true"/.exec(html)!;
    expect(selected).toBe(String(value ?? 'x'));
  });

  it('offers files only where the widget and the page take them', async () => {
    const upload = async (file: File) => `${file.name} (1)`;
    const widget: Widget = { ...CHOICE, upload: 'image/*' };
    expect(control(widget).render().html).not.toContain('type="file"');
    expect(control(CHOICE, 'x', { upload }).render().html).not.toContain('type="file"');
    const field = control(widget, 'x', { upload });
    const choose = field.render().listeners.at(-1)!.listener;
    await choose({ target: { files: [] } } as never);
    expect(field.value()).toBe('x');
    await choose({ target: { files: [new File([], 'a.png')] } } as never);
    expect(field.value()).toBe('a.png (1)');
  });
});

describe('text and switches', () => {
  it.each<[Widget, JsonValue | undefined, string]>([
    [TEXT, undefined, '.value=""'],
    [TEXT, { b: [1n] }, '.value="{"b":[1]}"'],
    [TEXT, null, '.value=""'],
    [{ ...TEXT, multiline: true }, 'a', 'placeholder="A"'],
    [{ ...TEXT, multiline: true, hint: 'write' }, 'a', 'placeholder="write"'],
    [{ kind: 'switch', initial: true }, undefined, '.checked="true"'],
    [{ kind: 'switch', initial: true }, false, '.checked="false"'],
    [{ kind: 'switch', initial: true }, 'true', '.checked="false"'],
  ])('of %j with %s show %s', (widget, value, text) => {
    expect(control(widget, value).render().html).toContain(text);
  });

  it('store what was typed or switched', () => {
    const text = control(TEXT, 'a');
    text.send('input', { value: 'b' });
    expect(text.value()).toBe('b');
    const toggle = control({ kind: 'switch', initial: false }, false);
    toggle.send('change', { checked: true });
    expect(toggle.value()).toBe(true);
  });
});

it.each([INTEGER, NUMBER, CHOICE, TEXT, { kind: 'switch', initial: false } as Widget])(
  'marks a problem of its own input only: %j',
  (widget) => {
    const field = control(widget);
    field.state.problems = new Map([['1', [{ input: 'b', message: 'm' }, { message: 'm' }]]]);
    expect(field.render().html).not.toContain('aria-invalid');
    field.state.problems = new Map([['1', [{ input: 'a', message: 'm' }]]]);
    expect(field.render().html).toContain('aria-invalid="true"');
  },
);

describe('the change after a run', () => {
  const render = (widget: Widget, chosen?: AfterRun) => {
    const { state, node, input } = control(widget, 1);
    if (chosen) state.setAfterRun('1', 'a', chosen);
    return { state, node, ...renderTemplate(afterRunSelect(state, node(), input)) };
  };

  it.each<[Widget, AfterRun | undefined, string | undefined]>([
    [INTEGER, undefined, undefined],
    [INTEGER, 'increment', 'increment'],
    [{ ...INTEGER, changesAfterRun: true }, undefined, 'fixed'],
    [NUMBER, 'increment', undefined],
    [TEXT, undefined, undefined],
  ])('of %j with %s shows %s', (widget, chosen, shown) => {
    const { html } = render(widget, chosen);
    expect(/value="(\w+)" .selected="true"/.exec(html)?.[1]).toBe(shown);
  });

  it('is stored in the node', () => {
    const { listeners, node } = render({ ...INTEGER, changesAfterRun: true });
    listeners[0]!.listener({ target: { value: 'randomize' } } as never);
    expect(node().afterRun).toEqual({ a: 'randomize' });
  });
});
