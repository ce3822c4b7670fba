import { gguf } from '@huggingface/gguf';

/** The part of a GGUF file that turns text into tokens and back. */
export interface Vocabulary {
  /** `gpt2` (byte-level BPE), `llama` (SentencePiece), `bert`, `t5`, … */
  model: string;
  /** Name of the way text is cut before merging, for `gpt2`. */
  pre: string;
  tokens: string[];
  /** llama.cpp's token types: 1 normal, 2 unknown, 3 control, 4 user defined, 5 unused, 6 byte. */
  types: number[];
  scores: number[];
  merges: string[];
  bosId?: number;
  unknownId?: number;
  addSpacePrefix: boolean;
  endOfGeneration: Set<number>;
}

export const TokenType = { unknown: 2, control: 3, userDefined: 4, unused: 5, byte: 6 } as const;

/** Reads the vocabulary out of a GGUF file, fetching only its head. */
export async function readVocabulary(file: Blob): Promise<Vocabulary> {
  const { metadata } = await gguf('https://local.invalid/weights.gguf', { fetch: rangesOf(file) });
  const get = (key: string) => (metadata as Record<string, unknown>)[`tokenizer.ggml.${key}`];
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
    endOfGeneration: new Set(
      ['eos_token_id', 'eot_token_id', 'eom_token_id'].flatMap((key) => number(key) ?? []),
    ),
  };
}

/** Range requests answered from the file: what the GGUF reader knows how to ask for. */
function rangesOf(file: Blob): typeof fetch {
  return async (_url, init) => {
    const range = /bytes=(\d+)-(\d+)/.exec(new Headers(init?.headers).get('range') ?? '');
    const start = Number(range?.[1] ?? 0);
    const end = Math.min(file.size, Number(range?.[2] ?? file.size - 1) + 1);
    return new Response(file.slice(start, end), {
      status: 206,
      headers: { 'content-range': `bytes ${start}-${end - 1}/${file.size}` },
    });
  };
}
