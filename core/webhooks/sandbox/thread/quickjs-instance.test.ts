import { createHash, createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { quickJsModule } from '#test/support/host/inline-sandbox.ts';
import { QuickJsInstance, ScriptError } from './quickjs-instance.ts';

const MEMORY = 64 * 2 ** 20;
/** Evaluates its first argument. The others are `a` and `b`. */
const LIBRARY = 'const host = __host; (function entry(code, a, b) { return String(eval(code)) })';

async function create(limits = { time: 300 }) {
  const instance = await QuickJsInstance.create(await quickJsModule(), LIBRARY, MEMORY);
  const evaluate = (code: string, ...values: (string | Uint8Array)[]) => {
    instance.startTimeLimit(limits);
    return instance.callText(instance.entry, code, ...values);
  };
  const failureOf = (code: string, ...values: (string | Uint8Array)[]) => {
    try {
      return `returned ${evaluate(code, ...values)}`;
    } catch (error) {
      return instance.failureFrom(error);
    }
  };
  return { instance, evaluate, failureOf };
}

describe('an instance of QuickJS', () => {
  it('takes text and bytes, and returns text', async () => {
    const { evaluate } = await create();
    expect(evaluate('a + new Uint8Array(b).join()', 'bytes: ', new Uint8Array([1, 2]))).toBe('bytes: 1,2');
    const view = new Uint8Array([9, 1, 2, 9]).subarray(1, 3);
    expect(evaluate('new Uint8Array(a).join()', view)).toBe('1,2');
    expect(evaluate('b.byteLength + a', '', new Uint8Array())).toBe('0');
  });

  it('forgets everything when it is restored', async () => {
    const { instance, evaluate } = await create();
    evaluate('globalThis.secret = 1; Array.prototype.map = null; 0');
    expect(evaluate('typeof secret')).toBe('number');
    instance.restore();
    expect(evaluate('typeof secret + typeof [].map')).toBe('undefinedfunction');
  });

  it('shares nothing with another instance', async () => {
    const [first, second] = [await create(), await create()];
    first.evaluate('globalThis.secret = 1; 0');
    expect(second.evaluate('typeof secret')).toBe('undefined');
  });

  it('describes what a script throws', async () => {
    const { failureOf } = await create();
    expect(failureOf("throw new RangeError('bad')")).toEqual({
      kind: 'thrown',
      name: 'RangeError',
      message: 'bad',
    });
    expect(failureOf("throw 'text'")).toEqual({ kind: 'thrown', message: 'text' });
    expect(failureOf('throw null')).toEqual({ kind: 'thrown', message: 'null' });
    expect(failureOf('throw {}')).toEqual({ kind: 'thrown', message: '' });
  });

  it('stops a script that computes for too long, and runs the next', async () => {
    const { instance, evaluate, failureOf } = await create({ time: 50 });
    expect(failureOf('for (;;);')).toEqual({
      kind: 'time',
      message: 'it ran for too long (more than 0.05 seconds without a pause)',
    });
    expect(instance.broken).toBe(false);
    expect(evaluate('1 + 1')).toBe('2');
  });

  it('breaks when a script continues after interrupts', async () => {
    const { instance, failureOf } = await create({ time: 50 });
    const failure = failureOf('for (;;) new Promise(() => { for (;;); });');
    expect(failure).toMatchObject({ kind: 'time' });
    expect(instance.broken).toBe(true);
    // Errors after that are consequences of it.
    expect(instance.failureFrom(new Error('memory access out of bounds'))).toMatchObject({ kind: 'time' });
  });

  it('limits the memory', async () => {
    const { instance, failureOf } = await create({ time: 5000 });
    expect(failureOf('const all = []; for (;;) all.push(new Uint8Array(1e7));')).toEqual({
      kind: 'memory',
      message: 'it used too much memory (more than 64 MiB)',
    });
    expect(instance.memorySize).toBeLessThanOrEqual(MEMORY);
  });

  it('has no room for values larger than its memory', async () => {
    const { evaluate, failureOf } = await create();
    const failure = { kind: 'memory', message: 'it used too much memory (more than 64 MiB)' };
    expect(failureOf('0', new Uint8Array(MEMORY))).toEqual(failure);
    expect(failureOf('0', 'x'.repeat(MEMORY))).toEqual(failure);
    expect(evaluate('1 + 1')).toBe('2');
  });

  it('reports any other error as a crash', async () => {
    const { instance } = await create();
    expect(instance.failureFrom(new Error('odd'))).toEqual({ kind: 'crashed', message: 'Error: odd' });
    const failure = { kind: 'thrown', message: 'x' } as const;
    expect(instance.failureFrom(new ScriptError(failure))).toBe(failure);
  });

  it('defines more globals before the library runs', async () => {
    const extend = (context: {
      setProp(...args: unknown[]): void;
      global: unknown;
      newNumber(n: number): unknown;
    }) => context.setProp(context.global, 'seven', context.newNumber(7));
    const library = '(() => String(seven))';
    const instance = await QuickJsInstance.create(await quickJsModule(), library, MEMORY, extend as never);
    expect(instance.callText(instance.entry)).toBe('7');
  });
});

describe('the functions of the host', () => {
  it('compute digests of text and bytes', async () => {
    const { evaluate } = await create();
    const data = new TextEncoder().encode('grün');
    for (const name of ['md5', 'sha1', 'sha256', 'sha384', 'sha512']) {
      const digest = createHash(name).update('grün').digest('hex');
      expect(evaluate(`host.hash('${name}', 'grün', 'hex')`)).toBe(digest);
      expect(evaluate(`host.hash('${name}', a, 'hex')`, data)).toBe(digest);
    }
    const base64 = createHash('sha3-512').update('x').digest('base64');
    expect(evaluate("host.hash('sha3', 'x', 'base64')")).toBe(base64);
    expect(evaluate("host.hash('SHA-256', '', 'hex')")).toBe(createHash('sha256').digest('hex'));
  });

  it.each([['short'], ['k'.repeat(64)], ['longer than a block of the digest '.repeat(9)]])(
    'compute codes for messages, with the key %s',
    async (key) => {
      const { evaluate } = await create();
      const bytes = (text: string) => new TextEncoder().encode(text);
      for (const name of ['sha1', 'sha256', 'sha512']) {
        const code = createHmac(name, key).update('data').digest('hex');
        expect(evaluate(`host.hmac('${name}', a, b, 'hex')`, bytes(key), bytes('data'))).toBe(code);
      }
    },
  );

  it('refuse unknown digests', async () => {
    const { failureOf } = await create();
    expect(failureOf("host.hash('crc', 'x', 'hex')")).toMatchObject({
      kind: 'thrown',
      message: 'Digest method not supported: crc',
    });
  });

  it('encode and decode text with a NUL in it', async () => {
    const { evaluate } = await create();
    expect(evaluate("new Uint8Array(host.encode(JSON.stringify('a\\0b'), 'utf8')).join()")).toBe('97,0,98');
    expect(evaluate("JSON.parse(host.decode(a, 'latin1')).length", new Uint8Array([97, 0, 98]))).toBe('3');
  });

  it('return random bytes, also more than one call of Web Crypto fills', async () => {
    const { evaluate } = await create();
    const code =
      'const r = new Uint8Array(host.random(70000)); [r.length, r.slice(65536).some((byte) => byte)]';
    expect(evaluate(code)).toBe('70000,true');
  });

  it('format and find offsets of zones', async () => {
    const { evaluate } = await create();
    const call = '{"kind":"NumberFormat","method":"format","args":[1234]}';
    expect(evaluate('JSON.parse(host.intl(a)).value', call)).toBe('1,234');
    expect(evaluate("host.offset('Asia/Kolkata', 0)")).toBe('330');
    expect(evaluate("host.offset('No/Zone', 0)")).toBe('NaN');
  });
});
