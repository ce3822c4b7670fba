import { clipTokenizer } from '#core/image-workflows/text/clip-tokenizer.ts';

const letters = [...'abcdefghijklmnopqrstuvwxyz,.!0123456789'];
const merges = ['c a', 'ca t</w>', 'd o', 'do g</w>'];
const tokens = [
  ...letters,
  ...letters.map((letter) => `${letter}</w>`),
  ...['ca', 'cat</w>', 'do', 'dog</w>', '<|startoftext|>', '<|endoftext|>'],
];
const vocab = Object.fromEntries(tokens.map((token, id) => [token, id]));

/** CLIP's tokenizer with letters, digits and the words cat and dog. */
export const tinyClipTokenizer = clipTokenizer({ vocab, merges: `#version: 0.2\n${merges.join('\n')}\n` });

/** The id of a token of `tinyClipTokenizer`. */
export const tokenId = (token: string): number => vocab[token]!;
