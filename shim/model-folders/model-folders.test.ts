import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createLog } from '../host/log.ts';
import { readModelFolders } from './model-folders.ts';

let place: string;
let lines: string[];
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'tabd-model-folders-'));
  lines = [];
  for (const folder of ['home', 'ui/models/checkpoints', 'a/loras', 'b'])
    mkdirSync(at(folder), { recursive: true });
});
afterEach(() => rmSync(place, { recursive: true }));

const at = (path: string) => join(place, path);
const read = (modelsFolders: string[], configs: string[] = []) =>
  readModelFolders({
    home: at('home'),
    env: {},
    log: createLog({ write: (line) => lines.push(line) }),
    modelsFolders,
    configs,
  });

it('names no folder without options and files', async () => {
  expect(await read([])).toEqual({ mounts: new Map(), places: [] });
});

it('reads the options, the file of the home, and further files', async () => {
  writeFileSync(
    at('home/extra_model_paths.yaml'),
    `my ui:\n  base_path: ${at('a')}\n  loras: loras\n  vae: ../b`,
  );
  writeFileSync(at('more.yaml'), 'my ui: {loras: b, is_default: true}');
  const { mounts, places } = await read([at('ui/models')], [at('more.yaml')]);
  expect([...mounts].map(([name, folder]) => [name, folder.root])).toEqual([
    ['models', at('ui/models')],
    ['my_ui-loras', at('a/loras')],
    ['my_ui-vae', at('b')],
    ['my_ui-loras-2', at('b')],
  ]);
  expect(places).toEqual([
    { path: 'external/models' },
    { path: 'external/my_ui-loras', kind: 'loras' },
    { path: 'external/my_ui-vae', kind: 'vae' },
    { path: 'external/my_ui-loras-2', kind: 'loras', isDefault: true },
  ]);
});

it('a folder that is named twice is one place, and the first default after it', async () => {
  writeFileSync(at('x.yaml'), 'x: {is_default: true, loras: b}\ny: {is_default: true, loras: a/loras}');
  writeFileSync(at('y.yaml'), 'y: {loras: b}\nz: {is_default: true, loras: b}');
  const { mounts, places } = await read([], [at('x.yaml'), at('y.yaml')]);
  expect([...mounts.keys()]).toEqual(['x-loras', 'y-loras']);
  expect(places.map(({ path }) => path)).toEqual(['external/y-loras', 'external/x-loras']);
});

it('warns about folders that are missing or files, and keeps their places', async () => {
  writeFileSync(at('file'), '');
  writeFileSync(at('x.yaml'), 'x: {vae: none, loras: file, gligen: b}');
  const { places } = await read([], [at('x.yaml')]);
  expect(places).toHaveLength(3);
  const log = lines.filter((line) => line.includes(' warn ')).join('');
  expect(log).toContain(
    `there is no folder ${at('none')}: create it, or correct ${at('x.yaml')}, section x, vae`,
  );
  expect(log).toContain(`${at('file')} is a file, not a folder: correct ${at('x.yaml')}, section x, loras`);
  expect(log.trim().split('\n')).toHaveLength(2);
});

it('refuses options that name nothing, and an installation instead of its models', async () => {
  await expect(read([at('none')])).rejects.toThrow(`--models-folder ${at('none')}: there is no such folder`);
  await expect(read([at('ui')])).rejects.toThrow(`Choose its folder: ${at('ui/models')}`);
  await expect(read([], [at('none.yaml')])).rejects.toThrow(/cannot be read: ENOENT.*none\.yaml/);
});
