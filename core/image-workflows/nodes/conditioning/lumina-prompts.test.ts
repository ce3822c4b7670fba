import { expect, test } from 'vitest';
import type { ClipModel } from '../../values/clip-model.ts';
import { zeros } from '../../values/tensor.ts';
import systemPrompts from './lumina-system-prompts.json' with { type: 'json' };
import { transformerTextNodes } from './transformer-text.ts';

test("Lumina's system prompt comes before the prompt", async () => {
  const encoded: unknown[] = [];
  const clip = {
    encode: async (text: unknown) => {
      encoded.push(text);
      return { tensor: zeros([1, 2, 4]), attentionMask: zeros([1, 2]) };
    },
  } as unknown as ClipModel;
  const lumina = transformerTextNodes.find(({ name }) => name === 'CLIPTextEncodeLumina2')!;
  const inputs = { system_prompt: 'alignment', user_prompt: 'a cat', clip };
  const context = { signal: new AbortController().signal };
  const [prompts] = (await lumina.run(inputs as never, context as never)) as unknown[];
  expect(encoded).toEqual([`${systemPrompts.alignment} <Prompt Start> a cat`]);
  expect(prompts).toEqual([{ tensor: zeros([1, 2, 4]), options: { attentionMask: zeros([1, 2]) } }]);
});
