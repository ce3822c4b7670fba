import { afterEach, beforeEach, expect, it } from 'vitest';
import { imageServer } from '#test/support/image-workflows/image-server.ts';
import { fileContext } from '#test/support/image-workflows/node-context.ts';
import { pythonJson } from '../../python/python-json.ts';
import { describeNode } from './describe.ts';
import { expandInputs, group, matching, nestValues, variants } from './dynamic-inputs.ts';
import { choice, float, int, lazy, optional } from './inputs.ts';
import { node, output } from './node-type.ts';

/** Joins what it receives to a text. */
const joiner = node({
  name: 'Joiner',
  category: 'test',
  module: 'test',
  modern: true,
  inputs: {
    parts: group('part', matching('T'), { prefix: 'part', min: 2, max: 4 }, { tooltip: 'What to join.' }),
    named: optional(group('value', float(), { names: ['x', 'y'], min: 1 })),
    size: variants({
      fixed: { width: int({ min: 1, max: 10 }), crop: choice(['no', 'yes']) },
      nested: { inner: variants({ some: { count: int() }, none: {} }) },
    }),
  },
  outputs: [{ type: 'COMFY_MATCHTYPE_V3', name: 'joined', matches: 'T' }, output('STRING')],
  run: (values) => [
    values.parts,
    JSON.stringify(values, (_, value) => (typeof value === 'bigint' ? Number(value) : value)),
  ],
});

/** Needs its second member only. */
const lazyJoiner = node({
  name: 'LazyJoiner',
  category: 'test',
  module: 'test',
  inputs: { parts: group('part', lazy(matching('T')), { names: ['a', 'b'], min: 0 }) },
  outputs: [output('STRING')],
  needs: () => ['parts.b'],
  run: ({ parts }) => [JSON.stringify(parts)],
});

let server: ReturnType<typeof imageServer>;
beforeEach(() => {
  server = imageServer({ customNodes: [joiner, lazyJoiner] });
});
afterEach(() => server.close());

const text = (value: string) => ({ class_type: 'PrimitiveString', inputs: { value } });
const graph = (inputs: Record<string, unknown>, class_type = 'Joiner', slot = 1) => ({
  a: text('A'),
  b: text('B'),
  c: text('C'),
  joined: { class_type, inputs },
  shown: { class_type: 'PreviewAny', inputs: { source: ['joined', slot] } },
});
const complete = {
  'parts.part0': ['a', 0],
  'parts.part1': ['b', 0],
  size: 'fixed',
  'size.width': 3,
  'size.crop': 'no',
};
const shown = async (inputs: Record<string, unknown>) => {
  const { entry } = await server.run(graph(inputs));
  return JSON.parse(String((entry.outputs.shown as { text: string[] }).text[0]));
};
const errorsOf = async (inputs: Record<string, unknown>) => {
  const answer = await server.ask('POST', '/prompt', { prompt: graph(inputs) });
  const { node_errors } = (await answer.json()) as {
    node_errors: Record<string, { errors: { type: string; details: string }[] }>;
  };
  return (node_errors.joined?.errors ?? []).map(({ type, details }) => `${type}: ${details}`);
};

it('is described as newer editors read it', async () => {
  const { files } = fileContext().context;
  const description = JSON.parse(pythonJson(await describeNode(joiner, files)));
  expect(description.input).toEqual({
    required: {
      parts: [
        'COMFY_AUTOGROW_V3',
        {
          tooltip: 'What to join.',
          template: {
            input: {
              required: {
                part: ['COMFY_MATCHTYPE_V3', { template: { template_id: 'T', allowed_types: '*' } }],
              },
            },
            prefix: 'part',
            min: 2,
            max: 4,
          },
        },
      ],
      size: [
        'COMFY_DYNAMICCOMBO_V3',
        {
          options: [
            {
              key: 'fixed',
              inputs: {
                required: {
                  width: ['INT', { min: 1, max: 10 }],
                  crop: ['COMBO', { multiselect: false, options: ['no', 'yes'] }],
                },
              },
            },
            {
              key: 'nested',
              inputs: {
                required: {
                  inner: [
                    'COMFY_DYNAMICCOMBO_V3',
                    {
                      options: [
                        { key: 'some', inputs: { required: { count: ['INT', {}] } } },
                        { key: 'none', inputs: { required: {} } },
                      ],
                    },
                  ],
                },
              },
            },
          ],
        },
      ],
    },
    optional: {
      named: [
        'COMFY_AUTOGROW_V3',
        { template: { input: { required: { value: ['FLOAT', {}] } }, names: ['x', 'y'], min: 1 } },
      ],
    },
  });
  expect(description).toMatchObject({
    input_order: { required: ['parts', 'size'], optional: ['named'] },
    output: ['COMFY_MATCHTYPE_V3', 'STRING'],
    output_matchtypes: ['T', null],
  });
});

it('delivers members by name within their group and variant', async () => {
  expect(await shown({ ...complete, 'parts.part3': ['c', 0], 'named.y': 2 })).toEqual({
    parts: { part0: 'A', part1: 'B', part3: 'C' },
    named: { y: 2 },
    size: { key: 'fixed', width: 3, crop: 'no' },
  });
  const { size: _, 'size.width': _w, 'size.crop': _c, ...parts } = complete;
  expect(
    await shown({ ...parts, size: 'nested', 'size.inner': 'some', 'size.inner.count': 5, 'size.width': 99 }),
  ).toMatchObject({ named: {}, size: { key: 'nested', inner: { key: 'some', count: 5 } } });
});

it.each([
  ['a missing member', { 'parts.part1': undefined }, ['required_input_missing: parts.part1']],
  ['a missing input of the variant', { 'size.crop': undefined }, ['required_input_missing: size.crop']],
  ['a missing choice', { size: undefined }, ['required_input_missing: size']],
  ['an unknown choice', { size: 'any' }, ["value_not_in_list: size: 'any' not in ['fixed', 'nested']"]],
  ['a number out of range', { 'size.width': 11 }, ['value_bigger_than_max: size.width']],
  [
    'a member of another type',
    { 'named.x': ['a', 0] },
    ['return_type_mismatch: named.x, received_type(STRING) mismatch input_type(FLOAT)'],
  ],
  ['an unknown member', { 'parts.part4': ['nobody', 0], 'named.z': 'no' }, []],
])('%s', async (_, changes, errors) => {
  const inputs = Object.fromEntries(
    Object.entries({ ...complete, ...changes }).filter(([, value]) => value !== undefined),
  );
  expect(await errorsOf(inputs)).toEqual(errors);
});

it('names inherited by every object are no variants', () => {
  const inputs = { size: variants({ fixed: {} }) };
  const held = new Map([['size', 'constructor']]);
  expect(Object.keys(expandInputs(inputs, held))).toEqual(['size']);
  expect(nestValues(inputs, { size: 'constructor' })).toEqual({ size: { key: 'constructor' } });
});

it('runs only the lazy members that the node needs', async () => {
  const inputs = { 'parts.a': ['a', 0], 'parts.b': ['b', 0] };
  const { entry, heard } = await server.run(graph(inputs, 'LazyJoiner', 0));
  expect(entry.outputs.shown).toEqual({ text: ['{"b":"B"}'] });
  const started = heard.flatMap((message) => ('type' in message && message.data.node) || []);
  expect(started).not.toContain('a');
});
