/** The recorded tokens of `numbers/stable_audio.json` and `numbers/te_qwen25_7b.json`. */
import { expect, test } from 'vitest';
import { tableTokenizer } from '#core/image-workflows/text/table-tokenizer.ts';
import { promptTokenizer } from '../checkpoints/prompt-tokenizers.ts';
import tokens from '../checkpoints/prompt-tokens.json' with { type: 'json' };

test('the words of recorded prompts become the recorded tokens', () => {
  const t5 = tableTokenizer(promptTokenizer(tokens.t5), {}, { end: '</s>', pad: '<pad>', trimsEnd: true });
  expect([t5.tokens('a red'), t5.tokens(' apple'), t5.tokens('')]).toEqual([[3, 9, 1131], [8947], []]);
  const boat = 'a photograph of a small wooden boat on a calm mountain lake at sunrise, a photograph';
  expect(t5.tokens(boat)).toEqual([
    ...[3, 9, 6419, 13, 3, 9, 422, 5726, 3432, 30, 3, 9, 4447, 4180, 6957, 44, 25094, 6, 3, 9, 6419],
  ]);
  const qwen = tableTokenizer(promptTokenizer(tokens['qwen2.5']), {}, { pad: '<|endoftext|>' });
  expect(qwen.tokens('<|im_start|>user\n(a red:1.3) apple<|im_end|>\n<|im_start|>assistant\n')).toEqual([
    ...[151644, 872, 198, 2877, 2518, 25, 16, 13, 18, 8, 23268, 151645, 198, 151644, 77091, 198],
  ]);
});
