/**
 * `npx tsx test/published-workflows/report.ts [webhook|ai] [--most N]` reports how many published workflows import
 * without a fault, and what the others lack.
 */
import { parseArgs } from 'node:util';
import { type Fault, faultsOf, type Kind, kindsOf } from './check-workflow.ts';
import { type PublishedWorkflow, publishedWorkflows } from './collection.ts';

const { values, positionals } = parseArgs({
  options: { most: { type: 'string', default: '60' } },
  allowPositionals: true,
});
const [chosen] = positionals as Kind[];

interface Checked {
  workflow: PublishedWorkflow;
  kinds: Set<Kind>;
  faults: Fault[];
}
const checked: Checked[] = [];
let unreadable = 0;
for (const workflow of publishedWorkflows()) {
  const faults = await faultsOf(workflow);
  if (faults) checked.push({ workflow, kinds: kindsOf(workflow), faults });
  else unreadable++;
}

const of = (kind: Kind) => checked.filter(({ kinds }) => kinds.has(kind));
const groups: [name: string, group: Checked[]][] = [
  ['all', checked],
  ['without community nodes', checked.filter(({ kinds }) => !kinds.has('community'))],
  ['with a webhook', of('webhook')],
  ['the 300 most viewed ones with a webhook', of('webhook').slice(0, 300)],
  ['with AI nodes', of('ai')],
  ['the 100 most viewed ones with AI nodes', of('ai').slice(0, 100)],
];
console.log('| workflows | number | import without a fault |\n| --- | --- | --- |');
for (const [name, group] of groups) {
  const complete = group.filter(({ faults }) => faults.length === 0).length;
  console.log(
    `| ${name} | ${group.length} | ${complete} (${((100 * complete) / group.length).toFixed(1)} %) |`,
  );
}
console.log(`\n${unreadable} files are no workflows: nodes without a name, or with the same one\n`);

/** For each fault: the workflows that have it, and those that have no other one. */
const counts = new Map<string, { all: number; alone: number }>();
for (const { faults } of chosen ? of(chosen) : checked) {
  const texts = new Set(faults.map(({ type, reason }) => `${type}: ${reason.slice(0, 120)}`));
  for (const text of texts) {
    const count = counts.get(text) ?? { all: 0, alone: 0 };
    counts.set(text, count);
    count.all++;
    if (texts.size === 1) count.alone++;
  }
}
console.log('workflows with the fault, and those that have it alone:');
for (const [text, { all, alone }] of [...counts]
  .sort(([, a], [, b]) => b.alone - a.alone || b.all - a.all)
  .slice(0, Number(values.most)))
  console.log(`${String(all).padStart(4)} ${String(alone).padStart(4)}  ${text}`);
