import { readGgufHeader } from '#core/tensors';

/** The tokens of a GGUF file and the rules by which text becomes tokens. */
export interface Vocabulary {
  /** `gpt2` (byte-level BPE), `llama` (SentencePiece), `bert`, `t5`, … */
  model: string;
  /** The name of the rule that cuts text before merging, for `gpt2`. */
  pre: string;
  tokens: string[];
  /** llama.cpp's token types: 1 normal, 2 unknown, 3 control, 4 user defined, 5 unused, 6 byte. */
  types: number[];
  scores: number[];
  merges: string[];
  bosId?: number;
  unknownId?: number;
  addSpacePrefix: boolean;
}

export const TokenType = { unknown: 2, control: 3, userDefined: 4, unused: 5, byte: 6 } as const;

const LIST_KEYS = new Set(
  ['tokens', 'token_type', 'scores', 'merges'].map((list) => `tokenizer.ggml.${list}`),
);

/** Reads the vocabulary of a GGUF file. Only the header of the file is read. */
export async function readVocabulary(file: Blob): Promise<Vocabulary> {
  const { keyValues } = await readGgufHeader(file.stream(), file.size, (key) => LIST_KEYS.has(key));
  const get = (key: string) => keyValues.get(`tokenizer.ggml.${key}`);
  const list = <T>(key: string) => (Array.isArray(get(key)) ? (get(key) as T[]) : []);
  const number = (key: string) => {
    const value = get(key);
    return value === undefined || value === null ? undefined : Number(value);
  };
  const model = String(get('model') ?? '');
  const bosId = number('bos_token_id');
  const unknownId = number('unknown_token_id');
  return {
    model,
    pre: String(get('pre') ?? 'default'),
    tokens: list<string>('tokens'),
    types: list<number>('token_type'),
    scores: list<number>('scores'),
    merges: list<string>('merges'),
    ...(bosId === undefined ? {} : { bosId }),
    ...(unknownId === undefined ? {} : { unknownId }),
    addSpacePrefix: (get('add_space_prefix') as boolean | undefined) ?? model === 'llama',
  };
}
