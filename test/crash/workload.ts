/** Sends the operations to a server of its own, and prints each as soon as it was answered: `{ id, status }`. */
import { writeSync } from 'node:fs';
import { openCore } from './open-core.ts';
import { OPERATIONS, PROMPTS, promptId } from './operations.ts';

const print = (line: object) => writeSync(1, `${JSON.stringify(line)}\n`);

const core = await openCore(process.argv[2]!);
let workflow = '';
for (const { id, api, method, path, body } of OPERATIONS) {
  if (path.includes('{workflow}') && workflow === '') continue;
  const response = await core.request(api, method, path.replace('{workflow}', workflow), body);
  const text = await response.text();
  if (id === 'workflow' && response.ok) workflow = (JSON.parse(text) as { id: string }).id;
  print({ id, status: response.status, text: text.slice(0, 200) });
}
for (const name of PROMPTS) {
  const ended = Date.now() + 5000;
  while (Date.now() < ended) {
    const response = await core.request('image-workflows', 'GET', `/history/${promptId(name)}`);
    if (promptId(name) in ((await response.json()) as object)) break;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
await core.close();
process.exit(0);
