/** Everything that the documentation refers to exists: files, headings, images, scripts. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { headingsOf, markdownLinks, outsideCode } from '../support/processes/markdown.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const NOT_OURS = new Set(['node_modules', 'dist', '.git', '.cache', 'test-results', 'playwright-report']);

function markdownBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return NOT_OURS.has(entry.name) ? [] : markdownBelow(path);
    return entry.name.endsWith('.md') ? [path] : [];
  });
}

const pages = markdownBelow(root).map((path) => ({
  path,
  name: relative(root, path),
  text: readFileSync(path, 'utf8'),
}));

/** The reason why a link is broken. Undefined for valid links, and for links out of this project. */
function brokenAt(page: string, link: string): string | undefined {
  if (/^[a-z][\w+.-]*:/i.test(link)) return undefined;
  const [path = '', heading] = link.split('#');
  const target = path === '' ? page : join(dirname(page), decodeURIComponent(path));
  if (!target.startsWith(root)) return `${link} leads out of the project`;
  if (!existsSync(target)) return `${link}: no such file`;
  if (heading === undefined) return undefined;
  if (statSync(target).isDirectory()) return `${link}: a folder has no headings`;
  return headingsOf(readFileSync(target, 'utf8')).includes(heading) ? undefined : `${link}: no such heading`;
}

describe.each(pages)('$name', ({ path, text }) => {
  it('has no broken link', () => {
    expect(markdownLinks(text).flatMap((link) => brokenAt(path, link) ?? [])).toEqual([]);
  });
});

it('names only existing scripts', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: object };
  const guides = pages.filter(({ name }) => /^(README|CHANGELOG)\.md$|^docs\//.test(name));
  const named = guides.flatMap(({ text }) =>
    [...text.matchAll(/npm run ([\w:-]+)/g)].map(([, name]) => name),
  );
  expect(new Set(named)).toContain('bench');
  expect([...new Set(named)].filter((name) => !Object.hasOwn(scripts, name!))).toEqual([]);
});

it('shows every image in its folder', () => {
  const shown = pages.flatMap(({ path, text }) =>
    markdownLinks(text).map((link) => join(dirname(path), link)),
  );
  const folder = join(root, 'docs/images');
  const stored = existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];
  expect(stored.filter((path) => !shown.includes(path))).toEqual([]);
});

describe('the Markdown reader', () => {
  it('finds links of every kind, outside of code', () => {
    const text =
      '[a](b.md#c) ![d](e.png "title")\n<source srcset="f.webp"><img src="g.webp">\n`[no](x)`\n```\n[no](y)\n```\n';
    expect(markdownLinks(text)).toEqual(['b.md#c', 'e.png', 'f.webp', 'g.webp']);
    expect(outsideCode('a `b` c')).toBe('a  c');
  });
  it('derives anchors from headings as GitHub does', () => {
    expect(headingsOf('# A `b` & c\n## A b & c\n## Webhooks (port 5678)\n')).toEqual([
      'a-b--c',
      'a-b--c-1',
      'webhooks-port-5678',
    ]);
  });
});
