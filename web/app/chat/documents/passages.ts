/** Characters of a passage. The window of small embedding models has 256 tokens. */
const MAX_LENGTH = 800;
/** Characters after which a passage ends with its paragraph. */
const MIN_LENGTH = 400;
/** Characters of a last sentence that the next passage repeats. */
const MAX_OVERLAP = 160;

/** The end of a sentence or line. A point within a word, as in `notes.txt`, is none. */
const END = /[。！？]|[.!?…](?=["'”’)\]]{0,3}\s)|\n/g;
/** Quotes and white space after the end of a sentence. */
const AFTER_SENTENCE = /["'”’)\]」』）]*\s*/y;
const AFTER_LINE = /\s*/y;

/**
 * Splits a text into passages of at most 800 characters. They end with sentences where these are short enough. A short
 * last sentence also begins the next passage.
 */
export function passagesOf(text: string): string[] {
  const sentences = sentencesOf(text).flatMap(shortParts);
  const passages: string[] = [];
  let current = '';
  let last = '';
  const end = () => {
    if (current.trim() !== '' && current !== last) passages.push(current.trim());
    current = last.length <= MAX_OVERLAP ? last : '';
  };
  for (const sentence of sentences) {
    const endsParagraph = /\n\s*\n\s*$/.test(last);
    const isFull = current.length + sentence.length > MAX_LENGTH;
    if (isFull || (endsParagraph && current.length >= MIN_LENGTH)) {
      end();
      if (endsParagraph || current.length + sentence.length > MAX_LENGTH) current = '';
    }
    current += sentence;
    last = sentence;
  }
  last = '';
  end();
  return passages;
}

/** The sentences and lines of a text with their white space. */
function sentencesOf(text: string): string[] {
  const sentences: string[] = [];
  let start = 0;
  for (const { 0: mark, index } of text.matchAll(END)) {
    // White space after the end before may contain further ends of lines.
    if (index < start) continue;
    const after = mark === '\n' ? AFTER_LINE : AFTER_SENTENCE;
    after.lastIndex = index + 1;
    after.test(text);
    sentences.push(text.slice(start, after.lastIndex));
    start = after.lastIndex;
  }
  if (start < text.length) sentences.push(text.slice(start));
  return sentences;
}

/** Cuts a long sentence between words. */
function shortParts(sentence: string): string[] {
  const parts: string[] = [];
  let rest = sentence;
  while (rest.length > MAX_LENGTH) {
    const space = rest.lastIndexOf(' ', MAX_LENGTH);
    // Never between the two halves of a character.
    const half = /[\uD800-\uDBFF]$/.test(rest.slice(0, MAX_LENGTH)) ? MAX_LENGTH - 1 : MAX_LENGTH;
    const at = space > MIN_LENGTH ? space + 1 : half;
    parts.push(rest.slice(0, at));
    rest = rest.slice(at);
  }
  return [...parts, rest];
}
