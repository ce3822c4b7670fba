/** The vocabulary of BERT, `vocab.txt`, as the table of a `tokenizer.json`. */
const UNKNOWN = '[UNK]';

/**
 * WordPiece (Wu et al., "Google's neural machine translation system", 2016, section 4.1) over lower-case words without
 * accents, where each Chinese character is a word.
 * @param text one token a line; the first has the number 0
 * @throws TypeError when it lacks the token for unknown words
 */
export function wordPieceTable(text: string): object {
  const tokens = text.replace(/\r?\n$/, '').split(/\r?\n/);
  const vocab = Object.fromEntries(tokens.map((token, id) => [token, id]));
  if (!Object.hasOwn(vocab, UNKNOWN)) throw new TypeError(`the vocabulary has no ${UNKNOWN}`);
  const special = ['[PAD]', UNKNOWN, '[CLS]', '[SEP]', '[MASK]'].filter((token) =>
    Object.hasOwn(vocab, token),
  );
  return {
    version: '1.0',
    added_tokens: special.map((content) => ({
      id: vocab[content],
      content,
      single_word: false,
      lstrip: false,
      rstrip: false,
      normalized: false,
      special: true,
    })),
    normalizer: {
      type: 'BertNormalizer',
      clean_text: true,
      handle_chinese_chars: true,
      strip_accents: null,
      lowercase: true,
    },
    pre_tokenizer: { type: 'BertPreTokenizer' },
    post_processor: null,
    decoder: { type: 'WordPiece', prefix: '##', cleanup: true },
    model: {
      type: 'WordPiece',
      unk_token: UNKNOWN,
      continuing_subword_prefix: '##',
      max_input_chars_per_word: 100,
      vocab,
    },
  };
}
