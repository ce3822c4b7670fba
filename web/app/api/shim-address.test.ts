import { expect, it } from 'vitest';
import { shimAddress } from './shim-address.ts';
import { snippets } from './snippets.ts';

const addressFor = (response: () => Response) =>
  shimAddress({ hostname: 'localhost', protocol: 'http:' }, async () => response());

it('finds the port on which the shim listens', async () => {
  const port = await addressFor(() => Response.json({ 'local-models': 11436, webhooks: 5678 }));
  expect(port).toBe('localhost:11436');
  const { curl, cli } = snippets('m', 'http://localhost:4180', port!);
  expect(curl).toContain('curl http://localhost:11436/api/chat');
  expect(cli).toContain('OLLAMA_HOST=localhost:11436 ');
});

it('returns undefined for other servers', async () => {
  expect(await addressFor(() => new Response('<!doctype html>'))).toBeUndefined();
  expect(await addressFor(() => new Response('', { status: 404 }))).toBeUndefined();
  expect(await addressFor(() => Response.json({}))).toBeUndefined();
  expect(await addressFor(() => Response.error())).toBeUndefined();
});
