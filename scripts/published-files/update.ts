/**
 * `npx tsx scripts/published-files/update.ts [FOLDER ...]` writes the list of model files that published graphs name. It
 * reads the templates of the official editor, or the JSON files of the folders.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isObject } from '#core/base';
import type { PublishedFile } from '#core/local-models/registry/catalogue/published-files.ts';
import { templatesOf } from '#test/support/frontend/open-frontend.ts';
import extra from './extra.json' with { type: 'json' };
import licences from './licences.json' with { type: 'json' };

const OUTPUT = fileURLToPath(
  new URL('../../core/local-models/registry/catalogue/published-files.json', import.meta.url),
);
const HUB_FILE =
  /^https:\/\/huggingface\.co\/([^/]+\/[^/]+)\/(?:resolve|blob)\/main\/([^?]+\.(?:safetensors|sft))(?:\?|$)/;
/** Sizes of templates are rounded to tenths of GiB. Smaller files would be too imprecise. */
const LEAST_BYTES = 5e8;

/** How a graph names a model. */
interface NamedModel {
  name: string;
  directory: string;
  url: string;
}

/** The models in the properties of all nodes, those of subgraphs too. */
function* namedModels(value: unknown): Generator<NamedModel> {
  if (!isObject(value) && !Array.isArray(value)) return;
  const { properties } = value as { properties?: { models?: unknown } };
  if (Array.isArray(properties?.models))
    for (const model of properties.models) if (isObject(model)) yield model as unknown as NamedModel;
  for (const each of Object.values(value)) yield* namedModels(each);
}

const folders = process.argv.slice(2);
if (folders.length === 0) folders.push(await templatesOf('1.27'), await templatesOf('newest'));

/** How many graphs name each file at each address, by folder and name. */
const found = new Map<string, Map<string, number>>();
const filesOfGraph = new Map<string, Set<string>>();
const skipped = new Set<string>();
const keyOf = (folder: string, name: string) => `${folder}/${name}`;

for (const folder of folders) {
  for (const graph of readdirSync(folder).filter((name) => name.endsWith('.json'))) {
    for (const { name, directory, url } of namedModels(
      JSON.parse(readFileSync(join(folder, graph), 'utf8')),
    )) {
      const [, repository, path] = HUB_FILE.exec(url ?? '') ?? [];
      if (!repository || !path || typeof name !== 'string' || path.split('/').at(-1) !== name) {
        skipped.add(`${directory}/${name}`);
        continue;
      }
      const address = `${repository}/${decodeURIComponent(path)}`;
      const counts = found.get(keyOf(directory, name)) ?? new Map<string, number>();
      found.set(keyOf(directory, name), counts.set(address, (counts.get(address) ?? 0) + 1));
      const ofGraph = filesOfGraph.get(graph) ?? new Set();
      filesOfGraph.set(graph, ofGraph.add(keyOf(directory, name)));
    }
  }
}
for (const { name, folder, url } of extra) {
  const [, repository, path] = HUB_FILE.exec(url)!;
  if (!found.has(keyOf(folder, name)))
    found.set(keyOf(folder, name), new Map([[`${repository}/${path}`, 1]]));
}

const sizes = sizesOf(totalsOf(folders));
const files = [...found].map(([key, counts]): PublishedFile => {
  const [folder, name] = [key.slice(0, key.indexOf('/')), key.slice(key.indexOf('/') + 1)];
  const [address] = [...counts].sort(([a, m], [b, n]) => n - m || a.localeCompare(b))[0]!;
  const [user, repository, ...path] = address.split('/');
  const licence = (licences as Record<string, string>)[`${user}/${repository}`];
  const bytes = sizes.get(key);
  return {
    name,
    folder,
    repository: `${user}/${repository}`,
    path: path.join('/'),
    ...(licence && { licence }),
    ...(bytes && { aboutBytes: bytes }),
  };
});
files.sort((a, b) => a.folder.localeCompare(b.folder) || a.name.localeCompare(b.name));
writeFileSync(OUTPUT, `${JSON.stringify(files, null, 2)}\n`);
console.log(`${files.length} files; left out ${[...skipped].filter((key) => !found.has(key)).join(', ')}`);

/** The bytes of all models of a graph, by its file. */
function totalsOf(all: readonly string[]): Map<string, number> {
  const totals = new Map<string, number>();
  for (const folder of all) {
    const index = join(folder, 'index.json');
    if (!existsSync(index)) continue;
    for (const { templates } of JSON.parse(readFileSync(index, 'utf8')))
      for (const { name, size } of templates) if (size > 0) totals.set(`${name}.json`, size);
  }
  return totals;
}

/** The size of a file follows where it is the only one of a graph, or the only one of unknown size. */
function sizesOf(totals: ReadonlyMap<string, number>): Map<string, number> {
  const sizeByFile = new Map<string, number>();
  for (let before = -1; before < sizeByFile.size; ) {
    before = sizeByFile.size;
    for (const [graph, total] of totals) {
      const keys = [...(filesOfGraph.get(graph) ?? [])];
      const unknown = keys.filter((key) => !sizeByFile.has(key));
      if (unknown.length !== 1) continue;
      const rest = keys.reduce((sum, key) => sum - (sizeByFile.get(key) ?? 0), total);
      if (rest >= LEAST_BYTES) sizeByFile.set(unknown[0]!, Math.round(rest / 1e7) * 1e7);
    }
  }
  return sizeByFile;
}
