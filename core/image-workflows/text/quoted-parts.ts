/** Texts that a prompt wants to see in the image, as Hunyuan Image reads them. */

const QUOTES = [/"(.*?)"/g, /\u2018(.*?)\u2019/g, /\u201c(.*?)\u201d/g];

/** The parts in double quotes, then those in curly single ones and in curly double ones. None spans lines. */
export const quotedParts = (prompt: string): string[] =>
  QUOTES.flatMap((quotes) => Array.from(prompt.matchAll(quotes), ([, part]) => part!));
