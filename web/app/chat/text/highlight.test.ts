import { expect, it } from 'vitest';
import { highlightedHtml } from './highlight.ts';

it('marks keywords, and escapes the text', () => {
  const html = highlightedHtml('const a = "<b>";', 'js')!;
  expect(html).toContain('<span class="hljs-keyword">const</span>');
  expect(html).toContain('&lt;b&gt;');
  expect(html).not.toContain('<b>');
});

it('knows no language that it has not learned', () => {
  expect(highlightedHtml('x', 'klingon')).toBeUndefined();
});
