/** Convert to File and Extract from File, each reading what the other writes. */
import { strToU8, zipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Binary, JsonObject } from '#core/workflow-format';
import { tinyPdf } from '#test/support/webhooks/tiny-pdf.ts';
import { openEngine, runCase } from '#test/support/webhooks/workflow-case.ts';
import type { Engine } from '../../engine/engine.ts';

let engine: Engine;
beforeAll(async () => {
  engine = (await openEngine({ settings: { GENERIC_TIMEZONE: 'Europe/Berlin' } })).engine;
});
afterAll(() => engine.close());

const convert = (parameters: JsonObject) => ({
  type: 'n8n-nodes-base.convertToFile',
  typeVersion: 1.1,
  parameters,
});
const extract = (parameters: JsonObject) => ({
  type: 'n8n-nodes-base.extractFromFile',
  typeVersion: 1,
  parameters,
});
/** A node that outputs an item with a file. */
const upload = (content: Uint8Array | string, fileName: string) => {
  const base64 = Buffer.from(content as string).toString('base64');
  const code = `return [{ json: { old: 1 }, binary: { data: await this.helpers.prepareBinaryData(Buffer.from('${base64}', 'base64'), '${fileName}') } }];`;
  return { type: 'n8n-nodes-base.code', typeVersion: 2, parameters: { jsCode: code } };
};

async function run(items: JsonObject[], ...nodes: Parameters<typeof runCase>[1]['nodes']) {
  const [done] = await runCase(engine, { label: 'files', nodes, input: { items } });
  return done!.output[0]!;
}
const json = async (items: JsonObject[], ...nodes: Parameters<typeof runCase>[1]['nodes']) =>
  (await run(items, ...nodes)).map((item) => item.json);
async function fileText(items: JsonObject[], parameters: JsonObject): Promise<string> {
  const [item] = await run(items, convert(parameters));
  return Buffer.from((item!.binary as Record<string, Binary>).data!.data, 'base64').toString('utf8');
}

const ROWS = [
  { a: 1, s: 'x, "y"\nz', o: { k: [true] } },
  { a: -2.5, extra: '=1+1' },
];

describe('CSV', () => {
  test('is written with columns for nested values', async () => {
    expect(await fileText(ROWS, { operation: 'csv' })).toBe(
      '\ufeffa,s,o.k.0,extra\n1,"x, ""y""\nz",TRUE,\n-2.5,,,=1+1',
    );
    const options = { delimiter: ';', headerRow: false };
    expect(await fileText([{ a: 'x;y', b: 2 }], { operation: 'csv', options })).toBe('\ufeff"x;y";2');
  });
  test('is read row by row', async () => {
    const read = (options: JsonObject, text = 'a,b,b\n1,"x\ny",\n\n2,,3\n') =>
      json([{}], upload(text, 'a.csv'), extract({ operation: 'csv', options }));
    expect(await read({})).toEqual([
      { a: '1', b: 'x\ny' },
      { a: '2', b_1: '3' },
    ]);
    expect(await read({ includeEmptyCells: true, maxRowCount: 1 })).toEqual([{ a: '1', b: 'x\ny', b_1: '' }]);
    expect(await read({ headerRow: false, maxRowCount: 1 })).toEqual([{ row: ['a', 'b', 'b'] }]);
    expect(await read({ delimiter: ';', fromLine: 2 }, 'comment\na;b\n1;2')).toEqual([{ a: '1', b: '2' }]);
    expect(await read({ enableBOM: true }, '\ufeffa\n1')).toEqual([{ a: '1' }]);
    expect(await read({}, '\ufeffa\n1')).toEqual([{ '\ufeffa': '1' }]);
    expect(await read({ encoding: 'latin1' }, '\u00e9\n1')).toEqual([{ '\u00c3\u00a9': '1' }]);
    expect(await read({}, '__proto__,b\n1,2')).toEqual([JSON.parse('{"__proto__":"1","b":"2"}')]);
  });
  test('that is malformed is reported with its row', async () => {
    const malformed = [upload('a\n"x\n', 'a.csv'), extract({ operation: 'csv' })];
    expect(await json([{}], ...malformed)).toEqual([
      { error: expect.stringMatching(/^Quoted field unterminated \(row 2\)/) },
    ]);
  });
});

describe('spreadsheets', () => {
  const xlsx = { operation: 'xlsx', options: { sheetName: 'A/B' } };
  test.each(['xls', 'ods', 'rtf'])('of the kind %s are written and read', async (operation) => {
    const back = await json(ROWS, convert({ operation }), extract({ operation }));
    expect(back.map(({ a }) => Number(a))).toEqual([1, -2.5]);
    expect(back[1]).toMatchObject({ extra: '=1+1' });
    expect(back[0]!.s).toMatch(/^x, "y"\sz$/);
    const [file] = await run(ROWS, convert({ operation }));
    const { fileName, mimeType } = (file!.binary as Record<string, Binary>).data!;
    expect([fileName, mimeType]).toEqual([`File.${operation}`, expect.stringMatching(/^application\//)]);
  });
  test.each(['xls', 'ods', 'rtf', 'xlsx'])('of the kind %s are not read from text', async (operation) => {
    expect(await json([{}], upload('a,b\n1,2', 'b'), extract({ operation }))).toEqual([
      {
        error: `The file is no ${operation.toUpperCase()} ${operation === 'rtf' ? 'document' : 'spreadsheet'}`,
      },
    ]);
  });
  test('keep the types of values', async () => {
    expect(await json(ROWS, convert(xlsx), extract({ operation: 'xlsx' }))).toEqual([
      { a: 1, s: 'x, "y"\nz', 'o.k.0': true },
      { a: -2.5, extra: '=1+1' },
    ]);
  });
  test('of other programs are read: shared texts, dates, several sheets', async () => {
    const sheet = (rows: string) =>
      strToU8(
        `<x:worksheet xmlns:x="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><x:sheetData>${rows}</x:sheetData></x:worksheet>`,
      );
    const part = (name: string, kind: string) =>
      `<Override PartName="/xl/${name}.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.${kind}+xml"/>`;
    const relation = (id: number, target: string, kind = 'worksheet') =>
      `<Relationship Id="rId${id}" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/${kind}" Target="${target}"/>`;
    const file = zipSync({
      '[Content_Types].xml': strToU8(
        `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">${part('workbook', 'sheet.main')}${part('worksheets/sheet1', 'worksheet')}${part('worksheets/sheet2', 'worksheet')}${part('sharedStrings', 'sharedStrings')}${part('styles', 'styles')}</Types>`,
      ),
      'xl/workbook.xml': strToU8(
        '<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="A B" sheetId="1" r:id="rId1"/><sheet name="Second" sheetId="2" r:id="rId2"/></sheets></workbook>',
      ),
      'xl/_rels/workbook.xml.rels': strToU8(
        `<Relationships>${relation(1, 'worksheets/sheet1.xml')}${relation(2, '/xl/worksheets/sheet2.xml')}${relation(3, 'sharedStrings.xml', 'sharedStrings')}${relation(4, 'styles.xml', 'styles')}</Relationships>`,
      ),
      'xl/worksheets/sheet1.xml': sheet('<x:row r="1"><x:c r="A1"><x:v>1</x:v></x:c></x:row>'),
      'xl/sharedStrings.xml': strToU8(
        '<sst><si><t>day</t></si><si><r><t>to</t></r><r><t>tal</t></r></si></sst>',
      ),
      'xl/styles.xml': strToU8(
        '<styleSheet><numFmts><numFmt numFmtId="170" formatCode="dd\\.mm\\.yyyy"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="170"/></cellXfs></styleSheet>',
      ),
      'xl/worksheets/sheet2.xml': sheet(
        '<x:row r="2"><x:c r="B2" t="s"><x:v>0</x:v></x:c><x:c r="C2" t="s"><x:v>1</x:v></x:c></x:row><x:row r="3"><x:c r="B3" s="1"><x:v>45292.5</x:v></x:c><x:c r="C3"><x:f>A1</x:f><x:v>7</x:v></x:c></x:row>',
      ),
    });
    const read = (sheetName: string) =>
      json([{}], upload(file, 'b.xlsx'), extract({ operation: 'xlsx', options: { sheetName } }));
    expect(await read('Second')).toEqual([{ day: '2024-01-01T12:00:00.000Z', total: 7 }]);
    expect(await read('A B')).toEqual([]);
    expect(await read('None')).toEqual([{ error: 'The file has no sheet "None"' }]);
  });
  test('are refused if they are not archives, or unpack to a huge size', async () => {
    const read = (bytes: Uint8Array | string) =>
      json([{}], upload(bytes, 'b.xlsx'), extract({ operation: 'xlsx' }));
    expect(await read('PK')).toEqual([{ error: expect.stringMatching(/^The file is no XLSX spreadsheet/) }]);
    expect(await read(zipSync({ 'a.txt': strToU8('x') }))).toEqual([
      { error: expect.stringMatching(/^The file is no XLSX spreadsheet: /) },
    ]);
    const large = Buffer.from(zipSync({ 'xl/workbook.xml': strToU8('<a/>') }));
    // The unpacked size in the archive's directory.
    large.writeUInt32LE(210 * 1024 * 1024, large.indexOf('PK\x01\x02', 'latin1') + 24);
    expect(await read(large)).toEqual([
      { error: 'The spreadsheet is too large: unpacked at most 200 MiB are read' },
    ]);
  });
});

describe('PDF', () => {
  const read = (content: string, options: JsonObject = {}) =>
    json([{}], upload(content, 'a.pdf'), extract({ operation: 'pdf', options }));

  test('is read as one text, in part, or page by page', async () => {
    expect(await read(tinyPdf('Hello', 'World'))).toEqual([
      {
        numpages: 2,
        numrender: 2,
        info: expect.objectContaining({ Title: 'Report' }),
        text: 'Hello\nend\n\nWorld\nend',
        version: expect.any(String),
      },
    ]);
    expect(await read(tinyPdf('Hello', 'World'), { joinPages: false, maxPages: 1 })).toMatchObject([
      { numpages: 2, numrender: 1, text: ['Hello\nend'] },
    ]);
    expect(await read(tinyPdf('a'), { keepSource: 'json' })).toMatchObject([{ old: 1, numpages: 1 }]);
  });
  test('is refused if the file is not one', async () => {
    expect(await read('no PDF')).toEqual([{ error: expect.stringMatching(/^The PDF cannot be read: /) }]);
  });
});

test('HTML tables are written and read', async () => {
  expect(await fileText([{ a: '<b>' }], { operation: 'html' })).toContain(
    '<tr><th>a</th></tr><tr><td>&lt;b&gt;</td></tr>',
  );
  expect(await json(ROWS, convert({ operation: 'html' }), extract({ operation: 'html' }))).toEqual([
    { a: '1', s: 'x, "y"\nz', 'o.k.0': 'TRUE' },
    { a: '-2.5', extra: '=1+1' },
  ]);
});

describe('JSON, text and base64', () => {
  test('JSON is written of all items or of each', async () => {
    expect(await json(ROWS, convert({ operation: 'toJson' }), extract({ operation: 'fromJson' }))).toEqual([
      { data: ROWS },
    ]);
    const each = [
      convert({ operation: 'toJson', mode: 'each' }),
      extract({ operation: 'fromJson', destinationKey: 'o.x' }),
    ];
    expect(await json(ROWS, ...each)).toEqual(ROWS.map((row) => ({ o: { x: row } })));
    expect(await json([{}], upload('{', 'a.json'), extract({ operation: 'fromJson' }))).toEqual([
      { error: expect.stringMatching(/^The file is not JSON: /) },
    ]);
  });
  test('text is written and read in several encodings', async () => {
    for (const encoding of ['utf8', 'utf16le', 'latin1']) {
      const write = convert({ operation: 'toText', sourceProperty: 'o.t', options: { encoding } });
      const read = extract({ operation: 'text', destinationKey: 't', options: { encoding } });
      expect(await json([{ o: { t: 'né' } }], write, read)).toEqual([{ t: 'né' }]);
    }
    const ascii = convert({ operation: 'toText', sourceProperty: 't', options: { encoding: 'ascii' } });
    expect(await json([{ t: 'é' }], ascii)).toEqual([{ error: '"é" does not exist in ascii' }]);
  });
  test('base64 is decoded, also of a data URL', async () => {
    const write = convert({
      operation: 'toBinary',
      sourceProperty: 'b',
      options: { fileName: 'a.png', mimeType: 'image/png' },
    });
    const items = [{ b: 'AQID' }, { b: 'data:image/png;base64,AQID' }, { b: '!' }];
    const output = await run(items, write);
    expect(output.map(({ binary }) => (binary as Record<string, Binary>)?.data?.data)).toEqual([
      'AQID',
      'AQID',
      undefined,
    ]);
    expect(output[2]!.json).toEqual({ error: 'The value is not base64' });
    const read = extract({
      operation: 'binaryToPropery',
      destinationKey: 'b',
      options: { keepSource: 'both' },
    });
    const [item] = await run([{ b: 'AQID', x: 1 }], write, read);
    expect(item!.json).toEqual({ b: 'AQID' });
    expect(item!.binary).toHaveProperty('data');
  });
  test('missing values and files are reported', async () => {
    expect(await json([{}], convert({ operation: 'toText', sourceProperty: 'zz' }))).toEqual([
      { error: 'The value in "zz" is not set' },
    ]);
    expect(await json([{}], extract({ operation: 'text' }))).toEqual([
      { error: expect.stringContaining("contain a binary file 'data'") },
    ]);
    expect(await json([{}], upload('x', 'a.doc'), extract({ operation: 'doc' }))).toEqual([
      { error: 'The operation "doc" is not available here' },
    ]);
  });
});

test('calendar files are written and read', async () => {
  const parameters = {
    operation: 'iCal',
    title: 'Lunch, with; us',
    start: '2026-07-01T12:00:00',
    end: '2026-07-01T13:00:00Z',
    additionalFields: {
      uid: 'u1',
      description: `${'long '.repeat(30)}é`,
      url: 'https://a.test\r\nATTENDEE:x',
      recurrenceRule: 'FREQ=DAILY',
    },
  };
  const text = await fileText([{}], parameters);
  expect(text.split('\r\n').every((line) => Buffer.byteLength(line) <= 75)).toBe(true);
  expect(text).toContain('DTSTART:20260701T100000Z\r\nDTEND:20260701T130000Z');
  const [event] = await json([{}], convert(parameters), extract({ operation: 'fromIcs' }));
  expect(event).toMatchObject({
    data: {
      VCALENDAR: [
        {
          VERSION: '2.0',
          VEVENT: [
            {
              SUMMARY: 'Lunch, with; us',
              UID: 'u1',
              RRULE: 'FREQ=DAILY',
              DESCRIPTION: `${'long '.repeat(30)}é`,
              URL: 'https://a.test ATTENDEE:x',
            },
          ],
        },
      ],
    },
  });
  const allDay = { ...parameters, allDay: true, start: '2026-07-01', end: '2026-07-02' };
  expect(await fileText([{}], allDay)).toContain('DTSTART;VALUE=DATE:20260701\r\nDTEND;VALUE=DATE:20260702');
  expect(await json([{}], convert({ ...parameters, start: 'soon' }))).toEqual([
    { error: 'The start "soon" is not a date' },
  ]);
});
