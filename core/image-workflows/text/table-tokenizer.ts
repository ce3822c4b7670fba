import { Tokenizer } from '@huggingface/tokenizers';
import type { PromptTokenizer } from './prompt-tokens.ts';

/** The special tokens of an encoder's prompts. */
export interface FramingTokens {
  start?: string;
  end?: string;
  /** The token, or its number where its name differs between published tables. */
  pad: string | number;
  /** Spaces at the end of a text count for nothing, also with published tables that lack this rule of SentencePiece. */
  trimsEnd?: boolean;
}

/**
 * A tokenizer from the table of its `tokenizer.json`.
 * @param config the content of `tokenizer_config.json`
 * @throws `TypeError` for a table of another form, and for a vocabulary without one of the special tokens
 */
export function tableTokenizer(table: object, config: object, framing: FramingTokens): PromptTokenizer {
  const tokenizer = new Tokenizer(withDecoder(table), config);
  const idOf = (token: string) => {
    const id = tokenizer.token_to_id(token);
    if (id === undefined) throw new TypeError(`the vocabulary of the tokenizer has no ${token}`);
    return id;
  };
  const bytes = byteTokens(table, tokenizer);
  return {
    start: framing.start === undefined ? undefined : idOf(framing.start),
    end: framing.end === undefined ? undefined : idOf(framing.end),
    pad: typeof framing.pad === 'number' ? framing.pad : idOf(framing.pad),
    text: (ids) => tokenizer.decode([...ids], { skip_special_tokens: true }),
    special: (text) => tokenizer.token_to_id(text),
    tokens(text) {
      const trimmed = framing.trimsEnd ? text.trimEnd() : text;
      const { ids, tokens } = tokenizer.encode(trimmed, { add_special_tokens: false });
      return bytes ? ids.flatMap((id, at) => (id === bytes.unknown ? bytes.of(tokens[at]!) : id)) : ids;
    },
  };
}

/** Copies of published tables that were made for reading alone lack the way back from tokens to texts. */
function withDecoder(table: object): object {
  const { decoder, pre_tokenizer } = table as { decoder?: object | null; pre_tokenizer?: unknown };
  if (decoder) return table;
  if (JSON.stringify(pre_tokenizer ?? {}).includes('"ByteLevel"'))
    return {
      ...table,
      decoder: { type: 'ByteLevel', add_prefix_space: true, trim_offsets: true, use_regex: true },
    };
  const spaces = { type: 'Replace', pattern: { String: '▁' }, content: ' ' };
  return {
    ...table,
    decoder: { type: 'Sequence', decoders: [spaces, { type: 'ByteFallback' }, { type: 'Fuse' }] },
  };
}

interface ByteTokens {
  unknown: number;
  /** The tokens for the bytes of a text. */
  of(text: string): number[];
}

/** The library has no bytes in place of unknown letters for unigrams, though UMT5 has tokens for them. */
function byteTokens(table: object, tokenizer: Tokenizer): ByteTokens | undefined {
  const { model } = table as { model?: { type?: string; unk_id?: number } };
  const first = tokenizer.token_to_id('<0x00>');
  if (model?.type !== 'Unigram' || model.unk_id === undefined || first === undefined) return undefined;
  return {
    unknown: model.unk_id,
    of: (text) => Array.from(new TextEncoder().encode(text), (byte) => first + byte),
  };
}
