import { describe, expect, it } from 'vitest';
import type { NodeDescription, Parameter } from './node-description.ts';
import {
  filledParameters,
  includesVersion,
  meetsConditions,
  nodeSettings,
  shownParameters,
} from './node-settings.ts';
import type { WorkflowNode } from './workflow.ts';

const parameter = (name: string, more: Partial<Parameter> = {}): Parameter => ({
  name,
  label: name,
  type: 'string',
  default: `default ${name}`,
  ...more,
});

const type = (...parameters: Parameter[]): NodeDescription => ({
  name: 'x',
  label: 'X',
  description: '',
  group: 'data',
  versions: [1, 2],
  inputs: 1,
  outputs: ['main'],
  parameters,
});

const node = (parameters: Record<string, unknown> = {}, typeVersion = 1): WorkflowNode => ({
  id: '1',
  name: 'N',
  type: 'x',
  typeVersion,
  position: [0, 0],
  parameters,
});

describe('nodeSettings', () => {
  it('prefers stored values, even empty ones', () => {
    const { get } = nodeSettings(type(parameter('a'), parameter('b')), node({ a: '', b: null }));
    expect([get('a'), get('b')]).toEqual(['', null]);
  });

  it('has no defaults for unknown types and names', () => {
    expect(nodeSettings(undefined, node({ a: 1 })).get('a')).toBe(1);
    expect(nodeSettings(undefined, node()).get('a')).toBeUndefined();
    expect(nodeSettings(type(parameter('a')), node()).get('b')).toBeUndefined();
  });

  it('reads paths, in stored values and in defaults', () => {
    const options = parameter('options', { type: 'collection', default: { code: 200 } });
    expect(nodeSettings(type(options), node()).get('options.code')).toBe(200);
    expect(nodeSettings(type(options), node({ options: { code: 5 } })).get('options.code')).toBe(5);
    expect(nodeSettings(type(options), node({ options: {} })).get('options.code')).toBe(200);
  });

  it('chooses the description by version, then by conditions', () => {
    const described = type(
      parameter('unit', { default: 'hours', versions: { to: 1 } }),
      parameter('unit', { default: 'days', versions: { from: 2 }, show: { mode: ['long'] } }),
      parameter('unit', { default: 'seconds', versions: { from: 2 } }),
      parameter('mode', { default: 'short' }),
    );
    expect(nodeSettings(described, node()).get('unit')).toBe('hours');
    expect(nodeSettings(described, node({}, 2)).get('unit')).toBe('seconds');
    expect(nodeSettings(described, node({ mode: 'long' }, 2)).get('unit')).toBe('days');
  });

  it('gives the default of a hidden parameter', () => {
    const hidden = parameter('a', { show: { mode: ['other'] } });
    expect(nodeSettings(type(hidden), node()).get('a')).toBe('default a');
  });

  it('allows descriptions that depend on one another', () => {
    const a = parameter('a', { show: { b: ['default b'] } });
    const b = parameter('b', { show: { a: ['default a'] } });
    expect(nodeSettings(type(a, b), node()).get('a')).toBe('default a');
  });
});

describe('shownParameters', () => {
  const names = (parameters: Parameter[], values: Record<string, unknown>, group?: string) =>
    shownParameters(parameters, nodeSettings(type(), node(values)), group).map(({ name }) => name);

  it('needs every condition of show, and hides by every condition of hide', () => {
    const show = parameter('show', { show: { a: [1, 2], b: ['x'] } });
    const hide = parameter('hide', { hide: { a: [1], b: ['x'] } });
    expect(names([show, hide], { a: 2, b: 'x' })).toEqual(['show', 'hide']);
    expect(names([show, hide], { a: 1, b: 'x' })).toEqual(['show']);
    expect(names([show, hide], { a: 1, b: 'y' })).toEqual(['hide']);
  });

  it('finds an allowed value in a list', () => {
    expect(names([parameter('p', { show: { a: ['x'] } })], { a: ['w', 'x'] })).toEqual(['p']);
  });

  it('looks in the group, or at the node itself after a slash', () => {
    const inGroup = parameter('inGroup', { show: { kind: ['a'] } });
    const atNode = parameter('atNode', { show: { '/kind': ['b'] } });
    const values = { kind: 'b', group: { kind: 'a' } };
    expect(names([inGroup, atNode], values, 'group.')).toEqual(['inGroup', 'atNode']);
    expect(names([inGroup, atNode], values)).toEqual(['atNode']);
  });
});

it('filledParameters adds the defaults of shown parameters, without notices', () => {
  const described = type(
    parameter('a'),
    parameter('a', { default: 'second' }),
    parameter('b', { show: { a: ['other'] } }),
    parameter('text', { type: 'notice' }),
  );
  expect(filledParameters(described, node({ own: 1 }))).toEqual({ a: 'default a', own: 1 });
  expect(filledParameters(described, node({ a: 'other' }))).toEqual({ a: 'other', b: 'default b' });
});

it.each([
  [1, undefined, true],
  [1, {}, true],
  [1, { from: 1 }, true],
  [1, { from: 1.1 }, false],
  [2, { to: 2 }, true],
  [2.1, { from: 1, to: 2 }, false],
])('includesVersion(%s, %j) is %s', (version, versions, expected) => {
  expect(includesVersion(version, versions)).toBe(expected);
});

it('meetsConditions holds without conditions', () => {
  const settings = nodeSettings(type(), node({ a: 1 }));
  expect([undefined, { a: [1] }, { a: [2] }].map((show) => meetsConditions(show, settings))).toEqual([
    true,
    true,
    false,
  ]);
});
