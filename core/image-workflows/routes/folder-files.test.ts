import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TestClock } from '#test/support/host/test-clock.ts';
import { createTestHost } from '#test/support/host/test-host.ts';
import { RouteClient, savedImages } from '#test/support/image-workflows/route-client.ts';

const DAY = 24 * 3600 * 1000;
let client: RouteClient;
beforeEach(() => {
  client = new RouteClient();
});
afterEach(() => client.close());
const store = (path: string, size = 1) => client.files.write(path, new Uint8Array(size));
const remove = async (path: string) => (await client.server.ask('DELETE', `/internal/files/${path}`)).status;
const prune = async (limits: object, folder = 'output') =>
  (await client.post(`/internal/files/${folder}/prune`, limits)).json();

describe('saved images', () => {
  const names = async (prefix: string, color: number) => {
    const { entry } = await client.server.run(savedImages(prefix, color));
    const images = entry.outputs['2']!.images as { filename: string; subfolder: string }[];
    return images.map(({ filename, subfolder }) => `${subfolder}:${filename}`);
  };

  it('are named and numbered by their prefix', async () => {
    expect(await names('a/x_%width%', 1)).toEqual(['a:x_8_00001_.png', 'a:x_8_00002_.png']);
    await store('output/a/x_8_00010_zzz.png');
    expect((await names('a/x_%width%', 2))[0]).toBe('a:x_8_00011_.png');
    expect((await names('', 3))[0]).toBe(':._00001_.png');
  });

  it('are not saved outside of the output', async () => {
    const { entry } = await client.server.run(savedImages('../x'));
    expect(entry.status.messages.at(-1)![1].exception_message).toContain('outside the output folder');
  });
});

describe('/internal/files', () => {
  it('lists the newest first: the folder alone, or in full with its subfolders', async () => {
    for (const path of ['output/a.png', 'output/old/b.png', 'output/c.png', 'input/d.png']) {
      await store(path);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    expect(await client.getJson('/internal/files/output')).toEqual(['c.png', 'a.png']);
    const full = await client.getJson('/internal/files/output?full_info=true');
    expect(full.map(({ path }: { path: string }) => path)).toEqual(['c.png', 'old/b.png', 'a.png']);
    expect(full[0]).toEqual({
      path: 'c.png',
      size: 1,
      modified: (await client.files.stat('output/c.png'))!.modifiedAt / 1000,
    });
    expect(await client.getJson('/internal/files/temp')).toEqual([]);
  });

  it('deletes files', async () => {
    await store('output/old/y.png');
    expect([await remove('output/old/y.png'), await remove('output/old/y.png')]).toEqual([204, 404]);
  });

  it.each(['models/vae', 'zzz', 'user'])('refuses the folder %s', async (folder) => {
    const response = await client.get(`/internal/files/${folder.split('/')[0]}`);
    expect([response.status, (await response.json()).error]).toEqual([400, 'Invalid directory type']);
    expect(await remove(`${folder}/a`)).toBe(400);
  });

  it('refuses paths that leave the folder', async () => {
    await store('input/a.png');
    expect(await remove('output/..%2Finput%2Fa.png')).toBe(400);
    expect(await client.files.stat('input/a.png')).toBeDefined();
  });
});

describe('prune', () => {
  it('deletes the oldest files until the rest is small enough', async () => {
    for (const name of ['a', 'b', 'c']) {
      await store(`output/s/${name}.png`, 100);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    expect(await prune({ max_bytes: 200 })).toEqual({ deleted: 1, freed_bytes: 100, remaining_bytes: 200 });
    expect(await client.getJson('/internal/files/output?full_info=true')).toMatchObject([
      { path: 's/c.png' },
      { path: 's/b.png' },
    ]);
    expect(await prune({ max_bytes: 0 })).toEqual({ deleted: 2, freed_bytes: 200, remaining_bytes: 0 });
  });

  it('deletes files older than some days', async () => {
    const clock = new TestClock(Date.now() + 10 * DAY);
    const host = createTestHost({ clock });
    const aged = new RouteClient({ host });
    await host.files.write('output/a.png', new Uint8Array(5));
    const pruned = async (limits: object) => (await aged.post('/internal/files/output/prune', limits)).json();
    expect(await pruned({ older_than_days: 11 })).toMatchObject({ deleted: 0, remaining_bytes: 5 });
    // Either limit is enough.
    expect(await pruned({ older_than_days: 9, max_bytes: 1000 })).toMatchObject({
      deleted: 1,
      freed_bytes: 5,
    });
    await aged.close();
  });

  it('spares saved models, which do not count', async () => {
    const saved = [
      'checkpoints/x_00001_/unet/model.onnx',
      'clip/x_00001_/config.json',
      'loras/x.safetensors',
    ];
    for (const name of [...saved, 'old/y.png']) await store(`output/${name}`, 1000);
    expect(await prune({ max_bytes: 0 })).toEqual({ deleted: 1, freed_bytes: 1000, remaining_bytes: 0 });
    for (const name of saved) expect(await client.files.stat(`output/${name}`)).toBeDefined();
    expect(await client.files.stat('output/old/y.png')).toBeUndefined();
  });

  it.each([
    [{}, 'name a limit'],
    [{ older_than_days: null }, 'name a limit'],
    [[], 'name a limit'],
    [{ older_than_days: -1 }, 'older_than_days must be a number that is not negative'],
    [{ max_bytes: '1' }, 'max_bytes must be a number that is not negative'],
  ])('refuses the limits %j', async (limits, message) => {
    expect((await prune(limits)).error).toContain(message);
  });

  it('is done with an empty folder', async () => {
    expect(await prune({ max_bytes: 0 }, 'temp')).toEqual({ deleted: 0, freed_bytes: 0, remaining_bytes: 0 });
  });
});
