/**
 * Writes the backup of a home that a released tabd filled: `npx tsx test/upgrade/make-home.ts VERSION CLI`, with the
 * path of that version's built `node-shim/dist/cli.js`. Each release adds its own, and no former one is written again.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { askAt, finishedPrompt } from '../support/image-workflows/finished-prompt.ts';
import { startHub } from '../support/local-models/hub.ts';
import { addEmojiModel, defaultGraph } from '../support/model-files/emoji-model.ts';
import { tinyGguf } from '../support/model-files/tiny-gguf.ts';
import { makeHome, removeHome } from '../support/processes/node-home.ts';
import { startShim } from '../support/processes/shim.ts';
import { workflowControl } from '../support/webhooks/workflow-control.ts';
import { countingWorkflow, IMAGE_NAME, KEY_LABEL, MODEL, PROMPT_TEXT, SETTING, TOKEN } from './contents.ts';

mkdirSync(new URL('homes', import.meta.url), { recursive: true });
const [version, cli] = process.argv.slice(2);
if (!version || !cli) {
  console.error('usage: npx tsx test/upgrade/make-home.ts VERSION CLI');
  process.exit(2);
}
const program = resolve(cli);
const hub = await startHub({ 'upgrade/tiny': { files: { 'tiny.Q4_1.gguf': tinyGguf() } } });
const home = await makeHome([]);
try {
  await addEmojiModel(home);
  const shim = await startShim(home, { program, env: { HF_ENDPOINT: hub.endpoint } });
  try {
    const [models, images, hooks] = (['local-models', 'image-workflows', 'webhooks'] as const).map(
      (api) => `http://127.0.0.1:${shim.ports[api]}`,
    );
    await answered(`${models}/api/pull`, JSON.stringify({ model: MODEL, stream: false }));
    await finishedPrompt(askAt(images!), defaultGraph({ steps: 2, prefix: 'kept', text: PROMPT_TEXT }));
    const form = new FormData();
    form.append('image', new Blob([readFileSync(join(home, 'files/output', IMAGE_NAME))]), 'uploaded.png');
    await answered(`${images}/upload/image`, form);
    await answered(`${images}/settings`, JSON.stringify(SETTING));

    const control = await workflowControl(home);
    const credential = await control.json('POST', '/credentials', {
      name: 'Token',
      type: 'httpHeaderAuth',
      data: { name: 'x-token', value: TOKEN },
    });
    await control.publish(countingWorkflow(credential.id));
    await control.json('POST', '/workflows', { ...countingWorkflow(credential.id), name: 'Draft' });
    // Two calls, so that the static data and executions are more than a start.
    for (let call = 0; call < 2; call++) await answered(`${hooks}/webhook/count`, '{}', { 'x-token': TOKEN });
    const { apiKey } = await control.json('POST', '/keys', { label: KEY_LABEL });
    writeFileSync(new URL(`homes/${version}.key`, import.meta.url), `${apiKey}\n`);
  } finally {
    await shim.stop();
  }
  const tar = join(home, '..', `upgrade-${version}.tar`);
  execFileSync(process.execPath, [program, 'backup', tar, '--home', home], { stdio: 'inherit' });
  const file = fileURLToPath(new URL(`homes/${version}.tar.gz`, import.meta.url));
  writeFileSync(file, gzipSync(readFileSync(tar), { level: 9 }));
  rmSync(tar);
  console.log(file);
} finally {
  await hub.close();
  await removeHome(home);
}

async function answered(
  address: string,
  body: BodyInit,
  headers: Record<string, string> = {},
): Promise<string> {
  const type: Record<string, string> = typeof body === 'string' ? { 'content-type': 'application/json' } : {};
  const response = await fetch(address, { method: 'POST', headers: { ...type, ...headers }, body });
  const text = await response.text();
  if (!response.ok) throw new Error(`${address}: ${response.status} ${text}`);
  return text;
}
