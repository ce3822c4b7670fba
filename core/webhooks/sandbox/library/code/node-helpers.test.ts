/** `this.helpers` of code. */
import { afterAll, describe, expect, it } from 'vitest';
import { pairedItemsOf } from '#test/support/webhooks/expression-scope.ts';
import { openSandbox } from '#test/support/webhooks/sandbox-scripts.ts';

const sandbox = openSandbox();
afterAll(() => sandbox.close());

describe('helpers for items', () => {
  it.each([
    ['returnJsonArray({ a: 1 })', [{ json: { a: 1 } }]],
    ['returnJsonArray([])', []],
    ['returnJsonArray([{ a: 1 }, null])', [{ json: { a: 1 } }, { json: null }]],
    ['normalizeItems({ a: 1 })', [{ json: { a: 1 } }]],
    ['normalizeItems([{ json: {} }, { a: 1 }, null])', [{ json: {} }, { json: { a: 1 } }, { json: null }]],
    [
      'constructExecutionMetaData([{ json: {} }], { itemData: { item: 2 } })',
      [{ json: {}, pairedItem: { item: 2 } }],
    ],
    ["copyInputItems([{ json: { a: 1, b: 2 } }], ['a', 'none'])", [{ a: 1, none: null }]],
    ['copyInputItems([{ json: { a: 1 } }], [])', [{}]],
    ["binaryToString(Buffer.from('é'))", 'é'],
    ["binaryToString(new Uint8Array([104, 105]).buffer, 'hex')", '6869'],
    ["binaryToBuffer('é').then((buffer) => buffer.length)", 2],
  ])('%s', async (code, value) => expect(await sandbox.run(`return helpers.${code}`)).toEqual(value));
});

describe('files', () => {
  const file = { mimeType: 'text/plain', fileName: 'a.txt', data: '' };
  const scope = {
    inputs: [[...pairedItemsOf({}), { json: {}, binary: { data: file }, pairedItem: { item: 1 } }]],
    binary: {
      bytes: async () => new TextEncoder().encode('hello'),
      prepare: async (bytes: Uint8Array, options: object) => ({ ...options, length: bytes.length }),
    } as never,
  };

  it.each([
    ["assertBinaryData(1, 'data').fileName", 'a.txt'],
    ["getBinaryDataBuffer(1, 'data').then((buffer) => buffer.toString())", 'hello'],
    [
      "prepareBinaryData('é', 'b.md', 'text/markdown')",
      { fileName: 'b.md', mimeType: 'text/markdown', length: 2 },
    ],
    ['prepareBinaryData(Buffer.alloc(0))', { length: 0 }],
    [
      "setBinaryDataBuffer({ fileName: 'c', mimeType: 'x/y', id: 1 }, Buffer.alloc(3))",
      { fileName: 'c', mimeType: 'x/y', id: 1, length: 3 },
    ],
    ["assertBinaryData(0, 'data')", { error: "The item has no binary field 'data' [item 0] [line 1]" }],
    ["getBinaryDataBuffer(9, 'data')", { error: "The item has no binary field 'data' [item 9] [line 1]" }],
    ["assertBinaryData(1, 'none')", { error: "The item has no binary field 'none' [item 1] [line 1]" }],
    ['prepareBinaryData({})', { error: expect.stringContaining('The "data" argument must be a string') }],
  ])('%s', async (code, value) => {
    expect(await sandbox.run(`return this.helpers.${code}`, { scope })).toEqual(value);
  });

  it('are those of the current item in the mode for each item', async () => {
    const code = "return helpers.assertBinaryData(0, 'data').fileName";
    const [first, second] = await sandbox.runAll(code, {
      mode: 'eachItem',
      scope: { ...scope, continueOnFail: true },
    });
    expect(first).toHaveProperty('error');
    expect(second).toEqual({ value: 'a.txt' });
  });
});

describe('requests', () => {
  const bodies: unknown[] = [];
  const fetch = async (_url: string, init?: RequestInit) => {
    const { body } = init ?? {};
    bodies.push(
      body instanceof FormData
        ? await Promise.all(
            [...body].map(async ([name, value]) => [
              name,
              typeof value === 'string' ? value : [value.name, await value.text()],
            ]),
          )
        : body instanceof Uint8Array
          ? [...body]
          : body,
    );
    return Response.json({ ok: 1 }, { status: 201, statusText: 'Created' });
  };
  const send = (body: string) =>
    sandbox.run(`return helpers.request({ method: 'POST', url: 'http://a.test/', body: ${body} })`, {
      fetch,
    });

  it.each([
    ['undefined', undefined],
    ['null', undefined],
    ["'text'", 'text'],
    ['{ a: [1] }', '{"a":[1]}'],
    ['[1]', '[1]'],
    ['Buffer.from([1, 2])', [1, 2]],
    ['new Uint8Array([1, 2, 3]).buffer', [1, 2, 3]],
    [
      "(() => { const form = new FormData(); form.append('n', 5); " +
        "form.append('f', Buffer.from('hi'), 'f.txt'); return form })()",
      [
        ['n', '5'],
        ['f', ['f.txt', 'hi']],
      ],
    ],
  ])('have the body %s', async (body, sent) => {
    expect(await send(body)).toEqual({ ok: 1 });
    expect(bodies.at(-1)).toEqual(sent);
  });

  it('return the full response where the code wants it', async () => {
    const code = "return helpers.httpRequest({ url: 'http://a.test/', returnFullResponse: true })";
    expect(await sandbox.run(code, { fetch })).toMatchObject({
      body: { ok: 1 },
      statusCode: 201,
      statusMessage: 'Created',
    });
  });
});
