import { expect, it } from 'vitest';
import { openTestEngine } from '#test/support/webhooks/execution-engine.ts';
import { runWebhookNode } from '#test/support/webhooks/run-node.ts';

type Parameters = Record<string, unknown>;
const base64 = (text: string) => Buffer.from(text).toString('base64');
const fileItem = (content: string, fileName: string, mimeType = 'text/plain') => ({
  json: { a: 1 },
  binary: { data: { data: base64(content), mimeType, fileName } },
});

async function run(type: string, parameters: Parameters, input: object[], typeVersion = 1) {
  const { items, error } = await runWebhookNode(
    await openTestEngine(),
    { type, typeVersion, parameters },
    input as never,
  );
  return error ? error.message : items[0];
}

it('Move Binary Data moves a file into JSON', async () => {
  const json = fileItem('{"x":1}', 'a.json');
  expect(await run('moveBinaryData', {}, [json])).toMatchObject([{ json: { x: 1 } }]);
  const text = { setAllData: false, destinationKey: 'o.t' };
  expect(await run('moveBinaryData', text, [json])).toMatchObject([{ json: { a: 1, o: { t: '{"x":1}' } } }]);
  const parsed = { ...text, options: { jsonParse: true, keepSource: true } };
  expect(await run('moveBinaryData', parsed, [json])).toMatchObject([
    { json: { o: { t: { x: 1 } } }, binary: { data: {} } },
  ]);
  expect(await run('moveBinaryData', {}, [fileItem('x', 'a.txt')])).toMatch('The file is not JSON');
  expect(await run('moveBinaryData', {}, [{ json: {} }])).toEqual([]);
});

it('Move Binary Data moves JSON into a file', async () => {
  const toFile = { mode: 'jsonToBinary' };
  expect(await run('moveBinaryData', toFile, [{ json: { a: 1 } }])).toMatchObject([
    { json: {}, binary: { data: { data: base64('{"a":1}'), mimeType: 'application/json' } } },
  ]);
  const part = {
    ...toFile,
    convertAllData: false,
    sourceKey: 't',
    options: { dataIsBase64: true, fileName: 'f.txt' },
  };
  expect(await run('moveBinaryData', part, [{ json: { t: base64('hi'), u: 2 } }])).toMatchObject([
    { json: { u: 2 }, binary: { data: { data: base64('hi'), fileName: 'f.txt' } } },
  ]);
});

it('Spreadsheet File reads what it wrote', async () => {
  for (const fileFormat of ['csv', 'xlsx', 'html']) {
    const written = await run('spreadsheetFile', { operation: 'toFile', fileFormat }, [
      { json: { a: 'x', b: 2 } },
    ]);
    expect(written).toMatchObject([{ binary: { data: { fileName: `spreadsheet.${fileFormat}` } } }]);
    const rows = await run('spreadsheetFile', {}, written as object[]);
    expect(rows).toMatchObject([{ json: { a: 'x' } }]);
  }
});

it('iCalendar makes an event', async () => {
  const parameters = { title: 'T', start: '2025-01-01T10:00:00', end: '2025-01-01T11:00:00' };
  expect(await run('iCal', parameters, [{ json: {} }])).toMatchObject([
    { binary: { data: { fileName: 'event.ics', mimeType: 'text/calendar' } } },
  ]);
});

it('Read PDF refuses other files', async () => {
  expect(await run('readPDF', {}, [fileItem('no', 'a.pdf', 'application/pdf')])).toMatch(
    'The PDF cannot be read',
  );
});

it('files are written and read in the folder of workflows', async () => {
  const engine = await openTestEngine();
  const node = async (type: string, parameters: Parameters, input: object[] = [{ json: {} }]) => {
    const { items, error } = await runWebhookNode(engine, { type, parameters }, input as never);
    return error ? error.message : items[0];
  };
  const source = [fileItem('one', 'a.txt')];
  expect(await node('writeBinaryFile', { fileName: '/sub/a.txt' }, source)).toMatchObject([
    { json: { a: 1, fileName: '/sub/a.txt' } },
  ]);
  const append = { operation: 'write', fileName: 'sub/b.csv', options: { append: true } };
  await node('readWriteFile', append, source);
  await node('readWriteFile', append, source);
  expect(await node('readBinaryFile', { filePath: 'sub/b.csv' })).toMatchObject([
    { binary: { data: { data: base64('oneone'), fileName: 'b.csv' } } },
  ]);
  expect(await node('readWriteFile', { fileSelector: 'sub/*.{txt,csv}' })).toMatchObject([
    { json: { fileName: 'a.txt', directory: 'sub', fileExtension: 'txt' } },
    { json: { fileName: 'b.csv' } },
  ]);
  expect(await node('readBinaryFiles', { fileSelector: '**/*.txt' })).toHaveLength(1);
  expect(await node('readBinaryFile', { filePath: 'none' })).toBe('The file "none" could not be accessed.');
  expect(await node('readBinaryFile', { filePath: '../secret' })).toMatch(
    'Access to the file is not allowed',
  );
});
