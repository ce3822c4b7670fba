import { describe, expect, it } from 'vitest';
import { writeXml, type XmlWriteOptions } from './write-xml.ts';

const OPTIONS: XmlWriteOptions = {
  attributeKey: '$',
  textKey: '_',
  rootName: undefined,
  headless: true,
  cdata: false,
};
const write = (value: Record<string, unknown>, options: Partial<XmlWriteOptions> = {}) =>
  writeXml(value, { ...OPTIONS, ...options });

describe('the root', () => {
  it('is a single key, or has the default name', () => {
    expect(write({ a: 1 })).toBe('<a>1</a>');
    expect(write({ a: 1, b: 2 })).toBe('<root>\n  <a>1</a>\n  <b>2</b>\n</root>');
    expect(write({})).toBe('<root/>');
  });

  it('has the name of the option', () => {
    expect(write({ a: 1 }, { rootName: 'r' })).toBe('<r>\n  <a>1</a>\n</r>');
  });

  it('holds the elements of a list', () => {
    expect(write({ l: [1, 2] })).toBe('<l>\n  <item>1</item>\n  <item>2</item>\n</l>');
  });

  it('follows the declaration', () => {
    expect(write({ a: '' }, { headless: false })).toBe(
      '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n<a/>',
    );
  });
});

describe('values', () => {
  it.each([
    [null, '<a/>'],
    [undefined, '<a/>'],
    [[], '<a/>'],
    [false, '<a>false</a>'],
    [-0, '<a>0</a>'],
    [new Date(0), '<a>1970-01-01T00:00:00.000Z</a>'],
    [' ', '<a> </a>'],
    ['"<&>\r', '<a>"&lt;&amp;&gt;&#xD;</a>'],
    [{ _: 'only' }, '<a>only</a>'],
    [{ $: { k: 1 } }, '<a k="1"/>'],
    [{ $: 'no attributes', b: 1 }, '<a>\n  <b>1</b>\n</a>'],
    [{ b: 1, _: 'text' }, '<a>\n  text\n  <b>1</b>\n</a>'],
    [{ b: [1, []] }, '<a>\n  <b>1</b>\n  <b/>\n</a>'],
  ])('writes %j', (value, text) => {
    expect(write({ a: value })).toBe(text);
  });

  it('escapes attributes so that readers keep line breaks', () => {
    expect(write({ a: { $: { k: '<"&>\t\n\r' } } })).toBe('<a k="&lt;&quot;&amp;>&#x9;&#xA;&#xD;"/>');
  });

  it('uses CDATA only for text with special characters', () => {
    expect(write({ a: { b: '<b>]]>', c: 'plain' } }, { cdata: true })).toBe(
      '<a>\n  <b><![CDATA[<b>]]]]><![CDATA[>]]></b>\n  <c>plain</c>\n</a>',
    );
  });
});

describe('refuses', () => {
  it.each([
    [{ 'a b': 1 }, '"a b" cannot be the name of an XML element'],
    [{ '1a': 1 }, '"1a" cannot be the name of an XML element'],
    [{ a: { $: { 'x y': 1 } } }, '"x y" cannot be the name of an XML attribute'],
    [{ a: '\u0000' }, 'the data holds a control character, which XML cannot'],
    [{ a: { $: { k: '\u001f' } } }, 'the data holds a control character, which XML cannot'],
  ])('%j', (value, message) => {
    expect(() => write(value)).toThrow(message);
  });

  it('data that contains itself, but not data that is used twice', () => {
    const inner: Record<string, unknown> = { b: 1 };
    expect(write({ a: { x: inner, y: inner } })).toContain('<y>');
    inner.self = inner;
    expect(() => write({ a: inner })).toThrow('the data holds itself');
  });
});
