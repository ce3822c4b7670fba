/** Peers that are not what was said, and peers that end. Each is a real server on a port. */
import { spawnSync } from 'node:child_process';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { generate } from '../against/generate.ts';
import type { PeerKind } from '../arguments.ts';
import { loadHttp } from '../http-load.ts';
import { ImageClient } from '../image-client.ts';
import { identify } from './identify.ts';
import { ask, askJson, type Side } from './side.ts';

const servers: Server[] = [];

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const side = (origin: string, name = 'ollama', signal = new AbortController().signal): Side => ({
  name,
  origin,
  headers: {},
  signal,
});

/** A server with fixed JSON answers: of status 200, or of the number given. Other paths are not found. */
const fixed = (answers: Record<string, unknown>) =>
  serve((request, response) => {
    const answer = answers[request.url!];
    response.statusCode = answer === undefined ? 404 : typeof answer === 'number' ? answer : 200;
    response.end(JSON.stringify(answer ?? { message: 'not found' }));
  });

afterEach(() => {
  for (const server of servers.splice(0)) server.closeAllConnections();
});

describe('identifying a peer', () => {
  it('accepts what was said', async () => {
    const origin = await fixed({
      '/api/version': { version: '0.33.0' },
      '/api/tags': { models: [] },
      '/system_stats': { system: { comfyui_version: '0.5.1' } },
      '/healthz': { status: 'ok' },
      '/api/v1/workflows?limit=1': { data: [] },
    });
    expect(await identify('ollama', side(origin))).toBe('ollama 0.33.0');
    expect(await identify('comfyui', side(origin))).toBe('comfyui 0.5.1');
    expect(await identify('n8n', side(origin))).toBe('n8n');
  });
  it.each<[PeerKind, string]>([
    ['ollama', 'this is not an Ollama'],
    ['comfyui', 'this is not a ComfyUI'],
    ['n8n', 'this is not an n8n'],
  ])('refuses another server as %s', async (kind, message) => {
    const page = await serve((_request, response) => response.end('<html>'));
    await expect(identify(kind, side(page))).rejects.toThrow(message);
    const empty = await fixed({});
    await expect(identify(kind, side(empty))).rejects.toThrow(message);
    const odd = await fixed({ '/api/version': null, '/system_stats': [], '/healthz': 'ok' });
    await expect(identify(kind, side(odd))).rejects.toThrow(message);
  });
  it('says what no API of n8n can set up', async () => {
    const health = { '/healthz': { status: 'ok' } };
    const refusing = await fixed({ ...health, '/api/v1/workflows?limit=1': 401 });
    await expect(identify('n8n', side(refusing, 'n8n'))).rejects.toThrow(/Settings > n8n API.*--n8n-key/s);
    await expect(identify('n8n', side(await fixed(health), 'n8n'))).rejects.toThrow(
      'N8N_PUBLIC_API_DISABLED',
    );
  });
  it('names a port where nothing listens', async () => {
    const origin = await fixed({});
    await new Promise((resolve) => servers.pop()!.close(resolve));
    await expect(identify('ollama', side(origin))).rejects.toThrow(
      `ollama at ${origin}: GET /api/version: nothing listens there (ECONNREFUSED); start it`,
    );
  });
});

describe('a peer that ends', () => {
  it('is named when an answer breaks off', async () => {
    const origin = await serve((_request, response) => {
      response.write('{"response":"a"}\n', () => response.destroy());
    });
    await expect(generate(side(origin), 'm', 30, 1)).rejects.toThrow(
      `ollama at ${origin}: the answer to /api/generate broke off`,
    );
  });
  it('is named when its answer lacks the end, or is an error', async () => {
    const short = await serve((_request, response) => response.end('{"response":"a"}\n'));
    await expect(generate(side(short), 'm', 30, 1)).rejects.toThrow('ended without its last line');
    const failed = await serve((_request, response) => response.end('{"error":"out of memory"}\n'));
    await expect(generate(side(failed), 'm', 30, 1)).rejects.toThrow('answered: out of memory');
    const text = await serve((_request, response) => response.end('no JSON'));
    await expect(askJson(side(text), '/x')).rejects.toThrow('/x answered no JSON: no JSON');
  });
  it('does not hang when it is silent, nor after an interrupt', async () => {
    const origin = await serve(() => {});
    await expect(ask(side(origin), '/x', { limit: 50 })).rejects.toThrow('did not answer within 0.05 s');
    const interrupt = new AbortController();
    const answer = ask(side(origin, 'ollama', interrupt.signal), '/x');
    interrupt.abort(new Error('ended by SIGINT'));
    await expect(answer).rejects.toThrow('ended by SIGINT');
  });
  it('ends a load of requests', async () => {
    // It ends with its first request.
    const origin = await serve((request) => {
      servers[0]?.close();
      request.socket.destroy();
    });
    const load = loadHttp({ url: `${origin}/x`, connections: 2, how: { duration: 30 } });
    await expect(load).rejects.toThrow(/^\/x: [1-9]\d* requests got no answer .* 0 the right one$/);
  });
  it('is named when it has no WebSocket', async () => {
    const origin = await fixed({});
    await expect(ImageClient.connect(side(origin, 'comfyui'))).rejects.toThrow(`comfyui at ${origin}: /ws`);
  });
});

it('ends with exit code 1 and one line of text', async () => {
  const program = fileURLToPath(new URL('../run.ts', import.meta.url));
  // No other system is asked: the server is in this process, which waits.
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--import', 'tsx', program, '--against', 'comfyui=http://127.0.0.1:2'],
    { encoding: 'utf8' },
  );
  expect([status, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(/^against comfyui: comfyui at http:\/\/127\.0\.0\.1:2: .*ECONNREFUSED.*\n$/);
});
