import { expect, test } from 'vitest';
import type { DiffusionNetwork, NetworkPrompt } from '../../values/network.ts';
import { type FloatTensor, full } from '../../values/tensor.ts';
import { type PromptConversion, withConvertedPrompts } from './converted-prompts.ts';

const never = new AbortController().signal;
const x = full([1, 2, 3], 0);

/** A network that returns its prompts' tensors. */
const network: DiffusionNetwork = {
  predict: async (_, __, prompts) => prompts.map(({ tensor, videoInputs }) => videoInputs?.source ?? tensor),
  withAdapter: async () => network,
};

function counted(convert: PromptConversion = async ({ tensor }) => ({ tensor: full(tensor.shape, 2) })) {
  const calls: string[] = [];
  const converted = withConvertedPrompts(network, (prompt, shape, signal) => {
    calls.push(shape.join('x'));
    return convert(prompt, shape, signal);
  });
  return { calls, converted };
}

const prompt = (): NetworkPrompt => ({ tensor: full([1, 1], 1), options: {} });

test('each prompt is converted once for each size of latents', async () => {
  const { calls, converted } = counted();
  const [first, second] = [prompt(), prompt()];
  for (const prompts of [[first], [first, second], [second]]) {
    const results = await converted.predict(x, 1, prompts, never);
    expect(results.map(({ data }) => [...data])).toEqual(prompts.map(() => [2]));
  }
  expect(calls).toEqual(['1x2x3', '1x2x3']);
  await converted.predict(full([1, 2, 4], 0), 1, [first], never);
  expect(calls).toHaveLength(3);
  // The same options with another embedding are another prompt.
  await converted.predict(x, 1, [{ ...second, tensor: full([1, 1], 3) }], never);
  expect(calls).toHaveLength(4);
});

test('a conversion that failed is tried again', async () => {
  let isBroken = true;
  const { converted } = counted(async ({ tensor }) => {
    if (isBroken) throw new Error('no memory');
    return { tensor };
  });
  const current = prompt();
  await expect(converted.predict(x, 1, [current], never)).rejects.toThrow('no memory');
  isBroken = false;
  await expect(converted.predict(x, 1, [current], never)).resolves.toHaveLength(1);
});

test('inputs of the prompt stay next to those of the conversion, also with an adapter', async () => {
  const source: FloatTensor = full([1, 1], 9);
  const { converted } = counted(async ({ tensor }) => ({ tensor, videoInputs: { source } }));
  const adapted = await converted.withAdapter!({ name: 'none', parts: [] }, 1);
  const [result] = await adapted.predict(x, 1, [{ ...prompt(), videoInputs: { other: x } }], never);
  expect(result).toBe(source);
});
