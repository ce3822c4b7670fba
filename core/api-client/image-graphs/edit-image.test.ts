import { expect, it } from 'vitest';
import { editGraph } from './edit-image.ts';
import { type ApiGraph, graphText } from './text-to-image.ts';

const drawn = JSON.parse(
  graphText({
    checkpoint: 'c',
    prompt: 'p',
    negative: 'n',
    width: 64,
    height: 64,
    steps: 2,
    guidance: 1,
    sampler: 'euler',
    scheduler: 'normal',
    seed: '5',
  }),
) as ApiGraph;

/** Every link names a node that is there. */
function brokenLinks(graph: ApiGraph): unknown[] {
  return Object.values(graph)
    .flatMap(({ inputs }) => Object.values(inputs))
    .filter((value) => Array.isArray(value) && !(value[0] in graph));
}

it('begins with the encoded image, in the wanted size and number', () => {
  const graph = editGraph(drawn, {
    image: 'a.png [temp]',
    size: { width: 32, height: 16 },
    strength: 0.5,
    count: 3,
  });
  expect(brokenLinks(graph)).toEqual([]);
  expect(graph[5]!.inputs).toMatchObject({ denoise: 0.5, latent_image: ['15', 0] });
  expect(graph[15]!.inputs).toEqual({ samples: ['12', 0], amount: 3 });
  expect(graph[11]!.inputs).toMatchObject({ width: 32, height: 16 });
  expect(graph[4]).toBeUndefined();
  expect(drawn[4]).toBeDefined();
});

it('keeps what the mask does not cover', () => {
  const graph = editGraph(drawn, { image: 'a', mask: 'm', strength: 1, count: 1 });
  expect(brokenLinks(graph)).toEqual([]);
  expect(graph[14]).toEqual({
    class_type: 'SetLatentNoiseMask',
    inputs: { samples: ['12', 0], mask: ['13', 1] },
  });
  expect(graph[7]!.inputs.images).toEqual(['17', 0]);
  expect(graph[17]!.inputs).toMatchObject({ destination: ['16', 0], source: ['6', 0], mask: ['13', 1] });
});
