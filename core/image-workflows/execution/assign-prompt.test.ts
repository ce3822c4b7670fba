import { expect, it } from 'vitest';
import { graphOf } from '#test/support/image-workflows/prompt-fixtures.ts';
import { nodeTypes } from '../nodes/index.ts';
import { assignPrompt, type Candidate, modelsOf, type PlaceState } from './assign-prompt.ts';

const prompt = (models: string, more: Partial<Candidate> = {}): Candidate => ({
  number: 1,
  models: new Set(models),
  passes: 0,
  ...more,
});
const place = (models: string, isFree = true, usedAt = 0): PlaceState => ({
  models: new Set(models),
  isFree,
  usedAt,
});

it('names the models that a graph loads', () => {
  const models = (graph: Parameters<typeof graphOf>[0]) => [
    ...modelsOf(graphOf(graph), new Map(nodeTypes.map((type) => [type.name, type]))),
  ];
  const graph = {
    '1': { class_type: 'CheckpointLoaderSimple', inputs: { ckpt_name: 'a.safetensors' } },
    '2': { class_type: 'LoraLoader', inputs: { model: ['1', 0], clip: ['1', 1], lora_name: 'x' } },
    '3': { class_type: 'CLIPTextEncode', inputs: { clip: ['2', 1], text: 'a cat' } },
    '4': { class_type: 'VAELoader', inputs: { vae_name: 'v' } },
    '5': { class_type: 'EmptyImage', inputs: { width: 64 } },
    '6': { class_type: 'NoSuchNode' },
  };
  expect(models(graph)).toEqual([
    'CheckpointLoaderSimple\0ckpt_name="a.safetensors"',
    'VAELoader\0vae_name="v"',
  ]);
  expect(models({ '1': { class_type: 'EmptyImage' } })).toEqual([]);
});

it('gives the first prompt to the place that has its models, then to one without models, then to the oldest', () => {
  const first = [prompt('a'), prompt('b')];
  expect(assignPrompt(first, [place(''), place('a')])).toEqual({ prompt: 0, place: 1 });
  expect(assignPrompt(first, [place('b'), place('')])).toEqual({ prompt: 0, place: 1 });
  expect(assignPrompt(first, [place('x', true, 2), place('y', true, 1)])).toEqual({ prompt: 0, place: 1 });
  expect(assignPrompt([prompt('')], [place('x', true, 1), place('y', true, 2)])).toEqual({
    prompt: 0,
    place: 0,
  });
  expect(assignPrompt([], [place('')])).toBeUndefined();
  expect(assignPrompt(first, [place('a', false)])).toBeUndefined();
});

it('lets a prompt wait for the busy place with its models, if a free place has those of a later one', () => {
  const places = [place('a', false), place('b')];
  expect(assignPrompt([prompt('a'), prompt('a'), prompt('b')], places)).toEqual({ prompt: 2, place: 1 });
  // Nothing else fits the free place: it is not left idle.
  expect(assignPrompt([prompt('a'), prompt('a')], places)).toEqual({ prompt: 0, place: 1 });
  expect(assignPrompt([prompt('c'), prompt('b')], places)).toEqual({ prompt: 0, place: 1 });
});

it('passes over no prompt for ever, and none in front', () => {
  const places = [place('a', false), place('b')];
  expect(assignPrompt([prompt('a', { passes: 7 }), prompt('b')], places)).toEqual({ prompt: 1, place: 1 });
  expect(assignPrompt([prompt('a', { passes: 8 }), prompt('b')], places)).toEqual({ prompt: 0, place: 1 });
  expect(assignPrompt([prompt('a', { number: -1 }), prompt('b')], places)).toEqual({ prompt: 0, place: 1 });
});
