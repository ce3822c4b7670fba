/** Checks one text against the rules of rules.json. */
import rules from './rules.json' with { type: 'json' };

const alternatives = (keys: string[]) => new RegExp(`(?<![\\w-])(?:${keys.join('|')})(?![\\w-])`, 'gi');
const words = alternatives(Object.keys(rules.words));
const phrases = Object.entries(rules.phrases).map(
  ([pattern, remedy]) => [new RegExp(`\\b(?:${pattern})`, 'gi'), remedy] as const,
);

const identifiers = new Map(Object.entries(rules.identifiers));

/** @returns a complaint for each word that the glossary replaces. */
export function bannedWords(text: string): string[] {
  const prose = withoutCode(text);
  const found = [...prose.matchAll(words)].map(([word]) => {
    const remedy = rules.words[word.toLowerCase() as keyof typeof rules.words];
    return `"${word}": ${remedy}`;
  });
  for (const [pattern, remedy] of phrases) {
    for (const [phrase] of prose.matchAll(pattern)) found.push(`"${phrase}": ${remedy}`);
  }
  return found;
}

/** @returns a complaint when the text begins with words that invert a sentence. */
export function bannedStart(text: string): string[] {
  return Object.entries(rules.starts).flatMap(([start, remedy]) =>
    text.trimStart().startsWith(start) ? [`begins with "${start.trim()}": ${remedy}`] : [],
  );
}

/** @returns a complaint for each sentence with too many words. */
export function longSentences(text: string): string[] {
  return sentences(text).flatMap((sentence) => {
    const count = sentence.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
    return count > rules.sentence ? [`a sentence of ${count} words: "${sentence.slice(0, 60)}…"`] : [];
  });
}

/** @returns a complaint when a declared name says nothing about its content. */
export function bannedName(name: string): string[] {
  const remedy = identifiers.get(name.replace(/^_+/, ''));
  return remedy ? [`the name "${name}": ${remedy}`] : [];
}

/** Parts that are separate texts: paragraphs, list items, tags of a docstring. Examples are code. */
export function sentences(text: string): string[] {
  const prose = withoutCode(text.replace(/@example[\s\S]*?(?=\n\s*@\w|$)/g, ''));
  return prose
    .split(/\n\s*\n|\n\s*(?=[-*] |\d+\. |@)|\n(?=\s*\|)|\|/)
    .flatMap((part) => part.split(/(?<=[.!?]["')\]*]*)\s+(?=["'(*]*(?:[\p{Lu}\p{N}"'(]|tabd\b))/u))
    .map((sentence) => sentence.replace(/\s+/g, ' ').trim())
    .filter(Boolean);
}

/** Code counts as one word, which may begin a sentence. A link counts as its text. */
const withoutCode = (text: string) =>
  text
    .replace(/```[\s\S]*?```/g, '')
    .replace(/`[^`]*`/g, 'Code')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/https?:\/\/\S+/g, 'link')
    .replace(/"[^"\n]{0,80}"/g, 'quoted');
