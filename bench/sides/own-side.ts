/** The tabd that is measured: the built program with an empty home, on free ports. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type HomeModel, makeHome, removeHome } from '#test/support/processes/node-home.ts';
import { type ShimPorts, startShim } from '#test/support/processes/shim.ts';
import type { Side } from './side.ts';

export interface OwnSide extends Side {
  stop(): Promise<void>;
}

export async function startOwnSide(
  api: Exclude<keyof ShimPorts, 'app'>,
  signal: AbortSignal,
  options: { models?: HomeModel[]; env?: Record<string, string> } = {},
): Promise<OwnSide> {
  const home = await makeHome(options.models ?? []);
  const shim = await startShim(home, options.env ? { env: options.env } : {}).catch(async (error) => {
    await removeHome(home);
    throw error;
  });
  return {
    name: 'tabd',
    origin: `http://127.0.0.1:${shim.ports[api]}`,
    headers: api === 'webhooks' ? { 'x-n8n-api-key': await createKey(home) } : {},
    signal,
    async stop() {
      await shim.stop();
      await removeHome(home);
    },
  };
}

/** A key of the workflow API, created as the command line does. */
async function createKey(home: string): Promise<string> {
  const { address, token } = JSON.parse(await readFile(join(home, 'running.json'), 'utf8')) as {
    address: string;
    token: string;
  };
  const response = await fetch(`${address}/tabd/node/api/v1/keys`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: '{"label":"bench"}',
  });
  if (!response.ok) throw new Error(`tabd created no key: ${response.status} ${await response.text()}`);
  return ((await response.json()) as { apiKey: string }).apiKey;
}
