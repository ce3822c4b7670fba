import { describe, expect, it } from 'vitest';
import { readXml } from './read-xml.ts';
import { type XmlToObjectOptions, xmlToObject } from './to-object.ts';

const convert = (source: string, options?: Partial<XmlToObjectOptions>) =>
  xmlToObject(readXml(source), options);

it('has the defaults of xml2js', () => {
  expect(convert('<r a="1"><i>x</i><i/> </r>')).toEqual({ r: { $: { a: '1' }, i: ['x', ''] } });
});

describe('options', () => {
  const source = '<R a="1"><i>x</i><i b="2"> y  z </i><j/></R>';

  it('without lists, only repeated elements are lists', () => {
    expect(convert(source, { arrays: false })).toEqual({
      R: { $: { a: '1' }, i: ['x', { $: { b: '2' }, _: ' y  z ' }], j: '' },
    });
  });

  it('merge or leave out attributes', () => {
    expect(convert('<r a="1"><a>2</a></r>', { arrays: false, mergeAttributes: true })).toEqual({
      r: { a: ['1', '2'] },
    });
    expect(convert('<r a="1">t</r>', { attributes: false })).toEqual({ r: 't' });
  });

  it('rename the keys of attributes and text', () => {
    expect(convert('<r a="1">t</r>', { attributeKey: '@', textKey: '#' })).toEqual({
      r: { '@': { a: '1' }, '#': 't' },
    });
  });

  it('leave out the root, and lower the case of names', () => {
    expect(convert(source, { root: false, lowerNames: true, attributes: false, arrays: false })).toEqual({
      i: ['x', ' y  z '],
      j: '',
    });
    expect(convert('<R/>', { lowerNames: true })).toEqual({ r: '' });
  });

  it('trim and collapse white space', () => {
    expect(convert('<r> y  z </r>', { trim: true })).toEqual({ r: 'y  z' });
    expect(convert('<r> y  z </r>', { normalize: true })).toEqual({ r: 'y z' });
  });
});
