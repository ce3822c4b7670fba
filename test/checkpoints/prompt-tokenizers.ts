/** Tokenizers that know the words of the recorded prompts alone, with the recorded numbers of their tokens. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import tokens from './prompt-tokens.json' with { type: 'json' };

/** Writes `KIND/tokenizer.json` for the kinds that the folder lacks. The published tables are not needed. */
export function writePromptTokenizers(folder: string): void {
  for (const [kind, ids] of Object.entries(tokens)) {
    const path = join(folder, kind, 'tokenizer.json');
    if (existsSync(path)) continue;
    mkdirSync(join(folder, kind), { recursive: true });
    writeFileSync(path, JSON.stringify(promptTokenizer(ids)));
  }
}

/** The content of a `tokenizer.json`. Texts are split into the longest known words. */
export function promptTokenizer(ids: Readonly<Record<string, number>>): object {
  const words = Object.keys(ids).sort((first, second) => second.length - first.length);
  const pattern = words.map((word) => word.replace(/[.()|]/g, '\\$&')).join('|');
  const split = { type: 'Split', pattern: { Regex: pattern }, behavior: 'Isolated', invert: false };
  const spaces = { type: 'Metaspace', replacement: '▁', prepend_scheme: 'always', split: false };
  const hasSpaces = '▁' in ids;
  return {
    version: '1.0',
    added_tokens: words
      .filter((word) => word.startsWith('<'))
      .map((content) => ({
        ...{ id: ids[content], content, single_word: false, lstrip: false, rstrip: false, normalized: false },
        special: true,
      })),
    normalizer: null,
    pre_tokenizer: { type: 'Sequence', pretokenizers: hasSpaces ? [spaces, split] : [split] },
    post_processor: null,
    decoder: hasSpaces ? spaces : { type: 'Fuse' },
    model: { type: 'BPE', vocab: ids, merges: [], ignore_merges: true },
  };
}
