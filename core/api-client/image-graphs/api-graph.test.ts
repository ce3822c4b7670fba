import { describe, expect, it } from 'vitest';
import { insertText, readImageGraph, renewSeeds, takesText } from './api-graph.ts';

describe('graphs', () => {
  it.each([
    ['{', 'The graph is not JSON'],
    ['[]', 'The graph holds no nodes'],
    [{}, 'The graph holds no nodes'],
    [{ 1: { inputs: {} } }, 'The graph holds no nodes'],
    [{ nodes: [], links: [] }, 'not a graph in API format'],
  ])('are not %j', (graph, message) => {
    expect(() => readImageGraph(graph)).toThrow(message);
  });

  it('take a text for %text%, or else as the positive prompt', () => {
    const sampler = {
      1: { class_type: 'CLIPTextEncode', inputs: { text: 'old', clip: ['9', 0] } },
      2: { class_type: 'CLIPTextEncode', inputs: { text: 'bad', clip: ['9', 0] } },
      3: { class_type: 'FluxGuidance', inputs: { conditioning: ['1', 0], guidance: 3 } },
      4: { class_type: 'KSampler', inputs: { seed: 5, positive: ['3', 0], negative: ['2', 0] } },
    };
    const graph = readImageGraph(sampler);
    insertText(graph, 'a fox');
    expect([graph[1]!.inputs!.text, graph[2]!.inputs!.text]).toEqual(['a fox', 'bad']);
    const named = readImageGraph({ ...sampler, 2: { class_type: 'X', inputs: { text: 'not %text%, $&' } } });
    insertText(named, 'a $& fox');
    expect([named[1]!.inputs!.text, named[2]!.inputs!.text]).toEqual(['old', 'not a $& fox, $&']);
    expect(sampler[1].inputs.text).toBe('old');
    expect(takesText(readImageGraph({ 1: { class_type: 'EmptyImage', inputs: {} } }))).toBe(false);
  });

  it('get new seeds', () => {
    const graph = readImageGraph({ 1: { class_type: 'K', inputs: { seed: 5, noise_seed: ['2', 0] } } });
    renewSeeds(graph);
    expect(graph[1]!.inputs!.seed).not.toBe(5);
    expect(graph[1]!.inputs!.noise_seed).toEqual(['2', 0]);
  });
});
