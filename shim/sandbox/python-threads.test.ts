import { afterAll, describe, expect, it } from 'vitest';
import { openPython } from '#test/support/sandbox/python-scripts.ts';
import { nodePython } from './python-threads.ts';

const python = openPython(nodePython()!);
/** Ends scripts soon. */
const strict = openPython(nodePython()!, { expression: { time: 100 }, code: { time: 200 } });
afterAll(() => {
  python.close();
  strict.close();
});

it('runs Python in a thread', async () => {
  const lines: string[] = [];
  expect(await python.run('print("hi")\nreturn [i.json.m for i in _items]', { lines })).toEqual([70, 80]);
  expect(lines).toEqual(["'hi'"]);
});

it.each(['while True: pass', 'import time\ntime.sleep(100)', 'return sum(range(10**12))', 'x = 10**10**8'])(
  'ends %j',
  async (code) => {
    const error = expect.stringMatching(/^The code was stopped: it ran for too long/);
    expect(await strict.run(code)).toEqual({ error });
    expect(await strict.run('return 1')).toBe(1);
  },
);

it('ends a script that is cancelled', async () => {
  const cancelled = new AbortController();
  const result = python.run('while True: pass', { signal: cancelled.signal });
  setTimeout(() => cancelled.abort(new Error('left')), 300);
  await expect(result).rejects.toThrow('left');
  expect(await python.run('return 2')).toBe(2);
});

/** Each of these reaches for something outside. None may find it, and the next script runs. */
describe('has no way out', () => {
  it.each<[string, unknown]>([
    ['import js', { error: "No module named 'js'" }],
    ['import pyodide_js', { error: "No module named 'pyodide_js'" }],
    ['import _pyodide_core', { error: "No module named '_pyodide_core'" }],
    ['from pyodide.code import run_js\nreturn run_js("1 + 1")', { error: "No module named 'js'" }],
    ['import ctypes', { error: 'import of _ctypes halted; None in sys.modules' }],
    [
      'import sys\ndel sys.modules["_ctypes"]\nimport ctypes',
      { error: expect.stringContaining('The code was stopped') },
    ],
    ['import os\nos._exit(0)', { error: expect.stringContaining('The code was stopped') }],
    ['import os\nos.abort()', { error: expect.stringContaining('The code was stopped') }],
    ['import os\nreturn os.system("ls")', -1],
    [
      'import subprocess\nsubprocess.run(["ls"])',
      { error: expect.stringContaining('emscripten does not support processes.') },
    ],
    ['import os\nos.fork()', { error: expect.stringContaining('') }],
    [
      'import socket\nsocket.create_connection(("127.0.0.1", 80))',
      { error: expect.stringContaining('[Errno') },
    ],
    [
      'import urllib.request\nurllib.request.urlopen("http://127.0.0.1/")',
      { error: expect.stringContaining('<urlopen error') },
    ],
    ['open("/tmp/x", "w")', { error: "[Errno 69] Read-only file system: '/tmp/x'" }],
    ['import os\nos.mkdir("/tmp/y")', { error: "[Errno 52] Function not implemented: '/tmp/y'" }],
    ['import os\nos.symlink("/", "/tmp/z")', { error: expect.stringContaining('Function not implemented') }],
    ['import os\nos.pipe()', { error: '[Errno 52] Function not implemented' }],
    ['import os\nos.write(7, b"a")', { error: '[Errno 8] Bad file descriptor' }],
    ['return open("/dev/stdin").read()', ''],
    ['open("/dev/tty")', { error: "[Errno 44] No such file or directory: '/dev/tty'" }],
    ['open("/etc/passwd")', { error: "[Errno 44] No such file or directory: '/etc/passwd'" }],
    ['import os\nreturn sorted(os.listdir("/"))', ['dev', 'home', 'lib', 'proc', 'tmp']],
    ['import os\nreturn "PATH" in os.environ and os.environ["PATH"]', '/'],
    ['import threading\nthreading.Thread(target=print).start()', { error: "can't start new thread" }],
    ['import mmap\nmmap.mmap(-1, 2**31 - 1)', { error: expect.stringContaining('') }],
    ['import signal\nsignal.setitimer(signal.ITIMER_REAL, 0.01)', { error: expect.stringContaining('') }],
    ['import os\nos.write(9999, b"}")\nreturn 1', { error: expect.stringContaining('The code was stopped') }],
    ['import faulthandler\nfaulthandler._sigsegv()', { error: expect.stringContaining('') }],
    ['import gc\nreturn [type(o).__name__ for o in gc.get_objects() if "JsProxy" in type(o).__name__]', []],
  ])('%j: %j', async (code, value) => {
    expect(await python.run(code)).toEqual(value);
    expect(await python.run('return 3')).toBe(3);
  });
});

it('runs the scripts of two executions at once, and others after them', async () => {
  const values = await Promise.all([1, 2, 3, 4].map((n) => python.run(`return ${n}`)));
  expect(values).toEqual([1, 2, 3, 4]);
});
