import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '#core/workflow-format';
import { openEngine, runCase } from '#test/support/webhooks/workflow-case.ts';
import type { Engine } from '../../engine/engine.ts';

let engine: Engine;
beforeAll(async () => {
  ({ engine } = await openEngine());
});
afterAll(() => engine.close());

async function xml(parameters: JsonObject, json: JsonObject) {
  const nodes = [{ type: 'n8n-nodes-base.xml', typeVersion: 1, parameters }];
  const [done] = await runCase(engine, { label: 'xml', nodes, input: { items: [json] } });
  return done!.output[0]![0]!.json;
}

describe('XML', () => {
  const toJson = (data: string, options = {}) => xml({ options }, { data });
  const toXml = (json: JsonObject, options = {}) => xml({ mode: 'jsonToxml', options }, json);
  const doc = '<R a="1"><I>x</I><I b="2"> y  z </I><J/></R>';

  test('converts XML to JSON', async () => {
    expect(await toJson(doc)).toEqual({ R: { a: '1', I: ['x', { b: '2', _: ' y  z ' }], J: '' } });
  });
  test.each([
    [{ mergeAttrs: false }, { R: { $: { a: '1' }, I: ['x', { $: { b: '2' }, _: ' y  z ' }], J: '' } }],
    [{ ignoreAttrs: true, trim: true }, { R: { I: ['x', 'y  z'], J: '' } }],
    [{ explicitArray: true, ignoreAttrs: true, normalize: true }, { R: { I: ['x', 'y z'], J: [''] } }],
    [
      { explicitRoot: false, normalizeTags: true, attrkey: '@', charkey: '#', mergeAttrs: false },
      { '@': { a: '1' }, i: ['x', { '@': { b: '2' }, '#': ' y  z ' }], j: '' },
    ],
  ])('converts XML to JSON with %j', async (options, expected) => {
    expect(await toJson(doc, options)).toEqual(expected);
  });
  test('converts JSON to XML and back', async () => {
    const json = { a: 1, list: ['x', 'y'], o: { $: { k: '<"&' }, _: 'a & b', c: null }, e: '', b: true };
    const { data } = (await toXml(json)) as { data: string };
    expect(data.split('\n')).toEqual([
      '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>',
      '<root>',
      '  <a>1</a>',
      '  <list>x</list>',
      '  <list>y</list>',
      '  <o k="&lt;&quot;&amp;">',
      '    a &amp; b',
      '    <c/>',
      '  </o>',
      '  <e/>',
      '  <b>true</b>',
      '</root>',
    ]);
    expect(await toJson(data, { mergeAttrs: false, trim: true })).toEqual({
      root: { a: '1', list: ['x', 'y'], o: { $: { k: '<"&' }, _: 'a & b', c: '' }, e: '', b: 'true' },
    });
  });
  test('writes CDATA and a root of another name', async () => {
    expect(await toXml({ top: { a: '<b>]]>' } }, { headless: true, cdata: true })).toEqual({
      data: '<top>\n  <a><![CDATA[<b>]]]]><![CDATA[>]]></a>\n</top>',
    });
    expect(await toXml({ a: 1 }, { headless: true, rootName: 'r' })).toEqual({
      data: '<r>\n  <a>1</a>\n</r>',
    });
  });
  test('explains what it cannot convert', async () => {
    expect(await toJson('<a>')).toEqual({ error: expect.stringContaining('Unclosed root tag') });
    expect(await xml({}, {})).toEqual({ error: 'Item has no JSON property called "data"' });
    expect(await toXml({ x: 1, '<script>': 1 })).toEqual({
      error: '"<script>" cannot be the name of an XML element',
    });
    expect(await toXml({ a: '\u0001' })).toEqual({ error: expect.stringContaining('control character') });
  });
});
