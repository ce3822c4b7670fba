import { expect, it } from 'vitest';
import { fileContext } from '#test/support/image-workflows/node-context.ts';
import { pythonJson } from '../../python/python-json.ts';
import { describeNode } from './describe.ts';
import { choice, float, int, link, optional } from './inputs.ts';
import { node, output } from './node-type.ts';

const { files } = fileContext().context;
const declaration = {
  name: 'Blur',
  category: 'image',
  module: 'nodes',
  inputs: {
    image: link('IMAGE'),
    radius: float({ default: 1, min: 0, max: 10, step: 0.5 }),
    mode: choice(['box', 'gauss']),
    passes: optional(int({ default: 1 })),
  },
  outputs: [output('IMAGE', 'blurred'), { type: ['box', 'gauss'] }],
  run: () => [],
} as const;
/** The description as clients receive it. */
const description = async (more: object = {}) =>
  JSON.parse(pythonJson(await describeNode(node({ ...declaration, ...more }), files)));

it('describes inputs in their sections and outputs by type and name', async () => {
  expect(await description()).toEqual({
    input: {
      required: {
        image: ['IMAGE', {}],
        radius: ['FLOAT', { default: 1, min: 0, max: 10, step: 0.5 }],
        mode: [['box', 'gauss']],
      },
      optional: { passes: ['INT', { default: 1 }] },
    },
    input_order: { required: ['image', 'radius', 'mode'], optional: ['passes'] },
    output: ['IMAGE', ['box', 'gauss']],
    output_is_list: [false, false],
    output_name: ['blurred', 'COMBO'],
    name: 'Blur',
    display_name: 'Blur',
    description: '',
    python_module: 'nodes',
    category: 'image',
    output_node: false,
  });
});

it('describes modern nodes with choices as COMBO, lists as arrays and all flags', async () => {
  const described = await description({
    modern: true,
    hidden: { unique_id: 'UNIQUE_ID' },
    experimental: true,
  });
  expect(described.input.required.mode).toEqual(['COMBO', { multiselect: false, options: ['box', 'gauss'] }]);
  expect(described.input.hidden).toEqual({ unique_id: ['UNIQUE_ID'] });
  expect(described).toMatchObject({
    display_name: null,
    output_tooltips: [null, null],
    deprecated: false,
    experimental: true,
    api_node: false,
  });
});

it('writes the options of a FLOAT as Python floats, and those of an INT as integers', async () => {
  const text = pythonJson(await describeNode(node(declaration), files));
  expect(text).toMatch(/"FLOAT", \{"default": 1\.0, "min": 0\.0, "max": 10\.0, "step": 0\.5\}/);
  expect(text).toContain('"INT", {"default": 1}');
});

it('lists the files of a choice at each description', async () => {
  let names = ['a.png'];
  const inputs = { image: choice(async () => names) };
  const first = await description({ inputs });
  names = ['a.png', 'b.png'];
  const second = await description({ inputs });
  expect(first.input.required.image).toEqual([['a.png']]);
  expect(second.input.required.image).toEqual([['a.png', 'b.png']]);
});
