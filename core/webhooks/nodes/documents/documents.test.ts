import { expect, it } from 'vitest';
import { runWebhookNode } from '#test/support/webhooks/run-node.ts';
import { openEngine } from '#test/support/webhooks/workflow-case.ts';
import { readFeed } from './feeds/read-feed.ts';

const ITEM = {
  html: '<div class="x"><h1>T</h1><a href="/u">L</a><p>one</p><p> two </p></div>',
  md: '# H\n\n*i*',
};

async function run(
  type: string,
  parameters: Record<string, unknown>,
  typeVersion = 1,
  input: object[] = [ITEM],
) {
  const { engine } = await openEngine({ fetch: async () => new Response('<rss><channel/></rss>') });
  const { outputs, error } = await runWebhookNode(engine, { type, typeVersion, parameters }, input as never);
  await engine.close();
  return error ? error.message : outputs[0];
}

const VALUES = {
  values: [
    { key: 'h', cssSelector: 'h1' },
    { key: 'ps', cssSelector: 'p', returnArray: true },
    { key: 'at', cssSelector: 'a', returnValue: 'attribute', attribute: 'href' },
    { key: 'in', cssSelector: 'div', returnValue: 'html' },
    { key: 'no', cssSelector: '.none' },
  ],
};
const EXTRACT = { operation: 'extractHtmlContent', dataPropertyName: 'html', extractionValues: VALUES };
const INNER = ITEM.html.slice('<div class="x">'.length, -'</div>'.length);

it.each([
  ['html', 1, {}, { h: 'T', ps: ['one', ' two '], at: '/u', in: INNER }],
  ['html', 1, { cleanUpText: true }, { h: 'T', ps: ['one', 'two'], at: '/u', in: INNER }],
  ['html', 1.2, {}, { h: 'T', ps: ['one', 'two'], at: '/u', in: INNER, no: '' }],
  ['htmlExtract', 1, {}, { h: 'T', ps: ['one', 'two'], at: '/u', in: INNER, no: '' }],
  ['htmlExtract', 1, { trimValues: false }, { h: 'T', ps: ['one', ' two '], at: '/u', in: INNER, no: '' }],
])('%s %s with %j reads values', async (type, version, options, json) => {
  expect(await run(type, { ...EXTRACT, options }, version)).toEqual([json]);
});

it('HTML fills templates, and names a missing property', async () => {
  expect(await run('html', { html: '<p>{{ $json.md.length }}</p>' })).toEqual([{ html: '<p>8</p>' }]);
  expect(await run('html', { ...EXTRACT, dataPropertyName: 'x' })).toBe('No property named "x" exists!');
});

it('HTML makes a table', async () => {
  const options = { customStyling: true, capitalize: true, caption: 'C', cellAttributes: 'class="c"' };
  const table = await run('html', { operation: 'convertToHtmlTable', options }, 1.2, [
    { first_name: 'A' },
    { b: true },
  ]);
  expect(table).toEqual([
    {
      table:
        '<table  ><caption>C</caption><thead  ><tr><th>First Name</th><th>B</th></tr></thead><tbody>' +
        '<tr  ><td  class="c">A</td><td  class="c"></td></tr>' +
        '<tr  ><td  class="c"></td><td  class="c"><input type=\'checkbox\' checked/></td></tr></tbody></table>',
    },
  ]);
});

it('Markdown converts both ways', async () => {
  const toHtml = { mode: 'markdownToHtml', markdown: '={{ $json.md }}', destinationKey: 'o.h' };
  expect(await run('markdown', toHtml)).toEqual([
    { ...ITEM, o: { h: '<h1 id="h">H</h1>\n<p><em>i</em></p>' } },
  ]);
  expect(await run('markdown', { html: '<h2>x</h2><b>y</b>' })).toEqual([{ ...ITEM, data: '## x\n\n**y**' }]);
  const options = { bulletMarker: '-', ignore: 'b' };
  expect(await run('markdown', { html: '<ul><li>a</li></ul><b>y</b>', options })).toEqual([
    { ...ITEM, data: '- a' },
  ]);
});

it('RSS Read refuses an address that is none, and reads an empty feed', async () => {
  expect(await run('rssFeedRead', { url: 'nota url' }, 1.2)).toBe('The provided "URL" is not valid!');
  expect(await run('rssFeedRead', { url: 'http://a.test/' }, 1.2)).toEqual([]);
});

it('reads RSS and Atom', () => {
  const rss = `<rss version="2.0"><channel><item><title>A &amp; B</title><category>c</category>
    <description><![CDATA[<p>Hi</p>you]]></description><pubDate>Tue, 07 Jan 2025 10:00:00 GMT</pubDate>
    <x:own>1</x:own></item></channel></rss>`;
  expect(readFeed(rss, ['x:own'])).toEqual([
    {
      title: 'A & B',
      pubDate: 'Tue, 07 Jan 2025 10:00:00 GMT',
      content: '<p>Hi</p>you',
      contentSnippet: 'Hi\nyou',
      categories: ['c'],
      'x:own': '1',
      isoDate: '2025-01-07T10:00:00.000Z',
    },
  ]);
  const atom = `<feed><entry><title>E</title><link rel="self" href="s"/><link href="l"/><id>1</id>
    <updated>2025-01-02</updated></entry></feed>`;
  const iso = '2025-01-02T00:00:00.000Z';
  expect(readFeed(atom)).toEqual([{ title: 'E', link: 'l', pubDate: iso, id: '1', isoDate: iso }]);
  expect(() => readFeed('<html></html>')).toThrow('Feed not recognized as RSS 1 or 2.');
});
