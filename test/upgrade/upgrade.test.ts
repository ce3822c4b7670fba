/** Homes of every released version open in this one, with everything that they held. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeHome, removeHome } from '../support/processes/node-home.ts';
import { type RunningShim, startShim } from '../support/processes/shim.ts';
import { type WorkflowControl, workflowControl } from '../support/webhooks/workflow-control.ts';
import { IMAGE_NAME, KEY_LABEL, MODEL, PROMPT_TEXT, SETTING, TOKEN } from './contents.ts';

const cli = fileURLToPath(new URL('../../node-shim/dist/cli.js', import.meta.url));
const folder = fileURLToPath(new URL('homes', import.meta.url));
const versions = readdirSync(folder).flatMap((name) => /^(.+)\.tar\.gz$/.exec(name)?.[1] ?? []);

describe.each(versions)('a home of %s', (version) => {
  let home: string;
  let shim: RunningShim;
  let control: WorkflowControl;
  const address = (api: 'local-models' | 'image-workflows' | 'webhooks') =>
    `http://127.0.0.1:${shim.ports[api]}`;

  beforeAll(async () => {
    const backup = join(tmpdir(), `upgrade-${process.pid}.tar`);
    home = await makeHome([]);
    writeFileSync(backup, gunzipSync(readFileSync(join(folder, `${version}.tar.gz`))));
    execFileSync(process.execPath, [cli, 'restore', backup, '--home', home]);
    rmSync(backup);
    shim = await startShim(home);
    control = await workflowControl(home);
  });
  afterAll(async () => {
    await shim?.stop();
    if (home) await removeHome(home);
  });

  test('lists its model, with its digest', async () => {
    const { models } = (await (await fetch(`${address('local-models')}/api/tags`)).json()) as {
      models: { name: string; digest: string }[];
    };
    expect(models).toEqual([
      expect.objectContaining({ name: MODEL, digest: expect.stringMatching(/^[0-9a-f]{64}$/) }),
    ]);
  });

  test('has its history, images and settings', async () => {
    const history = (await (await fetch(`${address('image-workflows')}/history`)).json()) as Record<
      string,
      unknown
    >;
    expect(Object.keys(history)).toHaveLength(1);
    expect(JSON.stringify(history)).toContain(PROMPT_TEXT);
    const [output, input] = await Promise.all(
      [`filename=${IMAGE_NAME}&type=output`, 'filename=uploaded.png&type=input'].map(async (query) => {
        const response = await fetch(`${address('image-workflows')}/view?${query}`);
        return [response.status, Buffer.from(await response.arrayBuffer()).toString('base64')];
      }),
    );
    expect(output).toEqual([200, expect.stringMatching(/^iVBORw0KGgo/)]);
    expect(input).toEqual(output);
    const settings = await (await fetch(`${address('image-workflows')}/settings`)).json();
    expect(settings).toMatchObject(SETTING);
  });

  test('runs its published workflow with its credential and static data', async () => {
    const call = (token: string) =>
      fetch(`${address('webhooks')}/webhook/count`, { method: 'POST', headers: { 'x-token': token } });
    expect((await call('wrong')).status).toBe(403);
    const answer = await call(TOKEN);
    expect([answer.status, await answer.json()]).toEqual([200, { calls: 3 }]);
  });

  test('has its draft, its executions and its API key', async () => {
    const { data } = await control.json('GET', '/workflows');
    const states = (data as { name: string; active: boolean }[]).map(({ name, active }) => [name, active]);
    expect(states.sort()).toEqual([
      ['Counting', true],
      ['Draft', false],
    ]);
    const executions = await control.json('GET', '/executions?includeData=true');
    const first = executions.data.at(-1);
    expect(first).toMatchObject({ status: 'success', finished: true });
    expect(JSON.stringify(first.data.resultData.runData.Count)).toContain('"calls":1');
    const keys = await control.json('GET', '/keys');
    expect(JSON.stringify(keys)).toContain(KEY_LABEL);
    const key = readFileSync(join(folder, `${version}.key`), 'utf8').trim();
    const listing = (value: string) =>
      fetch(`${address('webhooks')}/api/v1/workflows`, { headers: { 'x-n8n-api-key': value } });
    expect((await listing(key)).status).toBe(200);
    expect((await listing(`${key}x`)).status).toBe(401);
  });
});
