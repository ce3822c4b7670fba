import { describe, expect, it } from 'vitest';
import { readHtml, writeHtml } from './html.ts';

describe('readHtml', () => {
  it.each([
    ['<table><tr><th>a</th><td>1</td></tr><tr><td>b</td></tr></table>', [['a', '1'], ['b']]],
    ['<TABLE class="x"><TR><TD colspan=2> a </TD></TR></TABLE>', [['a']]],
    ['<table><tr><td>a<td>b<tr><td>c</table>', [['a', 'b'], ['c']]],
    ['<table><tr><td><b>bold</b> and<br/>more</td></tr></table>', [['bold and\nmore']]],
    ['<table><tr></tr></table>', [[]]],
    ['no table here', []],
  ])('reads the rows of %s', (html, rows) => expect(readHtml(html)).toEqual(rows));

  it('reads the first of several tables', () => {
    expect(readHtml('<table><tr><td>1</td></tr></table><table><tr><td>2</td></tr></table>')).toEqual([['1']]);
  });

  it.each([
    ['&lt;a&gt; &amp; &quot;b&quot; &apos;', '<a> & "b" \''],
    ['&#228;&#xe4;&#X1F600;', 'ää😀'],
    ['a&nbsp;b', 'a\u00a0b'],
    ['&unknown; & &#0; &#x110000;', '&unknown; & &#0; &#x110000;'],
    ['&amp;lt;', '&lt;'],
  ])('decodes %s', (cell, text) => {
    expect(readHtml(`<table><tr><td>${cell}</td></tr></table>`)).toEqual([[text]]);
  });
});

describe('writeHtml', () => {
  const table = { columns: ['a<b'], rows: [['"x" & <y>'], [null]] };

  it('escapes the cells', () => {
    expect(writeHtml(table, true)).toBe(
      '<!DOCTYPE html><html><head><meta charset="utf-8"><title>Table</title></head><body><table>' +
        '<tr><th>a&lt;b</th></tr><tr><td>&quot;x&quot; &amp; &lt;y&gt;</td></tr><tr><td></td></tr>' +
        '</table></body></html>',
    );
  });

  it('leaves the header out', () => expect(writeHtml(table, false)).not.toContain('<th>'));

  it('writes what readHtml reads', () => {
    expect(readHtml(writeHtml(table, true))).toEqual([['a<b'], ['"x" & <y>'], ['']]);
  });
});
