import { Tokenizer } from '@huggingface/tokenizers';
import { Pieces } from './detokenizer.ts';
import { tokenizerJson } from './tokenizer-json.ts';
import { readVocabulary, TokenType, type Vocabulary } from './vocabulary.ts';

/**
 * Text <-> tokens by the model's own vocabulary. llama.cpp in the browser has no call for it, so this stands beside it;
 * a table of texts proves the two equal.
 */
export class TextModel {
  /** The text of the beginning-of-sequence token. */
  readonly bos: string | undefined;
  readonly #pieces: Pieces;
  #tokenizer: Tokenizer | undefined;

  constructor(private readonly vocabulary: Vocabulary) {
    const { tokens, bosId } = vocabulary;
    this.bos = bosId === undefined ? undefined : tokens[bosId];
    this.#pieces = new Pieces(vocabulary);
  }

  /** Texts of the special tokens that an answer may hold: tool and thinking marks are among them. */
  specialTokens(endOfGeneration: Set<number>): string[] {
    const { tokens, types } = this.vocabulary;
    return tokens.filter((_, id) => types[id] === TokenType.control && !endOfGeneration.has(id));
  }

  /** Special tokens in the text are recognised; none are added. Throws where this kind of vocabulary is not known. */
  tokenize(text: string): number[] {
    if (text === '') return [];
    // Built when first needed: a quarter of a million merges take a while.
    this.#tokenizer ??= new Tokenizer(tokenizerJson(this.vocabulary), {});
    return this.#tokenizer.encode(text, { add_special_tokens: false }).ids;
  }

  detokenize(tokens: number[]): string {
    return this.#pieces.join(tokens);
  }
}

export async function readTextModel(file: Blob): Promise<TextModel> {
  return new TextModel(await readVocabulary(file));
}
