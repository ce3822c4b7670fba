import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { placeFirstCheckpoint } from './first-checkpoint.ts';

let place: string;
let home: string;
let app: string;
beforeEach(async () => {
  place = await mkdtemp(join(tmpdir(), 'tabd-first-'));
  home = join(place, 'home');
  app = join(place, 'app');
  await mkdir(join(app, 'weights/emoji-128/unet'), { recursive: true });
  await writeFile(join(app, 'weights/emoji-128/files.json'), '[]');
  await writeFile(join(app, 'weights/emoji-128/unet/model.onnx'), 'weights');
});
afterEach(() => rm(place, { recursive: true }));

const checkpoints = () => join(home, 'files/models/checkpoints');

it('copies the model of the page into a new home, without the list of files for downloads', async () => {
  expect(await placeFirstCheckpoint(home, app)).toBe(true);
  expect(await readdir(join(checkpoints(), 'emoji-128'))).toEqual(['unet']);
  expect(await readFile(join(checkpoints(), 'emoji-128/unet/model.onnx'), 'utf8')).toBe('weights');
  expect(await readdir(join(home, 'files/.unfinished'))).toEqual([]);
});

it('leaves a home with a folder for checkpoints unchanged, so that a deleted model stays deleted', async () => {
  await placeFirstCheckpoint(home, app);
  await rm(join(checkpoints(), 'emoji-128'), { recursive: true });
  expect(await placeFirstCheckpoint(home, app)).toBe(false);
  expect(await readdir(checkpoints())).toEqual([]);
});

it.each([
  ['the page is not built', () => undefined],
  ['the page has no such model', () => join(place, 'none')],
])('does nothing when %s', async (_, folder) => {
  expect(await placeFirstCheckpoint(home, folder())).toBe(false);
  await expect(readdir(home)).rejects.toThrow('ENOENT');
});
