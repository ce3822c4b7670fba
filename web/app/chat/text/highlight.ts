/** Colors code by its language. Loaded with the first code block. */
import hljs from 'highlight.js/lib/common';

/** HTML of `text` with spans of classes. Undefined for an unknown language. The library escapes the text. */
export function highlightedHtml(text: string, language: string): string | undefined {
  if (!hljs.getLanguage(language)) return undefined;
  return hljs.highlight(text, { language, ignoreIllegals: true }).value;
}
