import { describe, expect, it } from 'vitest';
import { sentences } from './check-text.ts';

describe('sentences', () => {
  it('end before a capital letter, a number, code, an emphasis, and the name of the project', () => {
    const text = 'First. Second. 3 apples. `code` runs. *Under* stress. tabd answers. e.g. this.';
    expect(sentences(text)).toEqual([
      'First.',
      'Second.',
      '3 apples.',
      'Code runs.',
      '*Under* stress.',
      'tabd answers. e.g. this.',
    ]);
  });

  it('end with an emphasis or a bracket', () => {
    expect(sentences('**Chat.** The page (it answers.) The end.')).toEqual([
      '**Chat.**',
      'The page (it answers.)',
      'The end.',
    ]);
  });

  it('are the cells of a table and the items of a list', () => {
    expect(sentences('| a | b |\n\n- one\n- two\n')).toEqual(['a', 'b', '- one', '- two']);
  });
});
