import { describe, expect, it } from 'vitest';
import { readXml, XmlError } from './read-xml.ts';

it('reads elements, attributes and texts in order', () => {
  expect(readXml('<?xml version="1.0"?><!-- c --><a x="1" y=\'&lt;\'>t<b/>u</a>')).toEqual({
    name: 'a',
    attributes: [
      ['x', '1'],
      ['y', '<'],
    ],
    children: ['t', { name: 'b', attributes: [], children: [] }, 'u'],
  });
});

it('keeps values as text, and white space as it is', () => {
  expect(readXml('<a n="01"> 1.0 </a>')).toMatchObject({ attributes: [['n', '01']], children: [' 1.0 '] });
});

it('skips a byte order mark and white space around the document', () => {
  expect(readXml('\uFEFF \n<a/>\n').name).toBe('a');
});

describe('entities', () => {
  it.each([
    ['&amp;&lt;&gt;&quot;&apos;', '&<>"\''],
    ['&#65;&#x42;&#x1F600;', 'AB😀'],
    ['&#0;&#xD800;&#x110000;', '&#0;&#xD800;&#x110000;'],
    ['&unknown; &amp;amp;', '&unknown; &amp;'],
  ])('decodes %s', (source, text) => {
    expect(readXml(`<a>${source}</a>`).children).toEqual([text]);
  });

  it('of the document are never expanded', () => {
    const bomb = '<!DOCTYPE a [<!ENTITY x "lol"><!ENTITY y "&x;&x;">]>';
    expect(readXml(`${bomb}<a>&y;&x;</a>`).children).toEqual(['&y;&x;']);
  });

  it('of other documents are refused', () => {
    const external = '<!DOCTYPE a [<!ENTITY f SYSTEM "file:///etc/passwd">]>';
    expect(() => readXml(`${external}<a>&f;</a>`)).toThrow(
      new XmlError('External entities are not supported'),
    );
  });
});

describe('text that is not XML', () => {
  it.each([
    ['', 'Non-whitespace before first tag.\nLine: 0\nColumn: 0\nChar: '],
    ['no xml', "char 'n' is not expected.\nLine: 0\nColumn: 1\nChar: n"],
    ['<a> & </a>', "char '&' is not expected.\nLine: 0\nColumn: 5\nChar: &"],
    ['<a>\n<b>', 'Unclosed root tag\nLine: 1\nColumn: 3\nChar: '],
  ])('is refused: %j', (source, message) => {
    expect(() => readXml(source)).toThrow(new XmlError(message));
  });

  it('is refused with the place of the fault', () => {
    expect(() => readXml('<a>\n  <b></c>\n</a>')).toThrow(/\nLine: 1\nColumn: \d+\nChar: /);
  });

  it('is refused with several roots or too many levels', () => {
    expect(() => readXml('<a/><b/>')).toThrow(XmlError);
    expect(() => readXml(`${'<a>'.repeat(300)}${'</a>'.repeat(300)}`)).toThrow(XmlError);
  });
});
