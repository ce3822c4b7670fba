/**
 * Chat templates as model publishers release them. llama.cpp's source has a collection, and node-llama-cpp contains
 * that source. Extracted to `.cache/` once for each checkout.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const path = (relative: string) => fileURLToPath(new URL(`../../../${relative}`, import.meta.url));
const SOURCE = 'node_modules/node-llama-cpp/llama';
const TEMPLATE_FOLDER = 'models/templates';

/** Texts by file name, such as `Qwen-Qwen3-0.6B.jinja`. */
export async function publishedTemplates(): Promise<Map<string, string>> {
  const folder = join(await checkedOut(), TEMPLATE_FOLDER);
  const names = (await readdir(folder)).filter((name) => name.endsWith('.jinja')).sort();
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
  return new Map(names.map((name, index) => [name, texts[index]!]));
}

async function checkedOut(): Promise<string> {
  const info = JSON.parse(await readFile(path(`${SOURCE}/llama.cpp.info.json`), 'utf8')) as { tag: string };
  const cache = path('.cache/published-templates');
  const done = join(cache, info.tag);
  if (existsSync(done)) return done;
  await mkdir(cache, { recursive: true });
  const work = await mkdtemp(join(cache, 'work-'));
  try {
    const git = join(work, 'git');
    const tree = join(work, 'tree');
    await mkdir(tree);
    await run('git', ['clone', '--quiet', '--bare', path(`${SOURCE}/gitRelease.bundle`), git]);
    await run('git', [
      '--git-dir',
      git,
      '--work-tree',
      tree,
      'checkout',
      '--quiet',
      'HEAD',
      '--',
      TEMPLATE_FOLDER,
    ]);
    await rename(tree, done);
  } catch (error) {
    // Another process may have been faster.
    if (!existsSync(done)) throw error;
  } finally {
    await rm(work, { recursive: true, force: true });
  }
  return done;
}
