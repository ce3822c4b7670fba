/** Calls the core directly, with the scripted engine and a host in memory. */

import type { CallContext, Listener, Server } from '#core/http/routing/server.ts';
import { createCore } from '#core/server/create-core.ts';
import { createTestHost, type TestHost } from '../../support/host/test-host.ts';
import { ScriptedEngine } from '../../support/local-models/scripted-engine.ts';
import { SPEAKING_MODEL, speakingHost } from '../../support/local-models/speaking/speaking-host.ts';
import { HEARING_MODEL, hearingHost } from '../../support/local-models/whisper/hearing-host.ts';
import { tinyGguf } from '../../support/model-files/tiny-gguf.ts';
import {
  type Answer,
  type Call,
  joinHeaders,
  type RealSystem,
  type State,
  type Transport,
} from '../exchange.ts';
import { type MessageSocket, ReceivedMessages } from '../socket.ts';

export const LISTENERS: Record<RealSystem, { listener: Listener; port: number }> = {
  ollama: { listener: 'local-models', port: 11434 },
  comfyui: { listener: 'image-workflows', port: 8188 },
  n8n: { listener: 'webhooks', port: 5678 },
};

export function contextFor(api: RealSystem): CallContext {
  return {
    listener: LISTENERS[api].listener,
    loopback: true,
    clientAddress: '127.0.0.1',
    appOrigins: ['http://localhost:4180'],
  };
}

export function toRequest(api: RealSystem, call: Call, init: RequestInit = {}): Request {
  const host = call.headers?.host ?? `127.0.0.1:${LISTENERS[api].port}`;
  const headers = new Headers({ host, accept: '*/*', ...call.headers });
  return new Request(`http://127.0.0.1:${LISTENERS[api].port}${call.path}`, {
    method: call.method,
    headers,
    ...(call.body !== undefined && { body: call.body as BodyInit }),
    ...(call.signal && { signal: call.signal }),
    ...init,
  });
}

/** The body with the chunks in which it arrived. */
export async function readAnswer(response: Response): Promise<Answer> {
  const pieces: Uint8Array[] = [];
  if (response.body) for await (const piece of response.body) pieces.push(piece);
  const streamed = /ndjson|event-stream/.test(response.headers.get('content-type') ?? '');
  return {
    status: response.status,
    headers: joinHeaders(response.headers),
    body: Buffer.concat(pieces).toString('utf8'),
    ...(streamed && { chunks: pieces.map((piece) => Buffer.from(piece).toString('utf8')) }),
  };
}

export async function connectIn(server: Server, api: RealSystem, path: string): Promise<MessageSocket> {
  const headers = { upgrade: 'websocket', connection: 'Upgrade' };
  const session = await server.connect(toRequest(api, { method: 'GET', path, headers }), contextFor(api));
  if (session instanceof Response) throw new Error(`the socket was refused: ${session.status}`);
  const messages = new ReceivedMessages();
  let notify: (text: string) => void = () => {};
  let reportClose: (code: number, reason: string) => void = () => {};
  session.start({
    bufferedAmount: 0,
    send: (data) => messages.take(data),
    close: (code = 1000, reason = '') => reportClose(code, reason),
    onMessage: (listener) => {
      notify = listener;
    },
    onClose: (listener) => {
      reportClose = listener;
    },
  });
  return {
    received: messages.received,
    send: (text) => notify(text),
    close: () => reportClose(1000, ''),
    until: (enough, milliseconds) => messages.until(enough, milliseconds),
  };
}

/** A call in a tab has to have a key. On other transports the caller is known. */
export function toControlCall(method: string, path: string, json: unknown): Call {
  return {
    method,
    path: `/api/v1${path}`,
    headers: { 'x-n8n-api-key': 'mine', ...(json !== undefined && { 'content-type': 'application/json' }) },
    ...(json !== undefined && { body: JSON.stringify(json) }),
  };
}

export function managed({ status, body }: Answer): Record<string, unknown> {
  if (status !== 200) throw new Error(`the control API answered ${status}: ${body}`);
  return JSON.parse(body) as Record<string, unknown>;
}

export function processTransport(): Transport {
  const servers = new Map<State, Promise<Server>>();
  const open = (state: State) => {
    let server = servers.get(state);
    if (!server) {
      server = start(state);
      servers.set(state, server);
    }
    return server;
  };
  return {
    name: 'process',
    realModel: false,
    async send(api, state, call) {
      const server = await open(state);
      return readAnswer(await server.fetch(toRequest(api, call), contextFor(api)));
    },
    async connect(api, state, path) {
      return connectIn(await open(state), api, path);
    },
    async manage(state, method, path, json) {
      const call = toControlCall(method, path, json);
      const context: CallContext = { ...contextFor('n8n'), caller: 'operator' };
      return managed(await readAnswer(await (await open(state)).fetch(toRequest('n8n', call), context)));
    },
    async close() {
      for (const server of servers.values()) await (await server).close();
    },
  };
}

const POOLS = { metadata: { 'llama.pooling_type': { type: 'uint32' as const, value: 1 } } };

async function start(state: State): Promise<Server> {
  if (state === 'hears') return startWith(hearingHost({ settings: { OLLAMA_NO_CLOUD: '1' } }), HEARING_MODEL);
  if (state === 'speaks')
    return startWith(speakingHost({ settings: { OLLAMA_NO_CLOUD: '1' } }), SPEAKING_MODEL);
  const files: Record<string, Uint8Array<ArrayBuffer>> = state === 'embeds'
    ? { 'smollm2-embed:135m': tinyGguf(POOLS) }
    : { 'smollm2:135m': tinyGguf() };
  const host = createTestHost({
    clock: 'real',
    engines: [new ScriptedEngine({ script })],
    settings: { OLLAMA_NO_CLOUD: '1' },
    sources: [
      {
        name: 'shim',
        async locate(uri) {
          const weights = Object.entries(files).find(([name]) => uri.endsWith(name))?.[1];
          if (!weights) return undefined;
          return [
            {
              role: 'weights',
              name: 'tiny.gguf',
              size: weights.length,
              open: async (offset) => new Blob([weights.subarray(offset)]).stream(),
            },
          ];
        },
      },
    ],
  });
  const server = createCore(host).server;
  for (const model of state === 'ready' || state === 'embeds' ? Object.keys(files) : [])
    await pull(server, model);
  return server;
}

async function startWith(host: TestHost, model: string): Promise<Server> {
  const { server } = createCore(host);
  await pull(server, model);
  return server;
}

async function pull(server: Server, model: string): Promise<void> {
  const request = toRequest('ollama', {
    method: 'POST',
    path: '/api/pull',
    body: JSON.stringify({ model, stream: false }),
  });
  const text = await (await server.fetch(request, contextFor('ollama'))).text();
  if (text !== '{"status":"success"}') throw new Error(`the model ${model} could not be pulled: ${text}`);
}

function script(prompt: string): string {
  return prompt.includes('capital') ? 'The capital of France is Paris.' : 'That I cannot say.';
}
