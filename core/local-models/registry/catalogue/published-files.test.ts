import { expect, it } from 'vitest';
import { MODEL_FOLDERS } from '#core/image-workflows/files/model-folders.ts';
import { findPublishedFile, publishedFiles } from './published-files.ts';

it('names each file with its folder, its repository and its path', () => {
  expect(publishedFiles.length).toBeGreaterThan(300);
  for (const { name, folder, repository, path, aboutBytes = 1e9 } of publishedFiles) {
    expect(path.split('/').at(-1)).toBe(name);
    expect(repository).toMatch(/^[\w.-]+\/[\w.-]+$/);
    expect(folder).toMatch(/^[a-z_]+$/);
    expect(aboutBytes).toBeGreaterThanOrEqual(5e8);
  }
  const folders = new Set<string>(MODEL_FOLDERS);
  const listed = publishedFiles.filter(({ folder }) => folders.has(folder));
  expect(listed.length / publishedFiles.length).toBeGreaterThan(0.85);
});

it('has no file twice', () => {
  const keys = publishedFiles.map(({ folder, name }) => `${folder}/${name}`);
  expect(new Set(keys).size).toBe(keys.length);
});

it('finds the checkpoints of the first graphs by their names, in any spelling', () => {
  expect(findPublishedFile('V1-5-pruned-emaonly.safetensors')).toMatchObject({
    folder: 'checkpoints',
    repository: 'Comfy-Org/stable-diffusion-v1-5-archive',
    licence: 'CreativeML Open RAIL-M',
  });
  expect(findPublishedFile('sd_xl_base_1.0.safetensors')?.aboutBytes).toBeCloseTo(6.98e9, -8);
  expect(findPublishedFile('no-such-file.safetensors')).toBeUndefined();
});
