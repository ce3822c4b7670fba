import {
  createDecipheriv,
  createHash,
  createHmac,
  createVerify,
  generateKeyPairSync,
  privateDecrypt,
  publicEncrypt,
  scryptSync,
} from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '#core/workflow-format';
import { runNode } from '#test/support/webhooks/run-node.ts';
import { openEngine } from '#test/support/webhooks/workflow-case.ts';
import type { Engine } from '../../engine/engine.ts';

let engine: Engine;
const keys = generateKeyPairSync('rsa', { modulusLength: 2048 });
const pem = (type: 'pkcs1' | 'pkcs8') => keys.privateKey.export({ type, format: 'pem' }) as string;

beforeAll(async () => {
  const data = async (type: string) =>
    type === 'crypto'
      ? {
          hmacSecret: 'k',
          signPrivateKey: pem('pkcs8'),
          encryptionPassphrase: 'öffne dich',
          encryptionPublicKey: keys.publicKey.export({ type: 'spki', format: 'pem' }) as string,
          encryptionPrivateKey: pem('pkcs1'),
        }
      : undefined;
  ({ engine } = await openEngine({}, { credentials: { data }, limits: { code: { time: 1000 } } }));
});
afterAll(() => engine.close());

async function one(type: string, parameters: JsonObject, input: JsonObject[] = [{}], more: object = {}) {
  const { outputs, error } = await runNode(engine, { type, parameters, ...more }, input);
  return error ? { error: error.message } : outputs[0];
}

describe('Crypto', () => {
  const made = async (parameters: JsonObject, more: object = {}) =>
    ((await one('crypto', parameters, [{}], more)) as JsonObject[])[0]!.data;

  it.each(['MD5', 'SHA1', 'SHA224', 'SHA256', 'SHA384', 'SHA512', 'SHA3-256', 'SHA3-384', 'SHA3-512'])(
    'hashes as Node does: %s',
    async (type) => {
      const name = type.replace('SHA3-', 'sha3-').toLowerCase();
      expect(await made({ type, value: 'grüß' })).toBe(createHash(name).update('grüß').digest('hex'));
      expect(await made({ action: 'hmac', type, value: 'v', secret: 'k', encoding: 'base64' })).toBe(
        createHmac(name, 'k').update('v').digest('base64'),
      );
    },
  );

  it('takes the default of its version, and the secret of a credential', async () => {
    expect(await made({ value: 'x' })).toBe(createHash('md5').update('x').digest('hex'));
    expect(await made({ value: 'x' }, { typeVersion: 2 })).toBe(
      createHash('sha256').update('x').digest('hex'),
    );
    const credentials = { crypto: { id: '1', name: 'c' } };
    expect(await made({ action: 'hmac', value: 'v' }, { typeVersion: 2, credentials })).toBe(
      createHmac('sha256', 'k').update('v').digest('hex'),
    );
  });

  it.each(['pkcs1', 'pkcs8'] as const)('signs with a %s key', async (form) => {
    const parameters = { action: 'sign', algorithm: 'RSA-SHA256', value: 'text', privateKey: pem(form) };
    const signature = String(await made({ ...parameters, encoding: 'base64' }));
    expect(createVerify('RSA-SHA256').update('text').verify(keys.publicKey, signature, 'base64')).toBe(true);
    expect(await one('crypto', { ...parameters, privateKey: 'no' })).toEqual({
      error: 'The private key is not in PEM: it must begin with "-----BEGIN PRIVATE KEY-----"',
    });
    expect(await one('crypto', { ...parameters, algorithm: 'RSA-MD4' })).toEqual({
      error: 'The algorithm RSA-MD4 cannot be signed with here',
    });
  });

  it('hashes the bytes of a file', async () => {
    const binary = await engine.services.binary('t').prepare(new Uint8Array([0, 255, 1]));
    const node = { type: 'crypto', parameters: { binaryData: true } };
    const { outputs } = await runNode(engine, node, [{ json: {}, binary: { data: binary } }]);
    expect(outputs[0]![0]!.data).toBe(
      createHash('md5')
        .update(new Uint8Array([0, 255, 1]))
        .digest('hex'),
    );
  });

  it.each([
    ['uuid', {}, /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/],
    ['hex', { stringLength: 7 }, /^[\da-f]{7}$/],
    ['base64', { stringLength: 40 }, /^[\w+/]{40}$/],
    ['ascii', {}, /^[\w-]{32}$/],
  ])('generates %s', async (encodingType, more, pattern) => {
    const [first, second] = [
      await made({ action: 'generate', encodingType, ...more }),
      await made({ action: 'generate', encodingType, ...more }),
    ];
    expect(first).toMatch(pattern);
    expect(first).not.toBe(second);
  });

  const v2 = { typeVersion: 2, credentials: { crypto: { id: '1', name: 'c' } } };
  const CIPHERS = ['aes-256-gcm', 'aes-192-gcm', 'aes-128-gcm', 'chacha20-poly1305'] as const;

  // The other side is Node's own, over the form that is written down: version, salt 16, start 12, tag 16, text.
  it.each(CIPHERS)('encrypts by passphrase so that others can read it: %s', async (cipher) => {
    const sealed = String(await made({ action: 'encrypt', value: 'grüß dich', cipher }, v2));
    const bytes = Buffer.from(sealed, 'base64');
    expect(bytes[0]).toBe(1);
    const length = cipher === 'chacha20-poly1305' ? 32 : Number(cipher.slice(4, 7)) / 8;
    const key = scryptSync('öffne dich', bytes.subarray(1, 17), length, { N: 65_536, maxmem: 2 ** 27 });
    const open = createDecipheriv(cipher as 'aes-256-gcm', key, bytes.subarray(17, 29));
    open.setAuthTag(bytes.subarray(29, 45));
    expect(Buffer.concat([open.update(bytes.subarray(45)), open.final()]).toString()).toBe('grüß dich');
    expect(await made({ action: 'decrypt', value: sealed, cipher }, v2)).toBe('grüß dich');
    expect(await made({ action: 'encrypt', value: 'grüß dich', cipher }, v2)).not.toBe(sealed);
  });

  it('says why a text cannot be decrypted', async () => {
    const decrypt = (value: unknown, more: JsonObject = {}) =>
      one('crypto', { action: 'decrypt', value: String(value), ...more }, [{}], v2);
    const sealed = String(await made({ action: 'encrypt', value: '' }, v2));
    expect(await made({ action: 'decrypt', value: sealed }, v2)).toBe('');
    const changed = (place: number) => {
      const bytes = Buffer.from(sealed, 'base64');
      bytes[place]! ^= 1;
      return bytes.toString('base64');
    };
    const wrong = 'Decryption failed: wrong passphrase, key, cipher, or corrupted payload';
    for (const place of [1, 20, 44]) expect(await decrypt(changed(place))).toEqual({ error: wrong });
    expect(await decrypt(sealed, { cipher: 'aes-128-gcm' })).toEqual({ error: wrong });
    expect(await decrypt(changed(0))).toEqual({ error: 'Unsupported ciphertext version 0x00' });
    expect(await decrypt('AQID')).toEqual({ error: 'Ciphertext is malformed or truncated' });
    expect(await decrypt('%')).toEqual({ error: 'Ciphertext is malformed or truncated' });
    expect(await decrypt('AQID', { mode: 'asymmetric' })).toEqual({ error: wrong });
    expect(await decrypt(sealed, { cipher: 'constructor' })).toEqual({
      error: 'The cipher constructor is not supported',
    });
  });

  it('encrypts with an RSA key so that others can read it, and the other way round', async () => {
    const mode = 'asymmetric';
    const sealed = String(await made({ action: 'encrypt', mode, value: 'grüß dich' }, v2));
    const oaepHash = 'sha256';
    expect(privateDecrypt({ key: keys.privateKey, oaepHash }, Buffer.from(sealed, 'base64')).toString()).toBe(
      'grüß dich',
    );
    const theirs = publicEncrypt({ key: keys.publicKey, oaepHash }, Buffer.from('grüß dich'));
    expect(await made({ action: 'decrypt', mode, value: theirs.toString('base64') }, v2)).toBe('grüß dich');
    expect(await made({ action: 'encrypt', mode, value: 'x'.repeat(190) }, v2)).toMatch(/^[\w+/=]{344}$/);
    expect(await one('crypto', { action: 'encrypt', mode, value: 'x'.repeat(191) }, [{}], v2)).toEqual({
      error: 'Plaintext is too large for the RSA key. Use symmetric mode for larger data.',
    });
  });

  it('says which lengths there are', async () => {
    expect(await one('crypto', { action: 'generate', encodingType: 'hex', stringLength: 1e9 })).toEqual({
      error: 'The length must be a whole number from 1 to 65536, not 1000000000',
    });
  });
});

describe('Date & Time', () => {
  const made = (parameters: JsonObject, input: JsonObject[] = [{}]) =>
    one('dateTime', parameters, input, { typeVersion: 2 });

  it.each([
    [
      { operation: 'addToDate', magnitude: '2024-01-31', timeUnit: 'months', duration: 1 },
      { newDate: '2024-02-29T19:00:00.000-05:00' },
    ],
    [
      { operation: 'addToDate', magnitude: '2024-03-09T12:00:00-05:00', duration: 1 },
      { newDate: '2024-03-10T12:00:00.000-04:00' },
    ],
    [
      { operation: 'subtractFromDate', magnitude: 1_700_000_000_000, timeUnit: 'seconds', duration: 10 },
      { newDate: '2023-11-14T17:13:10.000-05:00' },
    ],
    [{ operation: 'formatDate', date: '2024-03-05T10:20:30Z' }, { formattedDate: '03/05/2024' }],
    [
      { operation: 'formatDate', date: '2024-03-05T02:00:00Z', options: { timezone: true } },
      { formattedDate: '03/04/2024' },
    ],
    [
      {
        operation: 'formatDate',
        date: '5.3.2024',
        format: 'yyyy-MM-dd',
        options: { fromFormat: 'd.M.yyyy' },
      },
      { formattedDate: '2024-03-05' },
    ],
    [{ operation: 'formatDate', date: '2024-03-05T10:20:30Z', format: 'X' }, { formattedDate: '1709634030' }],
    [
      { operation: 'roundDate', date: '2024-02-15', mode: 'roundUp' },
      { roundedDate: '2024-02-29T23:59:59.999-05:00' },
    ],
    [
      { operation: 'roundDate', date: '2024-02-15T10:31:00-05:00', toNearest: 'hour' },
      { roundedDate: '2024-02-15T10:00:00.000-05:00' },
    ],
    [{ operation: 'extractDate', date: '2024-02-15T10:31:00-05:00', part: 'hour' }, { datePart: 10 }],
    [
      {
        operation: 'getTimeBetweenDates',
        startDate: '2024-01-01',
        endDate: '2024-01-02T12:00:00Z',
        units: ['hour'],
      },
      { timeDifference: { hours: 36 } },
    ],
    [
      {
        operation: 'getTimeBetweenDates',
        startDate: '2024-01-01',
        endDate: '2024-01-02',
        options: { isoString: true },
      },
      { timeDifference: 'P1D' },
    ],
  ])('%j', async (parameters, json) => {
    expect(await made(parameters)).toEqual([json]);
  });

  it('refuses what is no date, and versions that it does not know', async () => {
    for (const date of ['tomorrow', '', true, '2024-13-40']) {
      expect(await made({ operation: 'extractDate', date })).toEqual({ error: 'Invalid date format' });
    }
    expect(await made({ operation: 'getCurrentDate', options: { timezone: 'Mars/Base' } })).toEqual({
      error: 'The timezone Mars/Base is not valid. Please check the timezone.',
    });
    expect(await one('dateTime', {}, [{}], { typeVersion: 1 })).toEqual({
      error: 'Version 1 of n8n-nodes-base.dateTime is too old (known from 2): add a new "Date & Time" node',
    });
  });
});

describe('Sort', () => {
  const items = [{ n: 'b', d: { x: 2 } }, { n: 'A', d: { x: 10 } }, { n: 'a', d: { x: 1 } }, { d: { x: 1 } }];
  const by = (...sortField: object[]) => ({ sortFieldsUi: { sortField } });

  it('compares by fields, one after the other, whatever the case', async () => {
    const fields = by({ fieldName: 'n' }, { fieldName: 'd.x', order: 'descending' });
    expect(await one('sort', fields, items)).toEqual([items[3], items[1], items[2], items[0]]);
    expect(await one('sort', by({ fieldName: 'd.x' }), items)).toEqual([
      items[2],
      items[3],
      items[0],
      items[1],
    ]);
  });

  it('shuffles', async () => {
    const many = Array.from({ length: 50 }, (_, n) => ({ n }));
    const shuffled = (await one('sort', { type: 'random' }, many)) as JsonObject[];
    expect(shuffled).not.toEqual(many);
    expect([...shuffled].sort((a, b) => Number(a.n) - Number(b.n))).toEqual(many);
  });

  it('says what is wrong', async () => {
    expect(await one('sort', by(), items)).toEqual({
      error: 'No sorting specified. Please add a field to sort by',
    });
    expect(await one('sort', { type: 'code', code: 'a < b' }, items)).toEqual({
      error: "Sort code doesn't return. Please add a 'return' statement to your code",
    });
    expect(await one('sort', { type: 'code', code: '\nreturn a.json.no.thing' }, items)).toEqual({
      error: expect.stringContaining("cannot read property 'thing' of undefined"),
    });
    expect(await one('sort', { type: 'code', code: 'for(;;); return 1' }, items)).toEqual({
      error: expect.stringContaining('The code was stopped: it ran for too long'),
    });
  }, 60_000);
});

describe('Rename Keys', () => {
  it('renames by name and by pattern', async () => {
    const keys = {
      key: [
        { currentKey: 'a.b', newKey: 'c' },
        { currentKey: 'no', newKey: 'x' },
      ],
    };
    expect(await one('renameKeys', { keys }, [{ a: { b: 1, d: 2 } }])).toEqual([{ a: { d: 2 }, c: 1 }]);
    const replacements = [{ searchRegex: '^(.)X', replaceRegex: '$1_', options: { caseInsensitive: true } }];
    const additionalOptions = { regexReplacement: { replacements } };
    expect(await one('renameKeys', { additionalOptions }, [{ ax1: { bX: [{ cx: 1 }] }, d: 1 }])).toEqual([
      { a_1: { b_: [{ c_: 1 }] }, d: 1 },
    ]);
    const flat = { regexReplacement: { replacements: [{ ...replacements[0], options: { depth: 0 } }] } };
    expect(await one('renameKeys', { additionalOptions: flat }, [{ aX: { bX: 1 } }])).toEqual([
      { a_: { bX: 1 } },
    ]);
  });

  it('never reaches prototypes', async () => {
    const keys = { key: [{ currentKey: 'a', newKey: '__proto__.polluted' }] };
    await one('renameKeys', { keys }, [{ a: 1 }]);
    expect(({} as JsonObject).polluted).toBeUndefined();
  });
});

describe('Item Lists', () => {
  it.each([
    [{ fieldToSplitOut: 'l' }, [{ a: 1, l: [{ x: 1 }, { x: 2 }] }], [{ x: 1 }, { x: 2 }]],
    [
      { operation: 'concatenateItems', aggregate: 'aggregateAllItemData' },
      [{ a: 1 }, { a: 2 }],
      [{ data: [{ a: 1 }, { a: 2 }] }],
    ],
    [{ operation: 'removeDuplicates' }, [{ a: 1 }, { a: 1 }], [{ a: 1 }]],
    [
      { operation: 'sort', sortFieldsUi: { sortField: [{ fieldName: 'a' }] } },
      [{ a: 2 }, { a: 1 }],
      [{ a: 1 }, { a: 2 }],
    ],
    [
      { operation: 'summarize', fieldsToSummarize: { values: [{ aggregation: 'sum', field: 'a' }] } },
      [{ a: 2 }, { a: 1 }],
      [{ sum_a: 3 }],
    ],
  ])('%j', async (parameters, input, output) => {
    expect(await one('itemLists', parameters as JsonObject, input, { typeVersion: 3 })).toEqual(output);
  });
});

describe('Summarize', () => {
  const sales = [
    { city: 'Rome', n: 2, who: 'a' },
    { city: 'Oslo', n: 5, who: 'b' },
    { city: 'Rome', n: 4, who: 'a' },
    { city: 'Rome', n: null, who: 'c' },
  ];
  const values = (aggregation: string, field = 'n', more: object = {}) => ({
    fieldsToSummarize: { values: [{ aggregation, field, ...more }] },
  });

  it.each([
    ['count', { count_n: 3 }],
    ['sum', { sum_n: 11 }],
    ['average', { average_n: 11 / 3 }],
    ['min', { min_n: 2 }],
    ['max', { max_n: 5 }],
    ['append', { appended_n: [2, 5, 4] }],
    ['countUnique', { unique_count_n: 3 }],
    ['concatenate', { concatenated_n: '2,5,4' }],
  ])('%s', async (aggregation, json) => {
    expect(await one('summarize', values(aggregation), sales)).toEqual([json]);
  });

  it('groups, into items or into one', async () => {
    const grouped = { ...values('sum'), fieldsToSplitBy: 'city' };
    expect(await one('summarize', grouped, sales)).toEqual([
      { city: 'Rome', sum_n: 6 },
      { city: 'Oslo', sum_n: 5 },
    ]);
    const nested = { ...grouped, fieldsToSplitBy: 'city, who', options: { outputFormat: 'singleItem' } };
    expect(await one('summarize', nested, sales)).toEqual([
      { Rome: { a: { sum_n: 6 }, c: { sum_n: 0 } }, Oslo: { b: { sum_n: 5 } } },
    ]);
  });

  it('takes empty values along where asked, and says what is not there', async () => {
    expect(await one('summarize', values('count', 'n', { includeEmpty: true }), sales)).toEqual([
      { count_n: 4 },
    ]);
    expect(await one('summarize', values('sum', 'who'), sales)).toEqual({
      error: `The field 'who' holds "a", which is not a number`,
    });
    expect(await one('summarize', values('sum', 'nope'), sales)).toEqual({
      error: "The field 'nope' does not exist in any items",
    });
    expect(await one('summarize', {}, sales)).toEqual({ error: 'You need to add at least one aggregation' });
  });
});
