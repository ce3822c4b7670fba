import { expect, it } from 'vitest';
import { nodeTypes } from '../nodes/index.ts';
import { parsePythonJson } from '../python/python-value.ts';
import { readGraph } from './graph.ts';
import { callsPaidService } from './paid-services.ts';
import { validate } from './validate.ts';

it('names the reason why a node of a paid service does not exist', async () => {
  const prompt = '{"5": {"class_type": "GeminiImage2Node", "inputs": {}}}';
  const types = new Map(nodeTypes.map((type) => [type.name, type]));
  const checked = validate(readGraph(parsePythonJson(prompt)), types, undefined, {} as never);
  await expect(checked).rejects.toMatchObject({
    message: 'Cannot execute because node GeminiImage2Node does not exist.',
    details: expect.stringMatching(/^Node ID '#5': it sends its inputs to a paid service/),
  });
});

it.each([
  'KlingVideoNode',
  'ByteDanceSeedreamNodeV3',
  'OpenAIChatNode',
  'WanTextToImageApi',
  'Flux3MaxImageToVideoNode',
  'TripoRigNode',
  'Krea2ImageNode',
])('%s calls a paid service', (name) => {
  expect(callsPaidService(name)).toBe(true);
});

it.each([
  'Flux2Scheduler',
  'TripoSplatConditioning',
  'MiniMaxH3ImageToVideo',
  'Ideogram4Scheduler',
  'Flux3LayoutPrompt',
  'BuildJsonPromptIdeogram',
  'Hunyuan3Dv2Conditioning',
  'FluxKVCache',
  'FluxKontextImageScale',
])('%s does not', (name) => {
  expect(callsPaidService(name)).toBe(false);
});

it('no node of this server has such a name', () => {
  expect(nodeTypes.filter(({ name }) => callsPaidService(name))).toEqual([]);
});
