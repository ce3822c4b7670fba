import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from '@playwright/test';
import { chromiumLaunch } from '#test/support/processes/chromium.ts';
import { fixtureSite } from '../browser/support/fixture-site.ts';
import { readRecording } from './read-recording.ts';
import type { Recipe } from './recipe.ts';
import { recordedFiles } from './replay-model.ts';

const PAGE = resolve('.cache/checkpoint-page');

/**
 * Replays a recording in a headless Chromium, on the software GPU of `test/software-gpu` if the environment names it.
 * Resolves to the number of arrays outside of the tolerance.
 * @param builtPage the folder of the page, if it was built before
 */
export async function replayInBrowser(
  name: string,
  folder: string,
  recipe: Recipe,
  tokenizers: string,
  builtPage?: string,
): Promise<number> {
  const root = builtPage ?? (await buildReplayPage(PAGE));
  const numbers = readRecording(folder, name);
  const files = [
    ...recordedFiles(name, numbers).map(
      ({ path, recording }) => [path, recipe.checkpoint(recording)] as const,
    ),
    ...tokenizerFiles(tokenizers),
  ];
  const site = await fixtureSite({ isolated: true, root });
  const { SOFTWARE_GPU_CHROMIUM: gpu, SOFTWARE_GPU_FLAGS: flags = '' } = process.env;
  const browser = await chromium.launch({
    ...(await chromiumLaunch(gpu ? flags.split(' ').filter(Boolean) : [])),
    ...(gpu && { executablePath: gpu }),
  });
  try {
    const page = await browser.newPage();
    page.on('console', (message) => console.log(message.text()));
    await page.exposeFunction('recipeInput', async (recorded: Parameters<Recipe['input']>[0]) =>
      Buffer.from((await recipe.input(recorded)).data.buffer as ArrayBuffer).toString('base64'),
    );
    await page.goto(site.origin);
    await page.locator('input').setInputFiles(files.map(([, file]) => file));
    return await page.evaluate(
      ([model, recording, arrays, paths]) => window.replay(model, recording, arrays, paths),
      [
        name,
        numbers.recording,
        readFileSync(join(folder, `${name}.npz`)).toString('base64'),
        files.map(([path]) => path),
      ] as const,
    );
  } finally {
    await browser.close();
    await site.close();
  }
}

const isBuilt = new Set<string>();

/** Builds the page once. Resolves to its folder. */
export async function buildReplayPage(folder: string): Promise<string> {
  if (isBuilt.has(folder)) return folder;
  const { build } = await import('vite');
  await build({
    root: fileURLToPath(new URL('page', import.meta.url)),
    configFile: false,
    logLevel: 'error',
    base: './',
    build: { outDir: folder, emptyOutDir: true, target: 'es2023', minify: false },
    worker: { format: 'es' },
  });
  isBuilt.add(folder);
  return folder;
}

/** Paths below `models/tokenizers` with the files of this computer. */
function tokenizerFiles(folder: string): (readonly [path: string, file: string])[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder).flatMap((kind) =>
    readdirSync(join(folder, kind)).map(
      (file) => [`models/tokenizers/${kind}/${file}`, join(folder, kind, file)] as const,
    ),
  );
}
