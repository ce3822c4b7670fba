/** Small tables of tokens. Networks with random weights need no larger ones. */
import kinds from '#core/image-workflows/text/tokenizers.json' with { type: 'json' };

const LETTERS = Array.from({ length: 95 }, (_, at) => String.fromCharCode(32 + at));

/** Special tokens with the ids of published tables, which templates refer to. */
const SPECIAL: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  qwen: {
    '<|endoftext|>': 151_643,
    '<|im_start|>': 151_644,
    '<|im_end|>': 151_645,
    '<|vision_start|>': 151_652,
    '<|vision_end|>': 151_653,
    '<|image_pad|>': 151_655,
    user: 872,
    '\n': 198,
  },
  'ace-lyrics': { '[UNK]': 1, '[SPACE]': 2, '[START]': 261 },
  llama3: {
    '<|begin_of_text|>': 128_000,
    '<|end_of_text|>': 128_001,
    '<|start_header_id|>': 128_006,
    '<|end_header_id|>': 128_007,
    '<|eot_id|>': 128_009,
    '<pad>': 128_258,
    user: 882,
    '\n\n': 271,
  },
};
const USUAL = { '<pad>': 0, '</s>': 1, '<unk>': 2, '<bos>': 3, '<eos>': 4 };

/** The content of `tokenizer.json` by the names of tokenizers: a token for each letter. */
export const smallTokenizers = (): Record<string, object> =>
  Object.fromEntries(Object.keys(kinds).map((name) => [name, table(name)]));

function table(name: string): object {
  const family = Object.keys(SPECIAL).find((each) => name.startsWith(each)) ?? '';
  const special = SPECIAL[family] ?? USUAL;
  const letters = LETTERS.map((letter, at): [string, number] => [letter, 100 + at]);
  return {
    version: '1.0',
    added_tokens: Object.entries(special).map(([content, id]) => ({
      ...{ id, content, single_word: false, lstrip: false, rstrip: false, normalized: false },
      special: content.startsWith('<'),
    })),
    normalizer: null,
    pre_tokenizer: null,
    post_processor: null,
    decoder: { type: 'Fuse' },
    model: {
      type: 'BPE',
      vocab: { ...Object.fromEntries(letters), ...special },
      merges: [],
      unk_token: Object.keys(special).find((each) =>
        /^(<(\|endoftext\||\|end_of_text\||unk)>|\[UNK\])$/.test(each),
      ),
    },
  };
}
