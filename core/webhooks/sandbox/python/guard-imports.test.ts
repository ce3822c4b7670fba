import { describe, expect, it } from 'vitest';
import { pythonFiles } from '#test/support/host/inline-python.ts';
import { guardImports } from './guard-imports.ts';
import policy from './import-policy.json' with { type: 'json' };
import { PythonChannel } from './python-channel.ts';

const LIMIT = 2 ** 20;

/** A module with 64 KB of memory whose imports count their calls. */
function guarded(names: string[]) {
  const buffer = new ArrayBuffer(65_536);
  const memory = { HEAPU8: new Uint8Array(buffer), HEAPU32: new Uint32Array(buffer) };
  const channel = new PythonChannel();
  const calls: string[] = [];
  const imports: Record<string, (...args: number[]) => unknown> = {};
  for (const name of names) {
    imports[name] = Object.assign(
      () => {
        calls.push(name);
        return 1;
      },
      { sig: 'ii' },
    );
  }
  guardImports(imports, { memory: () => memory, channel, limit: LIMIT });
  return { imports, calls, channel, memory };
}

it('calls the functions that only compute', () => {
  const { imports, calls } = guarded(['clock_time_get', '_localtime_js']);
  expect([imports.clock_time_get!(), imports._localtime_js!()]).toEqual([1, 1]);
  expect(calls).toHaveLength(2);
});

it.each(['JsProxy_GetAttr_js', 'raw_call_js', '_dlopen_js', 'proc_exit', 'emscripten_run_script'])(
  'has no %s',
  (name) => {
    const { imports, calls } = guarded([name]);
    expect(() => imports[name]!(1)).toThrow(`Python has no ${name} here`);
    expect(calls).toEqual([]);
    expect(imports[name]).toHaveProperty('sig', 'ii');
  },
);

it.each([
  ['__syscall_connect', -52],
  ['__syscall_mkdirat', -52],
  ['__syscall_renameat', -52],
  ['fd_pwrite', -52],
  ['getaddrinfo', -4],
])('answers %s with the error %i', (name, error) => {
  const { imports, calls } = guarded([name]);
  expect(imports[name]!(1)).toBe(error);
  expect(calls).toEqual([]);
});

describe('files', () => {
  it.each([
    [0, 1],
    [0o200000, 1],
    [0o1, -69],
    [0o2, -69],
    [0o100, -69],
    [0o1000, -69],
    [0o2000, -69],
  ])('opens with flags %i: %i', (flags, result) => {
    const { imports } = guarded(['__syscall_openat']);
    expect(imports.__syscall_openat!(-100, 0, flags, 0)).toBe(result);
  });

  it('reads and writes the channel, and reads other files', () => {
    const { imports, channel, memory, calls } = guarded(['fd_read', 'fd_write']);
    // Two buffers: 4 bytes at 100, 8 bytes at 200.
    memory.HEAPU32.set([100, 4, 200, 8], 2);
    channel.begin('abcdef', () => {});
    expect(imports.fd_read!(9999, 8, 2, 64)).toBe(0);
    expect(memory.HEAPU32[16]).toBe(6);
    expect(
      String.fromCharCode(...memory.HEAPU8.subarray(100, 104), ...memory.HEAPU8.subarray(200, 202)),
    ).toBe('abcdef');
    expect(imports.fd_write!(9999, 8, 2, 64)).toBe(0);
    expect(memory.HEAPU32[16]).toBe(12);
    expect(channel.end()).toMatch(/^abcdef/);
    expect(imports.fd_read!(3, 8, 2, 64)).toBe(1);
    expect(imports.fd_write!(3, 8, 2, 64)).toBe(8);
    expect(calls).toEqual(['fd_read']);
  });
});

it('lets memory grow to its limit', () => {
  const { imports } = guarded(['emscripten_resize_heap']);
  expect([LIMIT, LIMIT + 1, -1].map((size) => imports.emscripten_resize_heap!(size))).toEqual([1, 0, 0]);
});

it('fills any number of bytes with random ones', () => {
  const { imports, memory } = guarded(['random_get']);
  expect(imports.random_get!(0, 65_536)).toBe(0);
  expect(new Set(memory.HEAPU8.subarray(65_000)).size).toBeGreaterThan(50);
});

it('names functions that the installed Pyodide imports', async () => {
  const files = await pythonFiles();
  const names = await new Promise<Set<string>>((resolve) => {
    void files.createModule({
      API: { config: {}, runtimeEnv: {}, lockFilePromise: new Promise(() => {}) },
      instantiateWasm: (imports: { env: object }) => {
        resolve(new Set(Object.keys(imports.env)));
        return {};
      },
    });
  });
  names.add('Jsv_GetError_import').add('JsvError_Check');
  expect(
    [...policy.allowed, ...policy.restricted, ...Object.keys(policy.failing)].filter(
      (name) => !names.has(name),
    ),
  ).toEqual([]);
});
