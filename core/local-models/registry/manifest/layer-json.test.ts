import { expect, it } from 'vitest';
import { parseMessages, parseParameters } from './layer-json.ts';

it('returns only parameters of the right type', () => {
  const text = JSON.stringify({
    stop: ['<end>', '</s>'],
    temperature: 0.5,
    num_ctx: 2048.9,
    top_k: 'forty',
    top_p: null,
    use_mmap: 1,
    mirostat: 2,
  });
  expect(parseParameters(text)).toEqual({
    parameters: { stop: ['<end>', '</s>'], temperature: 0.5, num_ctx: 2048 },
    otherParameters: { top_k: 'forty', use_mmap: 1, mirostat: 2 },
  });
  expect(parseParameters('{"stop":"<end>"}')).toEqual({ parameters: { stop: ['<end>'] } });
});

it.each(['no JSON', '[]x', '"text"', 'null'])('refuses %s as parameters', (text) => {
  expect(() => parseParameters(text)).toThrow();
});

it('returns only messages with a role', () => {
  expect(parseMessages('[{"role":"user","content":"Hi","x":1},{"role":"assistant"}]')).toEqual([
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: '' },
  ]);
  expect(() => parseMessages('[{"content":"Hi"}]')).toThrow();
});
