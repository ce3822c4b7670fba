import { createHash } from 'node:crypto';
import { describe, expect, it, vi } from 'vitest';
import { fileContext } from '#test/support/image-workflows/node-context.ts';

const MEBIBYTE = 2 ** 20;
async function storedFiles(...paths: string[]) {
  const { files, context } = fileContext();
  for (const path of paths) await files.write(path, new Uint8Array(1));
  return { files, stored: context.files };
}

describe('names and models', () => {
  it('are sorted, of the folder alone or with its subfolders', async () => {
    const { stored } = await storedFiles('input/b.png', 'input/sub/c.png', 'input/a.png', 'output/d.png');
    expect(await stored.names('input')).toEqual(['a.png', 'b.png']);
    expect(await stored.names('input', true)).toEqual(['a.png', 'b.png', 'sub/c.png']);
    expect(await stored.names('temp', true)).toEqual([]);
  });

  it('of models are files of models, also by the older name of a folder', async () => {
    const { stored } = await storedFiles(
      'models/loras/s/a.safetensors',
      'models/loras/a.txt',
      'models/text_encoders/t.onnx',
    );
    expect(await stored.models('loras')).toEqual(['s/a.safetensors']);
    expect(await stored.models('clip')).toEqual(['t.onnx']);
    expect(await stored.models('secrets')).toEqual([]);
  });
});

describe('find', () => {
  it('searches the folder, or the one in brackets', async () => {
    const { stored } = await storedFiles('input/a.png', 'output/s/b.png');
    expect(await stored.find('a.png')).toEqual({ path: 'input/a.png', folder: 'input' });
    expect(await stored.find('s/b.png [output]')).toEqual({ path: 'output/s/b.png', folder: 'output' });
    expect(await stored.find('s/b.png', 'output')).toEqual({ path: 'output/s/b.png', folder: 'output' });
    expect(await stored.find('a.png [input]', 'output')).toEqual({ path: 'input/a.png', folder: 'input' });
  });

  it.each(['none.png', '../input/a.png', '/input/a.png', '', 's', 'a.png [output]'])(
    'finds no %j',
    async (name) => {
      const { stored } = await storedFiles('input/a.png', 'input/s/b.png');
      expect(await stored.find(name)).toBeUndefined();
    },
  );
});

describe('target', () => {
  // The clock of this host shows 2 January 2026, 00:00 UTC.
  it('fills in the tokens of a prefix, with local time', async () => {
    const { stored } = await storedFiles();
    const two = (value: number) => String(value).padStart(2, '0');
    const now = new Date(Date.UTC(2026, 0, 2));
    const time = [
      now.getFullYear(),
      two(now.getMonth() + 1),
      two(now.getDate()),
      two(now.getHours()),
      two(now.getMinutes()),
      two(now.getSeconds()),
    ];
    const target = await stored.target(
      '%year%-%month%-%day%/%hour%.%minute%.%second%_%width%x%height%_%other%',
      'output',
      {
        width: 640,
        height: 48,
      },
    );
    expect(target).toEqual({
      subfolder: time.slice(0, 3).join('-'),
      name: `${time.slice(3).join('.')}_640x48_%other%`,
      counter: 1,
    });
  });

  it('counts from the highest number of the prefix', async () => {
    const { stored } = await storedFiles(
      ...['output/a/x_00003_.png', 'output/a/x_12_.webp', 'output/a/x_0007', 'output/a/x_99z_.png'],
      ...['output/a/y_00050_.png', 'output/a/x_', 'output/x_00100_.png'],
    );
    expect(await stored.target('a/x', 'output')).toEqual({ name: 'x', subfolder: 'a', counter: 13 });
    expect((await stored.target('a/x', 'temp')).counter).toBe(1);
  });

  it('counts installed models that would hide a saved one', async () => {
    const { stored } = await storedFiles(
      'models/loras/x_00004_.safetensors',
      'output/loras/x_00002_.safetensors',
    );
    expect((await stored.target('loras/x', 'output')).counter).toBe(5);
  });

  it('creates the folder, and names files without a name by a dot', async () => {
    const { files, stored } = await storedFiles();
    expect(await stored.target('deep/er/', 'output')).toEqual({ name: 'er', subfolder: 'deep', counter: 1 });
    expect((await files.stat('output/deep'))?.kind).toBe('folder');
    expect((await stored.target('', 'output')).name).toBe('.');
  });

  it('refuses a prefix that leads out of the folder', async () => {
    const { stored } = await storedFiles();
    await expect(stored.target('../x', 'output')).rejects.toThrow(
      '**** ERROR: Saving image outside the output folder is not allowed.\n filename_prefix: ../x',
    );
  });
});

it('save numbers the files of a batch and fills in their index', async () => {
  const { files, stored } = await storedFiles();
  const target = { name: 'x_%batch_num%', subfolder: 's', counter: 9 };
  expect(await stored.save(target, 'output', 3, 'png', Uint8Array.of(1, 2))).toEqual({
    filename: 'x_3_00012_.png',
    subfolder: 's',
    type: 'output',
  });
  expect([...(await files.read('output/s/x_3_00012_.png'))]).toEqual([1, 2]);
});

it.each([
  ['no bytes', 0],
  ['three bytes', 3],
  ['64 MiB', 64 * MEBIBYTE],
  ['64 MiB and five bytes', 64 * MEBIBYTE + 5],
])('digest hashes a file of %s in pieces', async (_, size) => {
  const { files, stored } = await storedFiles();
  const bytes = new Uint8Array(size).fill(7);
  bytes.set([1, 2, 3].slice(0, size), Math.max(0, size - 3));
  await files.write('input/a.mp4', bytes);
  const read = vi.spyOn(files, 'read');
  expect(await stored.digest('input/a.mp4')).toBe(createHash('sha256').update(bytes).digest('hex'));
  for (const [, start, end] of read.mock.calls) expect(end! - start!).toBeLessThanOrEqual(64 * MEBIBYTE);
});
