/** Ollama's Python client against the shim's real port, with real weights, where this machine has Python and pip. */
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { modelVariant } from '../support/local-models/model-variants.ts';
import { makeHome, removeHome } from '../support/processes/node-home.ts';
import { hasPython, python, pythonPackage } from '../support/processes/python-package.ts';
import { startShim } from '../support/processes/shim.ts';

const model = 'smollm2:135m';
const embedder = 'smollm2-embed:135m';
const script = fileURLToPath(new URL('./python_client.py', import.meta.url));

test.runIf(await hasPython())('ollama for Python lists, shows, chats, streams and embeds', async () => {
  const path = await pythonPackage('ollama==0.6.3');
  const home = await makeHome([
    { name: model, path: await modelVariant('smollm2') },
    { name: embedder, path: await modelVariant('smollm2-embed') },
  ]);
  const shim = await startShim(home);
  try {
    const host = `http://127.0.0.1:${shim.ports['local-models']}`;
    const seen = (await python(script, [host, model, embedder], path)) as { streamed: string[] };
    expect(seen).toMatchObject({
      models: [embedder, model].sort(),
      capabilities: expect.arrayContaining(['completion']),
      chat: expect.stringContaining('Paris'),
      structured: { city: 'Paris' },
      generated: expect.stringContaining('Paris'),
      lengths: [576, 576],
      running: expect.arrayContaining([embedder]),
      missing: [404, "model 'nope' not found"],
    });
    expect(seen.streamed.length).toBeGreaterThan(4);
    expect(seen.streamed.join('')).toContain('Paris');
  } finally {
    await shim.stop();
    await removeHome(home);
  }
});
