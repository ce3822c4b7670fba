/** Markdown as far as tests of the documentation need it. */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

/** The text without code, because links in code are no links. */
export function outsideCode(text: string): string {
  return text.replace(/^(```+|~~~+)[^\n]*\n[\s\S]*?^\1[ \t]*$/gm, '').replace(/`[^`\n]+`/g, '');
}

/** Targets of links and images, in Markdown and in HTML, as written. */
export function markdownLinks(text: string): string[] {
  const written = outsideCode(text).matchAll(
    /\]\(\s*<?([^)\s>]+)>?(?:\s+"[^"]*")?\s*\)|\b(?:href|src|srcset)="([^"\s]+)/g,
  );
  return [...written].map(([, plain, html]) => (plain ?? html)!);
}

/** The anchors that GitHub derives from headings. */
export function headingsOf(text: string): string[] {
  const seen = new Map<string, number>();
  const lines = text
    .replace(/^(```+|~~~+)[^\n]*\n[\s\S]*?^\1[ \t]*$/gm, '')
    .matchAll(/^#{1,6}\s+(.+?)\s*#*$/gm);
  return [...lines].map(([, title]) => {
    const shown = title!.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1');
    const name = shown
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\p{M}_ -]/gu, '')
      .replaceAll(' ', '-');
    const before = seen.get(name) ?? 0;
    seen.set(name, before + 1);
    return before === 0 ? name : `${name}-${before}`;
  });
}

/** The code blocks of a page in a language (`js`), in order. `page`: a path from the root of the project. */
export async function codeBlocks(page: string, language: string): Promise<string[]> {
  const text = await readFile(fileURLToPath(new URL(`../../../${page}`, import.meta.url)), 'utf8');
  const blocks = [...text.matchAll(/^```([\w-]*)\n([\s\S]*?)^```$/gm)];
  const found = blocks.filter(([, said]) => said === language).map(([, , code]) => code!);
  if (found.length === 0) throw new Error(`${page} has no block of ${language}`);
  return found;
}
