import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { browserPackage } from './browser-package.ts';

test('`tabd copy FOLDER` runs the program of the browser package if that is installed', async () => {
  const site = await mkdtemp(join(tmpdir(), 'tabd-site-'));
  try {
    expect(browserPackage(['copy', 'public'], site)).toBeUndefined();
    await mkdir(join(site, 'node_modules/tabd'), { recursive: true });
    await writeFile(join(site, 'node_modules/tabd/package.json'), '{"name":"tabd"}');
    const program = expect.stringMatching(/node_modules\/tabd\/dist\/tools\/cli\.js$/);
    expect(browserPackage(['copy', 'public'], site)).toEqual(program);
    expect(browserPackage(['copy', 'public', '--no-service-worker'], site)).toEqual(program);
    expect(browserPackage(['copy', 'llama', 'mine'], site)).toBeUndefined();
    expect(browserPackage(['list'], site)).toBeUndefined();
  } finally {
    await rm(site, { recursive: true });
  }
});
