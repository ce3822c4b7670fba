/** Both formats of ComfyUI, with the node kinds of the real server. */
import { beforeAll, expect, it } from 'vitest';
import { encodePng } from '#core/image-codecs/png/encode.ts';
import { imageServer } from '#test/support/image-workflows/image-server.ts';
import {
  type ExactJsonObject,
  type JsonValue,
  parseExactJson,
  printExactJson,
} from '#web/app/graph-editor/graph/value.ts';
import type { NodeKinds } from '#web/app/graph-editor/nodes/node-kind.ts';
import { GraphState } from '#web/app/graph-editor/state/graph-state.ts';
import { readKinds, socketsMatch } from '../object-info.ts';
import { toApiFormat } from './api-format.ts';
import { readGraphFile, readGraphText } from './graph-file.ts';
import { toSavedFormat } from './saved-format.ts';

let kinds: NodeKinds;
beforeAll(async () => {
  const answer = await imageServer().ask('GET', '/object_info');
  kinds = readKinds(parseExactJson(await answer.text()));
});

const api = (seed: string) => `{
  "3": {"inputs": {"seed": ${seed}, "steps": 4, "cfg": 3.5, "sampler_name": "euler", "scheduler": "normal",
    "denoise": 1, "model": ["4", 0], "positive": ["6", 0], "negative": ["7", 0], "latent_image": ["5", 0]},
    "class_type": "KSampler", "_meta": {"title": "KSampler"}},
  "4": {"inputs": {"ckpt_name": "some"}, "class_type": "CheckpointLoaderSimple", "_meta": {"title": "Load Checkpoint"}},
  "5": {"inputs": {"width": 128, "height": 64, "batch_size": 1}, "class_type": "EmptyLatentImage",
    "_meta": {"title": "Empty Latent Image"}},
  "6": {"inputs": {"text": "a cat", "clip": ["4", 1]}, "class_type": "CLIPTextEncode", "_meta": {"title": "subject"}},
  "7": {"inputs": {"text": "", "clip": ["4", 1]}, "class_type": "CLIPTextEncode",
    "_meta": {"title": "CLIP Text Encode (Prompt)"}},
  "8": {"inputs": {"samples": ["3", 0], "vae": ["4", 2]}, "class_type": "VAEDecode", "_meta": {"title": "VAE Decode"}},
  "9": {"inputs": {"filename_prefix": "x", "images": ["8", 0]}, "class_type": "SaveImage", "_meta": {"title": "Save Image"}}
}`;

/** A file of ComfyUI's editor: pairs as objects, a reroute, a primitive, a note, modes and groups. */
const saved = {
  last_node_id: 20,
  last_link_id: 9,
  nodes: [
    {
      id: 1,
      type: 'EmptyLatentImage',
      pos: { 0: 10, 1: 20 },
      size: { 0: 315, 1: 106 },
      mode: 0,
      inputs: [{ name: 'width', type: 'INT', link: 5, widget: { name: 'width' } }],
      outputs: [{ name: 'LATENT', type: 'LATENT', links: [1] }],
      widgets_values: [512, 256, 2],
      color: '#223',
    },
    {
      id: 2,
      type: 'KSampler',
      pos: [400, 20],
      title: 'mine',
      inputs: [
        { name: 'model', type: 'MODEL', link: null },
        { name: 'latent_image', type: 'LATENT', link: 2 },
      ],
      outputs: [{ name: 'LATENT', type: 'LATENT', links: [3] }],
      widgets_values: [123, 'randomize', 20, 8, 'euler', 'karras', 0.5],
    },
    {
      id: 3,
      type: 'Reroute',
      pos: [200, 0],
      inputs: [{ name: '', type: '*', link: 1 }],
      outputs: [{ name: '', type: 'LATENT', links: [2] }],
    },
    {
      id: 4,
      type: 'PrimitiveNode',
      pos: [0, 0],
      outputs: [{ links: [5] }],
      widgets_values: [768, 'increment'],
    },
    { id: 5, type: 'Note', pos: [0, 300], widgets_values: ['remember'] },
    {
      id: 6,
      type: 'LatentFlip',
      mode: 4,
      pos: [700, 0],
      inputs: [{ name: 'samples', type: 'LATENT', link: 3 }],
      outputs: [{ name: 'LATENT', type: 'LATENT', links: [4] }],
      widgets_values: ['x-axis: vertically'],
    },
    { id: 7, type: 'SaveLatent', pos: [900, 0], inputs: [{ name: 'samples', type: 'LATENT', link: 4 }] },
    {
      id: 8,
      type: 'SomebodysNode',
      mode: 2,
      pos: [900, 300],
      inputs: [{ name: 'in', type: 'LATENT', link: 6 }],
      outputs: [{ name: 'out', type: 'IMAGE', links: null }],
      widgets_values: ['a', 3],
    },
    { id: 9, type: 'LoadImage', pos: [0, 600], widgets_values: ['some.png', 'image'] },
  ],
  links: [
    [1, 1, 0, 3, 0, 'LATENT'],
    [2, 3, 0, 2, 1, 'LATENT'],
    [3, 2, 0, 6, 0, 'LATENT'],
    [4, 6, 0, 7, 0, 'LATENT'],
    [5, 4, 0, 1, 0, 'INT'],
    [6, 2, 0, 8, 0, 'LATENT'],
  ],
  groups: [{ title: 'g', bounding: [0, 0, 1, 1] }],
  version: 0.4,
};

it('reads all node kinds of the server', () => {
  expect(kinds.all().length).toBeGreaterThan(100);
  const sampler = kinds.get('KSampler')!;
  expect(sampler.inputs.find(({ name }) => name === 'seed')?.widget).toEqual({
    kind: 'integer',
    initial: 0,
    min: 0,
    max: 18446744073709551615n,
    step: 1,
    changesAfterRun: true,
  });
  expect(sampler.inputs.find(({ name }) => name === 'sampler_name')?.widget).toMatchObject({
    kind: 'choice',
    initial: 'euler',
  });
  expect(kinds.get('SaveImage')?.isResult).toBe(true);
  for (const kind of kinds.all())
    for (const { widget } of kind.inputs)
      if (widget?.kind === 'number' || widget?.kind === 'integer')
        expect(Number.isFinite(Number(widget.initial)) && widget.step > 0).toBe(true);
});

it.each([
  ['IMAGE', 'IMAGE', true],
  ['IMAGE', 'MASK', false],
  ['*', 'MASK', true],
  ['FLOAT', 'INT,FLOAT', true],
  ['["a","b"]', '["a","b"]', true],
  ['["a","b"]', '["a"]', false],
  ['COMBO', '["a"]', true],
])('%s into %s: %s', (output, input, expected) => expect(socketsMatch(output, input)).toBe(expected));

it('reads and writes an API graph without loss, also 64-bit seeds', () => {
  const text = api('18446744073709551615');
  const graph = readGraphText(text, kinds);
  expect(graph.nodes.get('6')?.title).toBe('subject');
  expect(graph.nodes.get('7')?.title).toBeUndefined();
  expect(toApiFormat(graph, kinds)).toEqual(parseExactJson(text));
  expect(printExactJson(toApiFormat(graph, kinds))).toContain('"seed":18446744073709551615');
  const places = [...graph.nodes.values()].map(({ x }) => x);
  expect(Math.max(...places)).toBeGreaterThan(Math.min(...places));
  // A request body is accepted too.
  expect(readGraphText(`{"client_id":"c","prompt":${text}}`, kinds).nodes.size).toBe(7);
});

it('reads a graph saved by ComfyUI’s editor', () => {
  const graph = readGraphText(JSON.stringify(saved), kinds);
  expect([...graph.nodes.keys()]).toEqual(['1', '2', '5', '6', '7', '8', '9']);
  expect(graph.nodes.get('1')).toMatchObject({
    x: 10,
    y: 20,
    width: 315,
    values: { width: 768, height: 256, batch_size: 2 },
    afterRun: { width: 'increment' },
  });
  expect(graph.nodes.get('2')).toMatchObject({
    title: 'mine',
    values: { seed: 123, steps: 20, cfg: 8, sampler_name: 'euler', scheduler: 'karras', denoise: 0.5 },
    afterRun: { seed: 'randomize' },
  });
  expect(graph.nodes.get('6')?.mode).toBe('bypassed');
  expect(graph.nodes.get('9')?.values).toEqual({ image: 'some.png' });
  expect(graph.links).toContainEqual({ from: '1', output: 0, to: '2', input: 'latent_image' });
  const prompt = toApiFormat(graph, kinds);
  // The note, the muted node and the bypassed node do not run.
  expect(Object.keys(prompt)).toEqual(['1', '2', '7', '9']);
  expect((prompt['7'] as ExactJsonObject).inputs).toEqual({
    filename_prefix: 'latents/ComfyUI',
    samples: ['2', 0],
  });
});

it('saves a graph that reads back the same', () => {
  const first = readGraphText(JSON.stringify(saved), kinds);
  const again = toSavedFormat(first, kinds);
  expect(again.groups).toEqual(saved.groups);
  const nodes = again.nodes as ExactJsonObject[];
  const node = (id: number) => nodes.find((each) => each.id === id)!;
  expect(node(2).widgets_values).toEqual([123, 'randomize', 20, 8, 'euler', 'karras', 0.5]);
  expect(node(9).widgets_values).toEqual(['some.png', 'image']);
  expect(node(8)).toMatchObject({ type: 'SomebodysNode', mode: 2, widgets_values: ['a', 3] });
  expect(node(1)).toMatchObject({ color: '#223', pos: [10, 20] });
  const second = readGraphText(printExactJson(again), kinds);
  expect(toApiFormat(second, kinds)).toEqual(toApiFormat(first, kinds));
  expect(new Set(second.links)).toEqual(new Set(first.links));
  const plain = readGraphText(api('18446744073709551615'), kinds);
  const seed = (toSavedFormat(plain, kinds).nodes as ExactJsonObject[]).find(({ id }) => id === 3)!;
  expect((seed.widgets_values as JsonValue[])[0]).toBe(18446744073709551615n);
});

it('finds the graph in an image', async () => {
  const pixels = { width: 1, height: 1, channels: 3 as const, data: new Uint8Array(3) };
  const image = (texts: Record<string, string>) => new Blob([encodePng(pixels, { texts })]);
  const workflow = JSON.stringify(saved);
  expect((await readGraphFile(image({ prompt: api('1'), workflow }), kinds)).nodes.size).toBe(7);
  const fallback = await readGraphFile(image({ prompt: api('1'), workflow: '{}' }), kinds);
  expect(fallback.nodes.get('3')?.type).toBe('KSampler');
  await expect(readGraphFile(image({}), kinds)).rejects.toThrow('contains no graph');
  await expect(readGraphFile(new Blob(['nonsense']), kinds)).rejects.toThrow('not JSON');
  await expect(readGraphFile(new Blob(['{"a":1}']), kinds)).rejects.toThrow('not a graph');
});

it('connects matching types only, and undoes edits', () => {
  const state = new GraphState();
  state.setKinds(kinds);
  state.open(readGraphText(api('1'), kinds));
  expect(state.connect({ from: '4', output: 0, to: '6', input: 'clip' })).toBe(false);
  expect(state.connect({ from: '8', output: 0, to: '3', input: 'latent_image' })).toBe(false);
  expect(state.connect({ from: '3', output: 0, to: '3', input: 'latent_image' })).toBe(false);
  const id = state.add(kinds.get('PreviewImage')!, { x: 0, y: 0 }, { from: '8', output: 0 });
  expect(state.linkInto(id, 'images')).toMatchObject({ from: '8' });
  const vae = state.add(kinds.get('VAELoader')!, { x: 0, y: 0 }, { to: '8', input: 'vae' });
  expect(state.linkInto('8', 'vae')?.from).toBe(vae);
  state.setProblems(new Map([['3', [{ input: 'steps', message: 'too few' }]]]));
  state.set('3', 'steps', 9);
  expect(state.problems.size).toBe(0);
  state.select(['3', '8']);
  state.clipboard.copy();
  state.clipboard.paste();
  expect(state.selection.size).toBe(2);
  state.delete();
  state.undo();
  state.undo();
  expect(state.graph.nodes.size).toBe(9);
  expect(state.graph.nodes.get('3')?.values.steps).toBe(9);
  state.undo();
  expect(state.graph.nodes.get('3')?.values.steps).toBe(4);
  state.undo();
  expect(state.linkInto('8', 'vae')?.from).toBe('4');
  state.redo();
  expect(state.linkInto('8', 'vae')?.from).toBe(vae);
  state.select(['8']);
  state.toggleMode('bypassed');
  expect(
    Object.keys((toApiFormat(state.graph, kinds)['9'] as ExactJsonObject).inputs as ExactJsonObject),
  ).toEqual(['filename_prefix']);
});

it('reads the Boolean after a seed that old files have', () => {
  const sampler = (after: boolean) =>
    JSON.stringify({
      nodes: [{ id: 1, type: 'KSampler', widgets_values: [5, after, 20, 8, 'euler', 'normal', 1] }],
    });
  const [random, fixed] = [true, false].map((after) => readGraphText(sampler(after), kinds).nodes.get('1')!);
  expect([random!.afterRun, fixed!.afterRun]).toEqual([{ seed: 'randomize' }, { seed: 'fixed' }]);
  expect(random!.values).toMatchObject({ steps: 20, cfg: 8, sampler_name: 'euler', denoise: 1 });
});

it('reads and writes nodes whose inputs follow from their values and links', () => {
  const source = { id: 1, type: 'EmptyImage', pos: [0, 0], inputs: [], widgets_values: [8, 8, 1, 0] };
  const resize = {
    id: 2,
    type: 'ResizeImageMaskNode',
    pos: [400, 0],
    inputs: [
      { name: 'input', type: 'IMAGE,MASK', link: 1 },
      { name: 'resize_type.longer_size', type: 'INT', widget: { name: 'resize_type.longer_size' }, link: 2 },
    ],
    widgets_values: ['scale longer dimension', 2048, 'lanczos'],
  };
  const size = {
    id: 3,
    type: 'ComfyMathExpression',
    pos: [0, 200],
    inputs: [{ name: 'values.a', type: 'FLOAT,INT,BOOLEAN', link: 3 }],
    widgets_values: ['a * 2'],
  };
  const links = [
    [1, 1, 0, 2, 0, 'IMAGE'],
    [2, 3, 1, 2, 1, 'INT'],
    [3, 4, 0, 3, 0, 'INT'],
  ];
  const number = { id: 4, type: 'PrimitiveInt', pos: [0, 400], inputs: [], widgets_values: [512, 'fixed'] };
  const file = { nodes: [source, resize, size, number], links, version: 0.4 };
  const graph = readGraphText(JSON.stringify(file), kinds);
  const prompt = JSON.parse(printExactJson(toApiFormat(graph, kinds)));
  expect(prompt['2'].inputs).toEqual({
    input: ['1', 0],
    resize_type: 'scale longer dimension',
    'resize_type.longer_size': ['3', 1],
    scale_method: 'lanczos',
  });
  expect(prompt['3'].inputs).toEqual({ expression: 'a * 2', 'values.a': ['4', 0] });
  const written = printExactJson(toSavedFormat(graph, kinds));
  const again = toApiFormat(readGraphText(written, kinds), kinds);
  expect(JSON.parse(printExactJson(again))).toEqual(prompt);
});
