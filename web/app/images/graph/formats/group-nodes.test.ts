/** Files with group nodes, as ComfyUI's editor saved them before subgraphs. */
import { beforeAll, expect, it } from 'vitest';
import { imageServer } from '#test/support/image-workflows/image-server.ts';
import { parseExactJson, printExactJson } from '#web/app/graph-editor/graph/value.ts';
import type { NodeKinds } from '#web/app/graph-editor/nodes/node-kind.ts';
import { readKinds } from '../object-info.ts';
import { toApiFormat } from './api-format.ts';
import { readGraphText } from './graph-file.ts';

let kinds: NodeKinds;
beforeAll(async () => {
  kinds = readKinds(parseExactJson(await (await imageServer().ask('GET', '/object_info')).text()));
});

/** A reroute, an inversion whose image is also an output, and a scale with a hidden output for a preview. */
const groupNodes = {
  'Invert and scale': {
    nodes: [
      {
        index: 0,
        type: 'Reroute',
        inputs: [{ name: '', type: '*', link: null }],
        outputs: [{ name: '', type: '*' }],
      },
      {
        index: 1,
        type: 'ImageInvert',
        inputs: [{ name: 'image', type: 'IMAGE', link: null }],
        outputs: [{ name: 'IMAGE', type: 'IMAGE' }],
        widgets_values: [],
      },
      {
        index: 2,
        type: 'ImageScale',
        inputs: [
          { name: 'image', type: 'IMAGE', link: null },
          { name: 'width', type: 'INT', widget: { name: 'width' }, link: null },
        ],
        outputs: [{ name: 'IMAGE', type: 'IMAGE' }],
        widgets_values: ['nearest-exact', 512, 32, 'disabled'],
      },
      {
        index: 3,
        type: 'ImageScaleBy',
        inputs: [{ name: 'image', type: 'IMAGE', link: null }],
        outputs: [{ name: 'IMAGE', type: 'IMAGE' }],
        widgets_values: ['area', 2],
      },
    ],
    links: [
      [0, 0, 1, 0, 7, '*'],
      [1, 0, 2, 0, 8, 'IMAGE'],
      [null, 0, 3, 0, 9, 'IMAGE'],
    ],
    external: [],
    config: { 1: { output: { 0: { visible: true } } }, 3: { output: { 0: { visible: false } } } },
  },
};
const file = {
  nodes: [
    { id: 1, type: 'EmptyImage', pos: [0, 0], inputs: [], widgets_values: [16, 16, 1, 0] },
    {
      id: 5,
      type: 'workflow>Invert and scale',
      pos: [300, 0],
      inputs: [
        { name: 'image', type: 'IMAGE', link: 1 },
        { name: 'ImageScaleBy image', type: 'IMAGE', link: null },
      ],
      outputs: [
        { name: 'IMAGE', type: 'IMAGE', links: [2] },
        { name: 'ImageScale IMAGE', type: 'IMAGE', links: [3] },
      ],
      widgets_values: ['bicubic', 100, 50, 'center', 'lanczos', 3],
    },
    { id: 6, type: 'PreviewImage', pos: [600, 0], inputs: [{ name: 'images', type: 'IMAGE', link: 2 }] },
    {
      id: 7,
      type: 'SaveImage',
      pos: [600, 0],
      inputs: [{ name: 'images', type: 'IMAGE', link: 3 }],
      widgets_values: ['x'],
    },
  ],
  links: [
    [1, 1, 0, 5, 0, 'IMAGE'],
    [2, 5, 0, 6, 0, 'IMAGE'],
    [3, 5, 1, 7, 0, 'IMAGE'],
  ],
  extra: { groupNodes },
  version: 0.4,
};

it('replaces a group node by its nodes, with the values of the group node', () => {
  const prompt = JSON.parse(printExactJson(toApiFormat(readGraphText(JSON.stringify(file), kinds), kinds)));
  expect(Object.keys(prompt).sort()).toEqual(['1', '5:1', '5:2', '5:3', '6', '7']);
  expect(prompt['5:1'].inputs).toEqual({ image: ['1', 0] });
  expect(prompt['5:2'].inputs).toEqual({
    image: ['5:1', 0],
    upscale_method: 'bicubic',
    width: 100,
    height: 50,
    crop: 'center',
  });
  expect(prompt['5:3'].inputs).toEqual({ upscale_method: 'lanczos', scale_by: 3 });
  expect(prompt['6'].inputs.images).toEqual(['5:1', 0]);
  expect(prompt['7'].inputs.images).toEqual(['5:2', 0]);
});

it('leaves a group node without its nodes in the file as an unknown node', () => {
  const graph = readGraphText(JSON.stringify({ ...file, extra: {} }), kinds);
  expect(graph.nodes.get('5')?.type).toBe('workflow>Invert and scale');
});
