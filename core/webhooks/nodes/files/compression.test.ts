import { expect, it } from 'vitest';
import { openTestEngine } from '#test/support/webhooks/execution-engine.ts';
import { runWebhookNode } from '#test/support/webhooks/run-node.ts';

const base64 = (text: string) => Buffer.from(text).toString('base64');
const file = (text: string, fileName: string) => ({
  data: base64(text),
  mimeType: 'text/plain',
  fileName,
  fileExtension: 'txt',
});
const ITEM = {
  json: { n: 1 },
  binary: { data: file('hello hello hello', 'a.txt'), second: file('two', 'b.txt') },
};

async function run(parameters: Record<string, unknown>, typeVersion = 1.1, item: object = ITEM) {
  const node = { type: 'compression', typeVersion, parameters };
  const { items, error } = await runWebhookNode(await openTestEngine(), node, [item] as never);
  if (error) return error.message;
  return items[0]![0]!;
}

const GZIP = { operation: 'compress', outputFormat: 'gzip', fileName: 'a.gz', binaryPropertyOutput: 'out' };
const ZIP = { ...GZIP, outputFormat: 'zip', fileName: 'z.zip', binaryPropertyName: 'data, second' };

it('packs and unpacks', async () => {
  const zipped = await run(ZIP);
  expect(zipped).toMatchObject({
    json: { n: 1 },
    binary: { out: { fileName: 'z.zip', fileExtension: 'zip' } },
  });
  expect(await run({ binaryPropertyName: 'out', outputPrefix: 'f_' }, 1.1, zipped as object)).toMatchObject({
    binary: { f_0: { fileName: 'a.txt', bytes: 17 }, f_1: { fileName: 'b.txt', data: base64('two') } },
  });
  const packed = await run(GZIP);
  expect(packed).toMatchObject({ binary: { out: { fileName: 'a.txt.gz', mimeType: 'application/gzip' } } });
  expect(await run({ binaryPropertyName: 'out' }, 1.1, packed as object)).toMatchObject({
    binary: { file_0: { fileName: 'a.txt', data: base64('hello hello hello') } },
  });
});

it('version 1 packs each file alone', async () => {
  const packed = await run({ ...GZIP, binaryPropertyName: 'data,second', outputPrefix: 'g_' }, 1);
  expect(packed).toMatchObject({ binary: { g_0: { fileName: 'a.gzip' }, g_1: { fileExtension: 'gzip' } } });
});

it('refuses other files and broken ones', async () => {
  expect(await run({})).toBe("The file 'data' is neither a ZIP nor a gzip file");
  const broken = {
    data: Buffer.from([0x1f, 0x8b, 8, 0, 1, 2, 3]).toString('base64'),
    mimeType: 'application/gzip',
  };
  expect(await run({}, 1.1, { json: {}, binary: { data: broken } })).toMatch('The archive cannot be read: ');
  const zip = { ...broken, data: Buffer.from('PK\u0003\u0004junk').toString('base64') };
  expect(await run({}, 1.1, { json: {}, binary: { data: zip } })).toMatch('The archive cannot be read: ');
});
