import { parsePromptWeights } from './prompt-weights.ts';
import { NEW_CHUNK, type WeightedToken } from './token-chunks.ts';

/** How an encoder splits text, and the tokens that it puts around it. */
export interface PromptTokenizer {
  /** Without start and end. */
  tokens(text: string): number[];
  /** undefined: prompts begin with their first word. */
  start: number | undefined;
  end: number;
  /** What fills up. */
  pad: number;
}

/** The learned vectors of a name in `embeddings/`; undefined: there is none of this name, or none of this width. */
export type Embeddings = (name: string) => Promise<readonly Float32Array[] | undefined>;

const EMBEDDING = 'embedding:';

/**
 * The parts of a prompt as tokens: `embedding:name` at its start, after a space or a line break stands for learned
 * vectors, BREAK alone begins a new chunk. Names that are not there are left out, and told to `missing`.
 */
export async function promptTokens(
  prompt: string,
  tokenizer: Pick<PromptTokenizer, 'tokens'>,
  embeddings: Embeddings = async () => undefined,
  missing: (name: string) => void = () => {},
): Promise<(WeightedToken[] | typeof NEW_CHUNK)[]> {
  const parts: (WeightedToken[] | typeof NEW_CHUNK)[] = [];
  const add = (tokens: readonly (number | Float32Array)[], weight: number) => {
    if (tokens.length > 0) parts.push(tokens.map((token) => ({ token, weight })));
  };
  for (const { text, weight } of parsePromptWeights(prompt))
    for (const [index, section] of text.split(/(?<!\S)BREAK(?!\S)/).entries()) {
      if (index > 0) parts.push(NEW_CHUNK);
      for (const piece of section.split(/(?:^|[ \n])(?=embedding:)/)) {
        let words = piece;
        if (piece.startsWith(EMBEDDING)) {
          const name = /^\S*/.exec(piece.slice(EMBEDDING.length))![0];
          const found = await namedEmbedding(name, embeddings);
          if (found) add(found.vectors, weight);
          else missing(name);
          words = (found?.rest ?? '') + piece.slice(EMBEDDING.length + name.length);
        }
        if (words.trim() !== '') add(tokenizer.tokens(words), weight);
      }
    }
  return parts;
}

/** Commas after a name are text, unless the name has them. */
async function namedEmbedding(name: string, embeddings: Embeddings) {
  const whole = await embeddings(name);
  if (whole) return { vectors: whole, rest: '' };
  const bare = name.replace(/,+$/, '');
  if (bare === name) return undefined;
  const vectors = await embeddings(bare);
  return vectors && { vectors, rest: name.slice(bare.length) };
}
