import { parsePromptWeights, unescaped } from './prompt-weights.ts';
import { CHUNK_BREAK, type PromptPart } from './token-chunks.ts';

/** How an encoder splits text, and the tokens that frame it. */
export interface PromptTokenizer {
  /** The tokens of a text, without start and end. */
  tokens(text: string): number[];
  /** Undefined: prompts begin with their first word. */
  start: number | undefined;
  /** Undefined: prompts end with their last word. */
  end: number | undefined;
  /** The token that fills a chunk up. */
  pad: number;
  /** The text of tokens, without special ones. Undefined: the tokenizer only reads. */
  text?(tokens: readonly number[]): string;
  /** The token of a special text such as `<|im_end|>`. Undefined: there is none. */
  special?(text: string): number | undefined;
}

/** The vectors of a textual inversion in `embeddings/`. Undefined: none has this name, or this width. */
export type EmbeddingLookup = (name: string) => Promise<readonly Float32Array[] | undefined>;

const EMBEDDING = 'embedding:';

export interface PromptOptions {
  lookup?: EmbeddingLookup;
  /** Receives the names without an embedding, which are left out. */
  onMissing?(name: string): void;
  /** Parentheses are text and set no weights. */
  isLiteral?: boolean;
}

/**
 * Splits a prompt into weighted tokens. `embedding:name` at the start, or after a space or a line break, becomes learned
 * vectors. The word BREAK becomes a chunk break.
 */
export async function tokenizePrompt(
  prompt: string,
  tokenizer: Pick<PromptTokenizer, 'tokens'>,
  { lookup = async () => undefined, onMissing = () => {}, isLiteral = false }: PromptOptions = {},
): Promise<PromptPart[]> {
  const parts: PromptPart[] = [];
  const weighted = isLiteral ? [{ text: unescaped(prompt), weight: 1 }] : parsePromptWeights(prompt);
  for (const { text, weight } of weighted)
    for (const [index, section] of text.split(/(?<!\S)BREAK(?!\S)/).entries()) {
      if (index > 0) parts.push(CHUNK_BREAK);
      for (const tokens of await tokenizeSection(section, tokenizer, lookup, onMissing))
        if (tokens.length > 0) parts.push(tokens.map((token) => ({ token, weight })));
    }
  return parts;
}

/** The embeddings of a text and the words between them, each as a list of its own. */
async function tokenizeSection(
  section: string,
  tokenizer: Pick<PromptTokenizer, 'tokens'>,
  lookup: EmbeddingLookup,
  onMissing: (name: string) => void,
): Promise<(readonly (number | Float32Array)[])[]> {
  const lists: (readonly (number | Float32Array)[])[] = [];
  for (const piece of section.split(/(?:^|[ \n])(?=embedding:)/)) {
    let words = piece;
    if (piece.startsWith(EMBEDDING)) {
      const name = /^\S*/.exec(piece.slice(EMBEDDING.length))![0];
      const embedding = await findEmbedding(name, lookup);
      if (embedding) lists.push(embedding.vectors);
      else onMissing(name);
      words = (embedding?.rest ?? '') + piece.slice(EMBEDDING.length + name.length);
    }
    if (words.trim() !== '') lists.push(tokenizer.tokens(words));
  }
  return lists;
}

/** Commas at the end of a name belong to the text, unless an embedding has them in its name. */
async function findEmbedding(name: string, lookup: EmbeddingLookup) {
  const exact = await lookup(name);
  if (exact) return { vectors: exact, rest: '' };
  const bare = name.replace(/,+$/, '');
  if (bare === name) return undefined;
  const vectors = await lookup(bare);
  return vectors && { vectors, rest: name.slice(bare.length) };
}
