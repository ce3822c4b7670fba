/** Tekken, the tokenizers of Mistral: a list of texts by rank, as its file `tekken.json` has it. */
import { lettersOfBytes } from './byte-letters.ts';

interface Tekken {
  config: { pattern: string; default_vocab_size: number; default_num_special_tokens: number };
  /** In the order of their ranks. Bytes are in base 64. */
  vocab: { rank: number; token_bytes: string }[];
  /** Undefined in older files, whose special tokens have numbers alone. */
  special_tokens?: { rank: number; token_str: string }[];
}

export const isTekken = (table: object): table is Tekken =>
  'vocab' in table && Array.isArray(table.vocab) && 'config' in table;

/**
 * The same tokenizer in the form of a `tokenizer.json`. Special tokens come first. Neighbors merge if their text is a
 * token, and those with the smallest rank first. So each way to split a token in two is a merge of its rank.
 * @throws `TypeError` for a file of another form
 */
export function tekkenTable({ config, vocab, special_tokens: special = [] }: Tekken): object {
  const count = config.default_num_special_tokens;
  const letters = lettersOfBytes();
  const texts = vocab
    .slice(0, config.default_vocab_size - count)
    .map(({ token_bytes }) => Array.from(atob(token_bytes), (byte) => letters[byte.charCodeAt(0)]!).join(''));
  const ranks = new Map(texts.map((text, rank) => [text, rank]));
  const merges = texts.flatMap((text) => mergesInto(text, ranks));
  const added = special.map(({ rank, token_str: content }) => ({
    id: rank,
    content,
    single_word: false,
    lstrip: false,
    rstrip: false,
    normalized: false,
    special: true,
  }));
  return {
    version: '1.0',
    added_tokens: added,
    normalizer: null,
    pre_tokenizer: {
      type: 'Sequence',
      pretokenizers: [
        { type: 'Split', pattern: { Regex: config.pattern }, behavior: 'Isolated', invert: false },
        { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: false },
      ],
    },
    post_processor: null,
    decoder: { type: 'ByteLevel', add_prefix_space: true, trim_offsets: true, use_regex: true },
    model: {
      type: 'BPE',
      unk_token: null,
      ignore_merges: true,
      vocab: Object.fromEntries([
        ...added.map(({ content, id }) => [content, id]),
        ...texts.map((text, rank) => [text, rank + count]),
      ]),
      merges,
    },
  };
}

/** The pairs of tokens that make up a text, those with smaller ranks first. */
function mergesInto(text: string, ranks: ReadonlyMap<string, number>): [string, string][] {
  const found: { halves: [string, string]; left: number; right: number }[] = [];
  for (let at = 1; at < text.length; at++) {
    const halves: [string, string] = [text.slice(0, at), text.slice(at)];
    const left = ranks.get(halves[0]);
    const right = left === undefined ? undefined : ranks.get(halves[1]);
    if (left !== undefined && right !== undefined) found.push({ halves, left, right });
  }
  if (found.length > 1) found.sort((a, b) => a.left - b.left || a.right - b.right);
  return found.map(({ halves }) => halves);
}
