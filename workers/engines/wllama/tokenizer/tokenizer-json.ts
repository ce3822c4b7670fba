import { ModelUnsupported } from '#core/host';
import families from './pre-tokenizers.json' with { type: 'json' };
import { TokenType, type Vocabulary } from './vocabulary.ts';

/** A way of cutting text into pieces before merging. */
interface PreTokenizer {
  /** The names in `tokenizer.ggml.pre` of GGUF files. */
  names: string[];
  /** Regular expressions that cut the text, applied in this order. */
  split: string[];
  /** Whether a piece that is itself a token is taken without merging. */
  ignoreMerges?: boolean;
}

/**
 * The vocabulary of a GGUF file as a Hugging Face `tokenizer.json`.
 * @throws ModelUnsupported for kinds of vocabulary other than byte-level BPE and SentencePiece
 */
export function toTokenizerJson(vocabulary: Vocabulary): object {
  switch (vocabulary.model) {
    case 'gpt2':
      return byteLevel(vocabulary);
    case 'llama':
      return sentencePiece(vocabulary);
    default:
      throw new ModelUnsupported(
        `text of this model (${vocabulary.model} vocabulary) cannot be counted here`,
      );
  }
}

function byteLevel(vocabulary: Vocabulary): object {
  const all = families as PreTokenizer[];
  const family = all.find(({ names }) => names.includes(vocabulary.pre)) ?? all[0];
  const cuts = (family?.split ?? []).map((Regex) => ({
    type: 'Split',
    pattern: { Regex },
    behavior: 'Isolated',
    invert: false,
  }));
  return {
    added_tokens: addedTokens(vocabulary),
    normalizer: null,
    pre_tokenizer: {
      type: 'Sequence',
      pretokenizers: [
        ...cuts,
        { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: false },
      ],
    },
    post_processor: null,
    decoder: { type: 'ByteLevel' },
    model: {
      type: 'BPE',
      vocab: ids(vocabulary),
      // Split at the first space after the first character, because a merge may begin with a space.
      merges: vocabulary.merges.map((merge) => {
        const space = merge.indexOf(' ', 1);
        return [merge.slice(0, space), merge.slice(space + 1)];
      }),
      ignore_merges: family?.ignoreMerges ?? false,
      unk_token: null,
    },
  };
}

/** SentencePiece merges the pair whose token has the best score. A list of merges in that order has the same effect. */
function sentencePiece(vocabulary: Vocabulary): object {
  const vocab = ids(vocabulary);
  const merges: { pair: [string, string]; score: number; order: number }[] = [];
  vocabulary.tokens.forEach((token, id) => {
    const characters = Array.from(token);
    for (let cut = 1; cut < characters.length; cut++) {
      const left = characters.slice(0, cut).join('');
      const right = characters.slice(cut).join('');
      if (Object.hasOwn(vocab, left) && Object.hasOwn(vocab, right)) {
        merges.push({ pair: [left, right], score: vocabulary.scores[id] ?? 0, order: merges.length });
      }
    }
  });
  merges.sort((a, b) => b.score - a.score || a.order - b.order);
  const space = { type: 'Replace', pattern: { String: ' ' }, content: '\u2581' };
  return {
    added_tokens: addedTokens(vocabulary),
    normalizer: vocabulary.addSpacePrefix
      ? { type: 'Sequence', normalizers: [{ type: 'Prepend', prepend: '\u2581' }, space] }
      : space,
    pre_tokenizer: null,
    post_processor: null,
    decoder: { type: 'Fuse' },
    model: {
      type: 'BPE',
      vocab,
      merges: merges.map(({ pair }) => pair),
      byte_fallback: true,
      fuse_unk: false,
      unk_token: vocabulary.unknownId === undefined ? null : vocabulary.tokens[vocabulary.unknownId],
    },
  };
}

function ids(vocabulary: Vocabulary): Record<string, number> {
  const vocab: Record<string, number> = Object.create(null);
  vocabulary.tokens.forEach((token, id) => {
    vocab[token] = id;
  });
  return vocab;
}

function addedTokens({ tokens, types }: Vocabulary): object[] {
  return tokens.flatMap((content, id) => {
    const type = types[id];
    const isAdded =
      type === TokenType.control || type === TokenType.userDefined || type === TokenType.unknown;
    if (!isAdded || content === '') return [];
    return [
      { id, content, single_word: false, lstrip: false, rstrip: false, normalized: false, special: true },
    ];
  });
}
