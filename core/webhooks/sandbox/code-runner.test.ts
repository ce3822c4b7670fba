import { createHash, createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Item, Workflow } from '#core/workflow-format';
import { runWebhookNode } from '#test/support/webhooks/run-node.ts';
import { codeNode, workflowOf } from '#test/support/webhooks/workflow-builder.ts';
import { openEngine } from '#test/support/webhooks/workflow-case.ts';
import type { Engine } from '../engine/engine.ts';

let engine: Engine;
let seen: Request[] = [];
beforeAll(async () => {
  const answer = async (request: Request) => {
    seen.push(request.clone() as Request);
    const { pathname } = new URL(request.url);
    if (pathname === '/missing') return new Response('no', { status: 404 });
    if (pathname === '/bytes') return new Response(new Uint8Array([0, 255, 128]));
    return Response.json({ method: request.method, sent: await request.text() });
  };
  ({ engine } = await openEngine({ fetch: answer }, { limits: { code: { time: 1000 } } }));
});
afterAll(() => engine.close());

const SECRET = 'whsec';

async function run(
  jsCode: string,
  { mode = 'runOnceForAllItems', items = [{ json: { n: 1 } }, { json: { n: 2 } }] as Item[], more = {} } = {},
) {
  const workflow: Workflow = workflowOf(
    { Start: { type: 'manualTrigger' }, Code: { ...codeNode(jsCode, mode), ...more } },
    ['Start -> Code'],
  );
  const lines: string[] = [];
  const end = engine.events.subscribe((event) => {
    if (event.type === 'executionProgress' && event.event.type === 'console') lines.push(event.event.line);
  });
  const output = [items.map((item, index) => ({ pairedItem: { item: index }, ...item }))];
  const handle = await engine.executions.start({ workflow, mode: 'trigger', node: 'Start', output });
  const { state, error } = await handle.done;
  end();
  return { items: state.runData.Code![0]!.data?.main?.[0], error, lines, state };
}
const json = async (code: string) => (await run(code)).items?.map((item) => item.json);

describe('the globals of code', () => {
  it('reads items by every variable', async () => {
    const code =
      "return { a: items.length, b: $input.all()[1].json.n, c: $json.n, d: $('Start').last().json.n, e: $node.Start.json.n, f: $items().length }";
    expect(await json(code)).toEqual([{ a: 2, b: 2, c: 1, d: 2, e: 1, f: 2 }]);
  });

  it('have the current item in the mode for each item', async () => {
    const { items } = await run(
      "return { n: $json.n * 10, i: $itemIndex, same: item.json.n === $input.item.json.n, from: $('Start').item.json.n }",
      { mode: 'runOnceForEachItem' },
    );
    expect(items).toEqual([
      { json: { n: 10, i: 0, same: true, from: 1 }, pairedItem: { item: 0 } },
      { json: { n: 20, i: 1, same: true, from: 2 }, pairedItem: { item: 1 } },
    ]);
  });

  it('await, run timers and use the zone of the workflow', async () => {
    const code = `const order = [];
      const timer = setInterval(() => order.push('tick'), 4);
      await new Promise((done) => setTimeout(done, 30));
      clearInterval(timer);
      await Promise.all([1, 2].map(async (n) => { await null; order.push(n) }));
      return { ticked: order.includes('tick'), last: order.at(-1), zone: DateTime.now().zoneName, now: typeof $now.toISO() }`;
    expect(await json(code)).toEqual([{ ticked: true, last: 2, zone: 'America/New_York', now: 'string' }]);
  });

  it('write to the console', async () => {
    const { lines } = await run(
      "console.log('it is', { a: [1] }, undefined); console.error(new Error('bad')); return []",
    );
    expect(lines[0]).toBe('\'it is\' {"a":[1]} undefined');
    expect(lines[1]).toMatch(/^Error: bad/);
  });

  it("have Node's crypto and the browsers' crypto", async () => {
    const body = '{"id":"evt_1","übergabe":true}';
    const expected = createHmac('sha256', SECRET).update(`1700000000.${body}`).digest('hex');
    const code = `const crypto = require('crypto');
      const body = ${JSON.stringify(body)};
      const mac = crypto.createHmac('sha256', '${SECRET}').update('1700000000.').update(Buffer.from(body)).digest('hex');
      const same = crypto.timingSafeEqual(Buffer.from(mac), Buffer.from('${expected}'));
      const { subtle } = globalThis.crypto;
      const key = await subtle.importKey('raw', new TextEncoder().encode('${SECRET}'), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign', 'verify']);
      const signed = await subtle.sign('HMAC', key, new TextEncoder().encode('1700000000.' + body));
      const verified = await subtle.verify('HMAC', key, Buffer.from('${expected}', 'hex'), new TextEncoder().encode('1700000000.' + body));
      const pair = await subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign', 'verify']);
      return { same, web: Buffer.from(signed).toString('hex') === mac, verified, pair: Object.keys(pair).sort(),
        sha: crypto.createHash('sha1').update('x').digest('base64'), uuid: crypto.randomUUID().length, random: crypto.randomBytes(5).length }`;
    expect(await json(code)).toEqual([
      {
        same: true,
        web: true,
        verified: true,
        pair: ['privateKey', 'publicKey'],
        sha: createHash('sha1').update('x').digest('base64'),
        uuid: 36,
        random: 5,
      },
    ]);
  });

  it('send HTTP requests by the server', async () => {
    seen = [];
    const code = `const r = await this.helpers.httpRequest({ method: 'POST', url: 'http://api.example/echo', qs: { a: [1, 2] }, body: { x: 'ü' }, headers: { 'X-One': 1 }, auth: { username: 'u', password: 'p' } });
      const full = await helpers.httpRequest({ url: 'http://api.example/missing', returnFullResponse: true, ignoreHttpStatusErrors: true });
      const bytes = await helpers.httpRequest({ url: 'http://api.example/bytes', encoding: 'arraybuffer' });
      let failed; try { await helpers.httpRequest('http://api.example/missing') } catch (error) { failed = error.message }
      return { r, status: full.statusCode, text: full.body, bytes: [...bytes], failed }`;
    expect(await json(code)).toEqual([
      {
        r: { method: 'POST', sent: '{"x":"ü"}' },
        status: 404,
        text: 'no',
        bytes: [0, 255, 128],
        failed: 'Request failed with status code 404',
      },
    ]);
    expect(seen[0]!.url).toBe('http://api.example/echo?a=1&a=2');
    expect(seen[0]!.headers.get('authorization')).toBe('Basic dTpw');
    expect([seen[0]!.headers.get('x-one'), seen[0]!.headers.get('content-type')]).toEqual([
      '1',
      'application/json',
    ]);
  });

  it('read and write files', async () => {
    const file = { data: 'aGkgdGhlcmU=', mimeType: 'text/plain', fileName: 'hi.txt' };
    const code = `const was = await this.helpers.getBinaryDataBuffer(0, 'data');
      const made = await this.helpers.prepareBinaryData(Buffer.concat([was, Buffer.from('!')]), 'out.md');
      return [{ json: { was: was.toString() }, binary: { made } }]`;
    const { items } = await run(code, { items: [{ json: {}, binary: { data: file } }] });
    expect(items).toEqual([
      {
        json: { was: 'hi there' },
        binary: {
          made: {
            data: 'aGkgdGhlcmUh',
            mimeType: 'text/markdown',
            fileType: 'text',
            fileExtension: 'md',
            fileName: 'out.md',
            fileSize: '9 B',
            bytes: 9,
          },
        },
        pairedItem: { item: 0 },
      },
    ]);
  });

  describe('on large files', () => {
    /** Each Code node reads a file of another node. Files of this size are stored apart from the item. */
    async function readLarge(codes: Record<string, string>, bytes: number) {
      const { engine: patient } = await openEngine();
      onTestFinished(() => patient.close());
      const write = `const file = await this.helpers.prepareBinaryData(Buffer.from('grün '.repeat(${bytes / 6})), 'large.bin');
        return [{ json: {}, binary: { data: file } }]`;
      const read = "const file = await this.helpers.getBinaryDataBuffer(0, 'data');";
      const nodes = Object.entries(codes).map(([name, code]) => [
        name,
        { ...codeNode(read + code), onError: 'continueRegularOutput' },
      ]);
      const workflow = workflowOf(
        { Start: { type: 'manualTrigger' }, Make: codeNode(write), ...Object.fromEntries(nodes) },
        ['Start -> Make', ...Object.keys(codes).map((name) => `Make -> ${name}`)],
      );
      const handle = await patient.executions.start({ workflow, mode: 'trigger', node: 'Start' });
      const { state } = await handle.done;
      const outcomeOf = (name: string) => {
        const { data, error } = state.runData[name]![0]!;
        const [item] = data?.main?.[0] ?? [];
        return error?.message ?? item?.binary?.copy?.bytes ?? item?.json;
      };
      return Object.fromEntries(Object.keys(codes).map((name) => [name, outcomeOf(name)]));
    }

    it('read, hash, sign, decode and write them', async () => {
      const BYTES = 6_000_000;
      const content = Buffer.from('grün '.repeat(BYTES / 6));
      const codes = {
        read: 'return { n: file.length, first: file[0] }',
        hashed: "return { h: require('crypto').createHash('sha256').update(file).digest('hex') }",
        signed:
          "return { h: require('crypto').createHmac('sha256', 'k').update('1.').update(file).digest('base64') }",
        text: 'const text = file.toString(); return { n: text.length, ü: text[2] }',
        base64:
          "const text = file.toString('base64'); return { n: text.length, back: Buffer.from(text, 'base64').length }",
        decoded:
          'const text = new TextDecoder().decode(file); return { n: text.length, back: new TextEncoder().encode(text).length }',
        written:
          "return [{ json: {}, binary: { copy: await this.helpers.prepareBinaryData(file, 'copy.bin') } }]",
      };
      expect(await readLarge(codes, BYTES)).toEqual({
        read: { n: BYTES, first: 103 },
        hashed: { h: createHash('sha256').update(content).digest('hex') },
        signed: { h: createHmac('sha256', 'k').update('1.').update(content).digest('base64') },
        text: { n: content.toString().length, ü: 'ü' },
        base64: { n: content.toString('base64').length, back: BYTES },
        decoded: { n: content.toString().length, back: BYTES },
        written: BYTES,
      });
    });

    it('stop code that needs more memory than there is', async () => {
      const codes = {
        more: 'return { n: Buffer.alloc(255e6).length }',
        again: "const all = []; for (;;) all.push(await this.helpers.getBinaryDataBuffer(0, 'data'))",
        fine: 'return { n: file.length }',
      };
      const message = 'The code was stopped: it used too much memory (more than 256 MiB)';
      expect(await readLarge(codes, 18_000_000)).toEqual({
        more: message,
        again: message,
        fine: { n: 18_000_000 },
      });
    });
  });

  it('convert bytes and texts in every encoding as Node does', async () => {
    const samples = ['', 'a', '\0a\0', 'grün €😀', 'x'.repeat(999), '\ud800 alone', `${'é'.repeat(400)}\0`];
    const encodings = ['utf8', 'utf16le', 'latin1', 'ascii', 'hex', 'base64', 'base64url'] as const;
    const bytes = Buffer.from(Array.from({ length: 1000 }, (_, n) => (n * 37) % 256));
    const body = `const samples = ${JSON.stringify(samples)}; const bytes = Buffer.from(${JSON.stringify([...bytes])});
      const results = {};
      for (const e of ${JSON.stringify(encodings)}) results[e] = [
        ...samples.map((s) => Buffer.from(s, e).toString('hex')),
        bytes.toString(e), bytes.toString(e, 3, 700), bytes.subarray(5, 905).toString(e), bytes.toString(e, -5, 2000),
      ];`;
    const code = `${body} return results`;
    const inNode = new Function('Buffer', code)(Buffer);
    expect(await json(code)).toEqual([inNode]);
  });

  it('set custom data of the execution', async () => {
    const { state } = await run("$execution.customData.set('order', 12); return []");
    expect(state.customData).toEqual({ order: '12' });
  });
});

describe('the returned value', () => {
  it.each([
    [
      'return { a: undefined, f() {}, d: new Date(0), n: NaN, s: new Set([1]), b: 3n }',
      [{ d: '1970-01-01T00:00:00.000Z', n: null, s: {}, b: '3' }],
    ],
    ['return null', []],
    ['return [{ a: 1 }, { b: 2 }]', [{ a: 1 }, { b: 2 }]],
    ['return { json: { x: 1 } }', [{ x: 1 }]],
  ])('of `%s` becomes items', async (code, items) => expect(await json(code)).toEqual(items));

  it.each([
    ['return "x"', "Code doesn't return items properly"],
    ['return [1]', "Code doesn't return items properly"],
    ['', 'Unknown error'],
    ['return [{ json: {} }, { other: 1 }]', 'Unknown top-level item key: other [item 1]'],
    ['return [{ json: {}, other: 1 }]', 'Invalid output format [item 0]'],
    ['return { json: 5 }', "A 'json' property isn't an object [item 0]"],
    ['const a = {}; a.self = a; return a', expect.stringMatching(/circular/)],
  ])('of `%s` is refused', async (code, message) =>
    expect((await run(code)).error?.message).toEqual(message),
  );
});

describe('errors of the code', () => {
  it.each([
    ["\n\nthrow new Error('third line')", 'third line [line 3]'],
    ["throw 'text'", '"text"'],
    ['throw { code: 7 }', '{"code":7}'],
    ['throw null', 'null'],
    ['throw undefined', 'undefined'],
    ['throw 10n', '10'],
    ["throw Symbol('s')", 'Symbol(s)'],
    ['throw () => 1', '() => 1'],
    ['throw new Proxy({}, { get() { throw 1 } })', '1'],
    ['return Promise.reject(7)', '7'],
    ['nope()', 'nope is not defined [line 1]'],
    ['return [{;', "Unexpected token ';'"],
    ['const a = 1 const b = 2', "Unexpected token 'const'"],
    ['return (1', 'Unexpected end of input'],
    ["require('fs')", "Module 'fs' is disallowed [line 1]"],
    ['return $env.PATH', 'access to env vars denied'],
    ['await new Promise(() => {})', 'The code waits for something that cannot come'],
    ['return (await import("x")).default', expect.any(String)],
  ])('`%s` fails with its message', async (code, message) =>
    expect((await run(code)).error?.message).toEqual(message),
  );

  it('become an item each where the node continues after errors', async () => {
    const { items } = await run("if ($json.n === 1) throw new Error('one'); return $json", {
      mode: 'runOnceForEachItem',
      more: { onError: 'continueRegularOutput' },
    });
    expect(items?.map((item) => item.json)).toEqual([{ error: 'one [line 1]' }, { n: 2 }]);
  });
});

describe('limits', () => {
  it.each([
    ['for (;;);', 'it ran for too long'],
    ['for (;;) await null;', 'it ran for too long'],
    ['await new Promise((r) => setTimeout(r, 5)); for (;;);', 'it ran for too long'],
    ["/(a+)+$/.test('a'.repeat(40) + '!')", 'it ran for too long'],
    ['return { get a() { for (;;); } }', 'it ran for too long'],
    // The error by which QuickJS ends a script becomes a rejection here, and the loop around it continues.
    ['for (;;) new Promise(() => { for (;;); });', 'it ran for too long'],
    ['async function* f() { for (;;); } for (;;) f().next();', 'it ran for too long'],
    ['await null; for (;;) Promise.resolve({ then() { for (;;); } });', 'it ran for too long'],
    ['throw { toJSON() { for (;;); } }', 'it ran for too long'],
    ['const f = () => f(); f()', 'RangeError: Maximum call stack size exceeded'],
  ])('stop `%s`', async (code, reason) => {
    expect((await run(code)).error?.message).toContain(`The code was stopped: ${reason}`);
    expect(await json('return { fine: 1 }')).toEqual([{ fine: 1 }]);
  });

  it('stop code that fills the memory', async () => {
    // On a busy machine it takes seconds to fill the memory.
    const { engine: patient } = await openEngine({}, { limits: { code: { time: 25_000 } } });
    onTestFinished(() => patient.close());
    const greedy = codeNode('const all = []; for (;;) all.push(new Uint8Array(5e7));');
    const { error } = await runWebhookNode(patient, greedy);
    expect(error?.message).toBe('The code was stopped: it used too much memory (more than 256 MiB)');
    expect((await runWebhookNode(patient, codeNode('return { fine: 1 }'))).outputs).toEqual([[{ fine: 1 }]]);
  });

  it('bound the calls of the server and the lines of the console', async () => {
    seen = [];
    const flood = "for (;;) this.helpers.httpRequest('http://api.example/')";
    expect((await run(flood)).error?.message).toMatch(/it ran for too long|More than 1000 calls at once/);
    expect(seen.length).toBeLessThanOrEqual(1000);
    const { lines } = await run("for (let n = 0; n < 30; n++) console.log('x'.repeat(1e5)); return []");
    expect(lines.join('').length).toBeLessThan(1_000_200);
    expect(lines.at(-1)).toContain('the rest of the console is left out');
  });

  it('hide the changes of one run from the next', async () => {
    await run(
      "globalThis.secret = 1; Array.prototype.map = () => ['bad']; Object.prototype.json = { bad: 1 }; JSON.stringify = () => '[]'; return []",
    );
    expect(await json('return [{ secret: typeof secret, map: [1].map((x) => x), json: ({}).json }]')).toEqual(
      [{ secret: 'undefined', map: [1] }],
    );
  });

  it('hide the globals of the server and the page', async () => {
    const names = [
      'process',
      'window',
      'self',
      'document',
      'fetch',
      'XMLHttpRequest',
      'WebSocket',
      'indexedDB',
      'caches',
      'postMessage',
      'importScripts',
      '__host',
      '__bridge',
      '__code',
      'performance',
      'WebAssembly',
    ];
    expect(
      await json(`return { found: ${JSON.stringify(names)}.filter((name) => name in globalThis) }`),
    ).toEqual([{ found: [] }]);
    expect(
      await json(
        "return { this: (function () { return Object.keys(this ?? {}).includes('process') })(), made: new Function('return typeof process')() }",
      ),
    ).toEqual([{ this: false, made: 'undefined' }]);
  });
});
