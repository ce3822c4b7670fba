import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { ImageUnreadable } from '#core/image-codecs/pixels.ts';
import { pythonJson } from '../python/python-json.ts';
import { describeFailure } from './describe-failure.ts';
import { DependencyCycle } from './node-schedule.ts';

describe('describeFailure', () => {
  it.each([
    [new Error('plain'), 'Exception'],
    [new RangeError('range'), 'ValueError'],
    [new TypeError('type'), 'TypeError'],
    [new ImageUnreadable('image'), 'PIL.UnidentifiedImageError'],
    [Object.assign(new Error('full'), { name: 'StorageFull' }), 'OSError'],
  ])('names %s %s', (error, exception_type) => {
    expect(describeFailure(error, {})).toMatchObject({
      exception_message: `${error.message}\n`,
      exception_type,
      current_inputs: {},
    });
  });

  it('takes the lines of the stack after its first for the traceback', () => {
    const error = Object.assign(new Error('x'), { stack: 'Error: x\n  at a\n  at b' });
    expect(describeFailure(error, {}).traceback).toEqual(['  at a', '  at b']);
    expect(describeFailure(Object.assign(new Error('x'), { stack: undefined }), {}).traceback).toEqual([]);
  });

  it('describes other thrown values by their text', () => {
    expect(describeFailure('text', {})).toMatchObject({
      exception_message: 'text\n',
      exception_type: 'Exception',
    });
  });

  it('shows no folder of this computer', async () => {
    const error = await readFile('/no/such/folder/file.bin').catch((reason: Error) => reason);
    expect(describeFailure(error, {}).exception_message).toBe(
      "ENOENT: no such file or directory, open 'file.bin'\n",
    );
    const withStack = Object.assign(new Error('x'), {
      stack:
        'Error: x\n    at run (/srv/tabd/dist/cli.js:1:2)\n    at async file:///srv/tabd/core/a.ts:3:4' +
        '\n    at f (C:\\tabd\\b.js:5:6)\n    at node:internal/process/task_queues:95:5',
    });
    expect(describeFailure(withStack, {}).traceback).toEqual([
      '    at run (cli.js:1:2)',
      '    at async a.ts:3:4',
      '    at f (b.js:5:6)',
      '    at node:internal/process/task_queues:95:5',
    ]);
  });

  it('prints the values of all inputs, and describes those that JSON has no form for', () => {
    const inputs = {
      literals: [1.5, 2n, 'x', true, null],
      numbers: [8],
      image: [{ shape: [1, 2, 3], data: new Float32Array(6) }],
      objects: [{ shape: [1] }, [1, 2], { data: 1 }],
    };
    const { current_inputs } = describeFailure(new Error('x'), inputs);
    expect(pythonJson(current_inputs)).toBe(
      '{"literals": [1.5, 2, "x", true, null], "numbers": [8.0], "image": ["tensor of shape [1, 2, 3]"], ' +
        '"objects": ["object", "list of 2", "object"]}',
    );
  });

  it('describes a cycle without inputs and traceback', () => {
    expect(describeFailure(new DependencyCycle(), { a: [1] })).toEqual({
      exception_message: 'Dependency cycle detected',
      exception_type: 'graph.DependencyCycleError',
      traceback: [],
      current_inputs: [],
    });
  });
});
