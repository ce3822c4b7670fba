/** Files with subgraphs, as ComfyUI's editor saves them. */
import { beforeAll, expect, it } from 'vitest';
import { imageServer } from '#test/support/image-workflows/image-server.ts';
import { type ExactJsonObject, parseExactJson, printExactJson } from '#web/app/graph-editor/graph/value.ts';
import type { NodeKinds } from '#web/app/graph-editor/nodes/node-kind.ts';
import { readKinds } from '../object-info.ts';
import { toApiFormat } from './api-format.ts';
import { readGraphText } from './graph-file.ts';
import { toSavedFormat } from './saved-format.ts';

let kinds: NodeKinds;
beforeAll(async () => {
  kinds = readKinds(parseExactJson(await (await imageServer().ask('GET', '/object_info')).text()));
});

const INNER = '3f2a7a10-1111-4222-8333-444455556666';
const OUTER = '9c0b7a10-1111-4222-8333-444455556666';
const link = (id: number, from: number, output: number, to: number, input: number, type = 'IMAGE') => ({
  id,
  origin_id: from,
  origin_slot: output,
  target_id: to,
  target_slot: input,
  type,
});

/** Inverts an image and scales it. Inputs: the image and the width. */
const inner = {
  id: INNER,
  version: 1,
  name: 'Invert and scale',
  inputNode: { id: -10, bounding: [0, 0, 100, 60] },
  outputNode: { id: -20, bounding: [900, 0, 100, 60] },
  inputs: [
    { id: 'a', name: 'picture', type: 'IMAGE', linkIds: [1] },
    { id: 'b', name: 'width', type: 'INT', linkIds: [3] },
  ],
  outputs: [
    { id: 'c', name: 'scaled', type: 'IMAGE', linkIds: [4] },
    { id: 'd', name: 'as it was', type: 'IMAGE', linkIds: [5] },
  ],
  nodes: [
    {
      id: 7,
      type: 'ImageInvert',
      pos: [200, 100],
      size: [200, 60],
      mode: 0,
      inputs: [{ name: 'image', type: 'IMAGE', link: 1 }],
      outputs: [{ name: 'IMAGE', type: 'IMAGE', links: [2] }],
      widgets_values: [],
    },
    {
      id: 8,
      type: 'ImageScale',
      pos: [500, 100],
      size: [270, 200],
      inputs: [
        { name: 'image', type: 'IMAGE', link: 2 },
        { name: 'width', type: 'INT', widget: { name: 'width' }, link: 3 },
      ],
      outputs: [{ name: 'IMAGE', type: 'IMAGE', links: [4] }],
      widgets_values: ['nearest-exact', 512, 32, 'disabled'],
    },
  ],
  links: [
    link(1, -10, 0, 7, 0),
    link(2, 7, 0, 8, 0),
    link(3, -10, 1, 8, 1, 'INT'),
    link(4, 8, 0, -20, 0),
    link(5, -10, 0, -20, 1),
  ],
  groups: [{ title: 'inside', bounding: [190, 60, 300, 200], color: '#3f789e' }],
};

const instance = (id: number, picture: number, outputs: number[][], more: ExactJsonObject = {}) => ({
  id,
  type: INNER,
  pos: [400, 0],
  size: [200, 80],
  mode: 0,
  inputs: [
    { name: 'picture', type: 'IMAGE', link: picture },
    { name: 'width', type: 'INT', widget: { name: 'width' }, link: null },
  ],
  outputs: [
    { name: 'scaled', type: 'IMAGE', links: outputs[0] },
    { name: 'as it was', type: 'IMAGE', links: outputs[1] },
  ],
  widgets_values: [64],
  ...more,
});
const source = {
  id: 1,
  type: 'EmptyImage',
  pos: [0, 0],
  size: [270, 150],
  outputs: [{ name: 'IMAGE', type: 'IMAGE', links: [10] }],
  widgets_values: [16, 16, 1, 0],
};
const preview = (id: number, from: number) => ({
  id,
  type: 'PreviewImage',
  pos: [700, id * 100],
  size: [270, 100],
  inputs: [{ name: 'images', type: 'IMAGE', link: from }],
});
const file = (more: ExactJsonObject = {}) => ({
  version: 0.4,
  nodes: [source, instance(10, 10, [[11], [12]], more), preview(20, 11), preview(21, 12)],
  links: [
    [10, 1, 0, 10, 0, 'IMAGE'],
    [11, 10, 0, 20, 0, 'IMAGE'],
    [12, 10, 1, 21, 0, 'IMAGE'],
  ],
  definitions: { subgraphs: [inner] },
});
const read = (value: unknown) => readGraphText(JSON.stringify(value), kinds);
const inputsOf = (prompt: ExactJsonObject, id: string) =>
  (prompt[id] as ExactJsonObject).inputs as ExactJsonObject;

it('flattens a subgraph for a run', () => {
  const prompt = toApiFormat(read(file()), kinds);
  expect(Object.keys(prompt).sort()).toEqual(['1', '10:7', '10:8', '20', '21']);
  expect(inputsOf(prompt, '10:7')).toEqual({ image: ['1', 0] });
  expect(inputsOf(prompt, '10:8')).toEqual({
    image: ['10:7', 0],
    upscale_method: 'nearest-exact',
    width: 64,
    height: 32,
    crop: 'disabled',
  });
  expect(inputsOf(prompt, '20').images).toEqual(['10:8', 0]);
  // An input that is passed straight to an output keeps its source.
  expect(inputsOf(prompt, '21').images).toEqual(['1', 0]);
});

it('shows the inner nodes as a group and moves other nodes away', () => {
  const graph = read(file({ title: 'mine' }));
  expect(graph.groups?.map(({ title }) => title)).toEqual(['mine', 'inside']);
  const [frame] = graph.groups!;
  const at = (id: string) => graph.nodes.get(id)!;
  expect(frame).toMatchObject({ x: 400, y: 0 });
  for (const id of ['10:7', '10:8']) {
    expect(at(id).x).toBeGreaterThan(frame!.x);
    expect(at(id).y).toBeGreaterThan(frame!.y);
  }
  expect(at('10:8').x - at('10:7').x).toBe(300);
  expect(at('20').x).toBeGreaterThan(frame!.x + frame!.width);
  expect(at('1').x).toBe(0);
});

it('saves a flat graph with numeric node ids', () => {
  const graph = read(file());
  const saved = toSavedFormat(graph, kinds);
  expect(saved.definitions).toBeUndefined();
  expect((saved.nodes as ExactJsonObject[]).every(({ id }) => Number.isSafeInteger(id))).toBe(true);
  const again = readGraphText(printExactJson(saved), kinds);
  const values = (prompt: ExactJsonObject) =>
    Object.values(prompt)
      .map((node) => (node as ExactJsonObject).class_type)
      .sort();
  expect(values(toApiFormat(again, kinds))).toEqual(values(toApiFormat(graph, kinds)));
  expect(again.links).toHaveLength(graph.links.length);
});

it('reads values from the list of proxy widgets', () => {
  const shown = {
    properties: {
      proxyWidgets: [
        ['-1', 'width'],
        ['8', 'height'],
      ],
    },
    widgets_values: [100, 50],
  };
  const prompt = toApiFormat(read(file(shown)), kinds);
  expect(inputsOf(prompt, '10:8')).toMatchObject({ width: 100, height: 50 });
  // A list of another length is ignored.
  expect(inputsOf(toApiFormat(read(file({ widgets_values: [] })), kinds), '10:8').width).toBe(512);
});

it('reads values of inputs that newer files do not list at the node', () => {
  const listed = { inputs: [{ name: 'picture', type: 'IMAGE', link: 10 }], widgets_values: [100] };
  const prompt = toApiFormat(read(file(listed)), kinds);
  expect(inputsOf(prompt, '10:7')).toEqual({ image: ['1', 0] });
  expect(inputsOf(prompt, '10:8').width).toBe(100);
});

it('passes its input on when bypassed, and nothing when muted', () => {
  const bypassed = toApiFormat(read(file({ mode: 4 })), kinds);
  expect(Object.keys(bypassed).sort()).toEqual(['1', '20', '21']);
  expect(inputsOf(bypassed, '20').images).toEqual(['1', 0]);
  const muted = toApiFormat(read(file({ mode: 2 })), kinds);
  expect(Object.keys(muted).sort()).toEqual(['1', '20', '21']);
  expect(inputsOf(muted, '20')).toEqual({});
});

it('flattens nested subgraphs with values from outside', () => {
  const outer = {
    id: OUTER,
    name: 'Twice',
    inputs: [
      { name: 'from', type: 'IMAGE' },
      { name: 'wide', type: 'INT' },
    ],
    outputs: [{ name: 'to', type: 'IMAGE' }],
    nodes: [
      {
        ...instance(3, 1, [[2], []]),
        inputs: [
          { name: 'picture', type: 'IMAGE', link: 1 },
          { name: 'width', type: 'INT', widget: { name: 'width' }, link: 4 },
        ],
      },
      instance(4, 2, [[3], []]),
    ],
    links: [link(1, -10, 0, 3, 0), link(2, 3, 0, 4, 0), link(3, 4, 0, -20, 0), link(4, -10, 1, 3, 1, 'INT')],
  };
  const value = {
    ...file(),
    nodes: [
      source,
      {
        id: 10,
        type: OUTER,
        pos: [400, 0],
        size: [200, 80],
        inputs: [
          { name: 'from', type: 'IMAGE', link: 10 },
          { name: 'wide', type: 'INT', widget: { name: 'wide' }, link: null },
        ],
        outputs: [{ name: 'to', type: 'IMAGE', links: [11] }],
        widgets_values: [99],
      },
      preview(20, 11),
    ],
    links: [
      [10, 1, 0, 10, 0, 'IMAGE'],
      [11, 10, 0, 20, 0, 'IMAGE'],
    ],
    definitions: { subgraphs: [outer, inner] },
  };
  const prompt = toApiFormat(read(value), kinds);
  expect(Object.keys(prompt).sort()).toEqual(['1', '10:3:7', '10:3:8', '10:4:7', '10:4:8', '20']);
  expect(inputsOf(prompt, '10:3:7').image).toEqual(['1', 0]);
  expect(inputsOf(prompt, '10:3:8').width).toBe(99);
  expect(inputsOf(prompt, '10:4:7').image).toEqual(['10:3:8', 0]);
  expect(inputsOf(prompt, '10:4:8').width).toBe(64);
  expect(inputsOf(prompt, '20').images).toEqual(['10:4:8', 0]);
});

it('rejects a recursive subgraph', () => {
  const endless = { ...inner, nodes: [...inner.nodes, instance(9, 1, [[], []])] };
  expect(() => read({ ...file(), definitions: { subgraphs: [endless] } })).toThrow('contains itself');
});
