/** `npm run checkpoints -- NAME [...]`, with options: see the README here. */
import { cp, link, mkdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { gpuFinder } from '#shim/engines/llama/gpus.ts';
import { onnxHost } from '#test/support/host/onnx-host.ts';
import { writePromptTokenizers } from './prompt-tokenizers.ts';
import { readRecording } from './read-recording.ts';
import { Recipe } from './recipe.ts';
import { recordedFiles, replayModel } from './replay-model.ts';
import { SessionReport } from './session-report.ts';

/** Folders as of `models/tokenizers`. */
const TOKENIZERS = resolve('.cache/tokenizers');

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    numbers: { type: 'string', default: '../shared/checkpoints' },
    cpu: { type: 'boolean', default: false },
    'no-text': { type: 'boolean', default: false },
    browser: { type: 'boolean', default: false },
    page: { type: 'string' },
  },
});
const folder = resolve(values.numbers);
const gpus = gpuFinder();
const recipe = new Recipe(folder, resolve('.cache/checkpoints'));

/** Resolves to the number of arrays outside of the tolerance. */
async function replayHere(name: string): Promise<number> {
  const numbers = readRecording(join(folder, 'numbers'), name);
  if (values['no-text']) numbers.recording.text = {};
  const { host, home, remove } = await onnxHost('processes', values.cpu ? undefined : gpus);
  const report = new SessionReport();
  try {
    for (const { path, recording } of recordedFiles(name, numbers)) {
      const placed = join(home, path);
      await mkdir(dirname(placed), { recursive: true });
      await link(recipe.checkpoint(recording), placed);
    }
    await cp(TOKENIZERS, join(home, 'models', 'tokenizers'), { recursive: true });
    const tensorEngine = report.watch(host.tensorEngine!, values.cpu);
    return await replayModel(name, { ...host, tensorEngine }, numbers, recipe);
  } finally {
    for (const line of report.lines()) console.log(line);
    await remove();
  }
}

/** Loads the browser's parts only when they are asked for. */
async function replayInTab(name: string): Promise<number> {
  const { replayInBrowser } = await import('./replay-in-browser.ts');
  return replayInBrowser(name, join(folder, 'numbers'), recipe, TOKENIZERS, values.page);
}

writePromptTokenizers(TOKENIZERS);
let failed = 0;
for (const name of positionals) {
  const start = performance.now();
  const far = await (values.browser ? replayInTab(name) : replayHere(name));
  console.log(
    `${name}: ${far} outside of the tolerance, ${((performance.now() - start) / 1000).toFixed(1)} s`,
  );
  failed += far;
}
process.exit(failed > 0 ? 1 : 0);
