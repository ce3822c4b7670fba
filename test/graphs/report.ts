/** `npx tsx test/graphs/report.ts [FOLDER ...]`: see the README of `test`. */
import { callsPaidService } from '#core/image-workflows/graph/paid-services.ts';
import { imageServer } from '#test/support/image-workflows/image-server.ts';
import { templatesOf } from '../support/frontend/open-frontend.ts';
import { checkGraph, type GraphFaults } from './check-graph.ts';
import { graphNames, graphText, nodeKinds } from './graph-files.ts';

const folders = process.argv.slice(2);
if (folders.length === 0) folders.push(await templatesOf('1.27'));
const server = imageServer();
const kinds = await nodeKinds(server);
const rows = new Map<string, GraphFaults>();
for (const folder of folders)
  for (const name of await graphNames(folder))
    rows.set(name, await checkGraph(await graphText(folder, name), kinds, server.host));
server.close();

const cell = (values: string[]) => values.join('; ').replaceAll('|', '/');
console.log('| graph | missing classes | refused inputs |\n| --- | --- | --- |');
let complete = 0;
const counts = new Map<string, number>();
let paid = 0;
for (const [name, { missingClasses, inputs }] of rows) {
  for (const each of missingClasses) counts.set(each, (counts.get(each) ?? 0) + 1);
  if (missingClasses.some(callsPaidService)) paid++;
  if (missingClasses.length + inputs.length === 0) complete++;
  else console.log(`| ${name} | ${cell(missingClasses)} | ${cell(inputs)} |`);
}
console.log(`\n${complete} of ${rows.size} graphs validate; ${paid} call paid services of other companies\n`);
for (const [name, count] of [...counts].sort(([, a], [, b]) => b - a)) console.log(`${count} ${name}`);
