import { expect, it } from 'vitest';
import type { WritingRequest } from '../../values/clip-model.ts';
import type { NodeContext } from '../kernel/node-context.ts';
import { textGenerate } from './text-generate.ts';

const progress: [number, number][] = [];
const context = {
  signal: new AbortController().signal,
  progress: async (value: number, max: number) => void progress.push([value, max]),
} as unknown as NodeContext;
let request: WritingRequest;
const clip = {
  async write(requested: WritingRequest) {
    request = requested;
    await requested.onToken(1);
    return 'a text';
  },
};
const on = {
  key: 'on',
  temperature: 0.5,
  top_k: 5,
  top_p: 0.9,
  min_p: 0.1,
  repetition_penalty: 1.2,
  seed: 7n,
};
const run = (values: Record<string, unknown>) =>
  textGenerate.run({ clip, prompt: 'p', max_length: 9, sampling_mode: on, ...values }, context);

it('asks the text encoder to write, and reports each token', async () => {
  expect(await run({})).toEqual(['a text']);
  expect(request).toMatchObject({ prompt: 'p', isChat: true, thinks: false, maxTokens: 9 });
  expect(request.sampling).toEqual({
    temperature: 0.5,
    topK: 5,
    topP: 0.9,
    minP: 0.1,
    repetitionPenalty: 1.2,
    presencePenalty: 0,
    seed: 7n,
  });
  expect(progress).toEqual([[1, 9]]);
});

it('takes the best tokens without sampling, and the prompt as it is', async () => {
  await run({ sampling_mode: { key: 'off' }, use_default_template: false, thinking: true });
  expect(request).toMatchObject({ isChat: false, thinks: true, sampling: undefined });
});

it('refuses encoders that only read, and images', async () => {
  await expect(run({ clip: {} })).rejects.toThrow('this text encoder reads prompts and writes no texts');
  await expect(run({ image: {} })).rejects.toThrow('image is linked');
});
