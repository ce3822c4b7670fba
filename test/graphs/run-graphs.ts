/** `npx tsx test/graphs/run-graphs.ts [FOLDER ...] [--only PATTERN] [--recipes DIR] [--table FILE]`: see the README here. */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { templatesFolder, templatesOf } from '../support/frontend/open-frontend.ts';
import { checkGraph } from './check-graph.ts';
import { graphNames, graphText, nodeKinds, promptOf } from './graph-files.ts';
import { graphServer } from './graph-server.ts';
import { NamedFiles } from './named-files.ts';
import { type Outcomes, outcomesIn, writeOutcomes } from './outcome-table.ts';
import { type Outcome, runGraph } from './run-graph.ts';
import { smallPrompt } from './small-prompt.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: 'string', default: '' },
    recipes: { type: 'string' },
    table: { type: 'string' },
  },
});
/** The first templates, most of them public examples of the real system, and those of version 1.27. */
const usual = async () => [
  await templatesFolder('comfyui-workflow-templates==0.1.0'),
  await templatesOf('1.27'),
];
const folders = positionals.length > 0 ? positionals : await usual();
const only = new RegExp(values.only);
const recipes = values.recipes ? resolve(values.recipes) : await mkdtemp(join(tmpdir(), 'tabd-recipes-'));
await mkdir(recipes, { recursive: true });
const { server, home, forget, close } = await graphServer();
const files = new NamedFiles(home, recipes);
const kinds = await nodeKinds(server);

async function outcomeOf(folder: string, name: string): Promise<Outcome> {
  const text = await graphText(folder, name);
  const { missingClasses, inputs } = await checkGraph(text, kinds, server.host);
  if (missingClasses.length > 0) return { kind: 'refused', reason: `no class ${missingClasses.join(', ')}` };
  if (inputs.length > 0) return { kind: 'refused', reason: inputs.join('; ') };
  const prompt = smallPrompt(promptOf(text, kinds));
  const unknown = files.provide(prompt);
  if (unknown.length > 0) return { kind: 'refused', reason: `no recipe for ${unknown.join(', ')}` };
  return runGraph(server, prompt);
}

const outcomes: Outcomes = values.table ? await outcomesIn(values.table) : new Map();
try {
  // A later folder has the later version of a graph.
  const placed = new Map<string, string>();
  for (const folder of folders) for (const name of await graphNames(folder)) placed.set(name, folder);
  for (const [name, folder] of [...placed].sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (!only.test(name)) continue;
    const outcome = await outcomeOf(folder, name).catch(
      (error: Error): Outcome => ({ kind: 'failed', reason: error.message }),
    );
    outcomes.set(name, outcome);
    console.log(name, outcome.kind === 'ran' ? `${outcome.seconds.toFixed(1)} s` : outcome.reason);
    await forget();
  }
  const ran = [...outcomes.values()].filter(({ kind }) => kind === 'ran').length;
  console.log(`${ran} of ${outcomes.size} graphs ran`);
  if (values.table) await writeOutcomes(values.table, outcomes);
} finally {
  files.remove();
  await close();
  if (!values.recipes) await rm(recipes, { recursive: true, force: true });
}
process.exit(0);
