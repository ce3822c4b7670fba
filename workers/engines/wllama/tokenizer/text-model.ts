import { Tokenizer } from '@huggingface/tokenizers';
import { Detokenizer } from './detokenizer.ts';
import { toTokenizerJson } from './tokenizer-json.ts';
import { readVocabulary, TokenType, type Vocabulary } from './vocabulary.ts';

/**
 * The tokenizer and detokenizer for a GGUF file's vocabulary, which llama.cpp in the browser does not offer. A test
 * compares the results with those of llama.cpp in Node.
 */
export class TextModel {
  /** The text of the beginning-of-sequence token. */
  readonly bos: string | undefined;
  readonly #pieces: Detokenizer;
  #tokenizer: Tokenizer | undefined;

  constructor(private readonly vocabulary: Vocabulary) {
    const { tokens, bosId } = vocabulary;
    this.bos = bosId === undefined ? undefined : tokens[bosId];
    this.#pieces = new Detokenizer(vocabulary);
  }

  /** The texts of special tokens that an answer may contain, such as marks of tool calls and thinking. */
  specialTokens(endOfGeneration: Set<number>): string[] {
    const { tokens, types } = this.vocabulary;
    return tokens.filter((_, id) => types[id] === TokenType.control && !endOfGeneration.has(id));
  }

  /**
   * The tokens of a text. Special tokens in it are recognized, and none are added.
   * @throws ModelUnsupported for a kind of vocabulary that is not supported
   */
  tokenize(text: string): number[] {
    if (text === '') return [];
    // Built on first use, because reading 250,000 merges takes time.
    this.#tokenizer ??= new Tokenizer(toTokenizerJson(this.vocabulary), {});
    return this.#tokenizer.encode(text, { add_special_tokens: false }).ids;
  }

  detokenize(tokens: number[]): string {
    return this.#pieces.toText(tokens);
  }
}

/** Reads the vocabulary at the beginning of a GGUF file. */
export async function readTextModel(file: Blob): Promise<TextModel> {
  return new TextModel(await readVocabulary(file));
}
