import type { ClipVocabulary } from './clip-tokenizer.ts';

/**
 * The vocabulary of CLIP's tokenizer, which all of its text encoders share. It consists of the 256 bytes, the bytes at
 * the end of a word, the result of each merge, and the two special tokens.
 */
export async function clipVocabulary(): Promise<ClipVocabulary> {
  const {
    default: { merges },
  } = await import('./clip-merges.json', { with: { type: 'json' } });
  const letters = byteLetters();
  const tokens = [
    ...letters,
    ...letters.map((letter) => `${letter}</w>`),
    ...merges.map((merge) => merge.replace(' ', '')),
    '<|startoftext|>',
    '<|endoftext|>',
  ];
  return {
    vocab: Object.fromEntries(tokens.map((token, id) => [token, id])),
    merges: merges.join('\n'),
  };
}

/** A letter for each byte, as in GPT-2: printable bytes stand for themselves, the others for letters from U+0100. */
function byteLetters(): string[] {
  const isPrintable = (byte: number) =>
    (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;
  const bytes = Array.from({ length: 256 }, (_, byte) => byte);
  const others = bytes.filter((byte) => !isPrintable(byte));
  return [
    ...bytes.filter(isPrintable).map((byte) => String.fromCharCode(byte)),
    ...others.map((_, index) => String.fromCharCode(0x100 + index)),
  ];
}
