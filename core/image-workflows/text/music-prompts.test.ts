import { expect, test } from 'vitest';
import { musicPrompts } from './music-prompts.ts';

const music = {
  tags: ' {slow} tune ',
  lyrics: '[Verse]\nla {lyrics}\n',
  bpm: 95,
  duration: 12.2,
  timesignature: '4',
  language: 'de',
  keyscale: 'C# minor',
};

test('the texts for the encoders have the forms of the training', () => {
  const { description, lyrics, codes, negative } = musicPrompts(music);
  expect(description).toBe(
    '# Instruction\nGenerate audio semantic tokens based on the given conditions:\n\n# Caption\n{slow} tune\n\n# Metas\n- bpm: 95\n- timesignature: 4\n- keyscale: C# minor\n- duration: 13 seconds\n<|endoftext|>\n<|endoftext|>',
  );
  expect(lyrics).toBe('# Languages\nde\n\n# Lyric\n[Verse]\nla {lyrics}\n<|endoftext|><|endoftext|>');
  expect(codes).toContain(
    '# Caption\n{slow} tune\n\n# Lyric\n[Verse]\nla {lyrics}\n<|im_end|>\n<|im_start|>assistant\n<think>\nbpm: 95\nduration: 13\nkeyscale: C# minor\ntimesignature: 4\n</think>\n\n<|im_end|>\n',
  );
  expect(negative).toContain('<|im_start|>assistant\n<think>\n\n</think>\n\n<|im_end|>\n');
});
