import { Tokenizer } from '@huggingface/tokenizers';

/** The files of CLIP's tokenizer: `vocab.json`, `merges.txt`. */
export interface ClipVocabulary {
  vocab: Record<string, number>;
  /** One merge a line, the best first: two parts with a space between. A line `#version` is skipped. */
  merges: string;
}

export interface ClipTokenizer {
  /** The tokens of a text, without start and end. */
  tokens(text: string): number[];
  start: number;
  end: number;
}

const START = '<|startoftext|>';
const END = '<|endoftext|>';

/**
 * CLIP's byte-pair encoding (Radford et al., "Learning transferable visual models", 2021). Text becomes lower case, with
 * single spaces.
 * @throws `TypeError` for a vocabulary without the start or the end token
 */
export function clipTokenizer({ vocab, merges }: ClipVocabulary): ClipTokenizer {
  const start = vocab[START];
  const end = vocab[END];
  if (start === undefined || end === undefined)
    throw new TypeError(`the vocabulary of the tokenizer has no ${start === undefined ? START : END}`);
  const special = (id: number, content: string) => ({
    id,
    content,
    single_word: false,
    lstrip: false,
    rstrip: false,
    normalized: content === START,
    special: true,
  });
  const tokenizer = new Tokenizer(
    {
      version: '1.0',
      added_tokens: [special(start, START), special(end, END)],
      normalizer: {
        type: 'Sequence',
        normalizers: [
          { type: 'NFC' },
          { type: 'Replace', pattern: { Regex: '\\s+' }, content: ' ' },
          { type: 'Lowercase' },
        ],
      },
      pre_tokenizer: {
        type: 'Sequence',
        pretokenizers: [
          {
            type: 'Split',
            pattern: { Regex: "'s|'t|'re|'ve|'m|'ll|'d|[\\p{L}]+|[\\p{N}]|[^\\s\\p{L}\\p{N}]+" },
            behavior: 'Removed',
            invert: true,
          },
          { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: true },
        ],
      },
      post_processor: null,
      decoder: { type: 'ByteLevel', add_prefix_space: true, trim_offsets: true, use_regex: true },
      model: {
        type: 'BPE',
        dropout: null,
        unk_token: END,
        continuing_subword_prefix: '',
        end_of_word_suffix: '</w>',
        fuse_unk: false,
        vocab,
        merges: mergeLines(merges),
      },
    },
    { model_max_length: Number.MAX_SAFE_INTEGER },
  );
  return {
    start,
    end,
    tokens: (text) => tokenizer.encode(text, { add_special_tokens: false }).ids,
  };
}

const mergeLines = (merges: string): string[] =>
  merges.split(/\r?\n/).filter((line) => line !== '' && !line.startsWith('#version'));
