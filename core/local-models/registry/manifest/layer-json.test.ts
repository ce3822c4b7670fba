import { expect, it } from 'vitest';
import { readMessages, readParameters } from './layer-json.ts';

it('tells parameters of the right type from the rest', () => {
  const text = JSON.stringify({
    stop: ['<end>', '</s>'],
    temperature: 0.5,
    num_ctx: 2048.9,
    top_k: 'forty',
    top_p: null,
    use_mmap: 1,
    mirostat: 2,
  });
  expect(readParameters(text)).toEqual({
    parameters: { stop: ['<end>', '</s>'], temperature: 0.5, num_ctx: 2048 },
    otherParameters: { top_k: 'forty', use_mmap: 1, mirostat: 2 },
  });
  expect(readParameters('{"stop":"<end>"}')).toEqual({ parameters: { stop: ['<end>'] } });
});

it.each(['no JSON', '[]x', '"text"', 'null'])('refuses %s as parameters', (text) => {
  expect(() => readParameters(text)).toThrow();
});

it('takes messages with a role', () => {
  expect(readMessages('[{"role":"user","content":"Hi","x":1},{"role":"assistant"}]')).toEqual([
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: '' },
  ]);
  expect(() => readMessages('[{"content":"Hi"}]')).toThrow();
});
