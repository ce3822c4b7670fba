/** A server of ComfyUI's API over a host in memory, with nodes whose values tests can read. */

import { recordsSchema } from '#core/host';
import { Router } from '#core/http/routing/router.ts';
import type { CallContext, ServerSocket, WebSocketSession } from '#core/http/routing/server.ts';
import { imageWorkflowsApi } from '#core/image-workflows/api.ts';
import { int, lazy, link, optional } from '#core/image-workflows/nodes/kernel/inputs.ts';
import { type AnyNode, node, output } from '#core/image-workflows/nodes/kernel/node-type.ts';
import type { ImageServerOptions } from '#core/image-workflows/server/image-server.ts';
import { createTestHost, type TestHost } from '../host/test-host.ts';

const context: CallContext = {
  listener: 'image-workflows',
  loopback: true,
  clientAddress: '127.0.0.1',
  appOrigins: ['http://localhost:4180'],
};

export interface Client {
  /** Received messages in their order. Binary messages are bytes. */
  heard: (SocketMessage | Uint8Array)[];
  say(text: string): void;
  /** Resolves when the prompt has ended. */
  done(promptId: string): Promise<void>;
  close(): void;
}
export interface SocketMessage {
  type: string;
  // biome-ignore lint/suspicious/noExplicitAny: messages of every kind
  data: any;
}

export function imageServer(options: ImageServerOptions & { host?: TestHost } = {}) {
  const host = options.host ?? createTestHost({ schema: recordsSchema, clock: 'real' });
  const api = imageWorkflowsApi(host, options);
  const router = new Router(api);
  const ask = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const url = new URL(path, 'http://127.0.0.1:8188');
    const isRaw = typeof body === 'string' || body instanceof Uint8Array || body instanceof FormData;
    const init: RequestInit = { method, headers };
    if (body !== undefined) init.body = isRaw ? (body as BodyInit) : JSON.stringify(body);
    return router.fetch(new Request(url, init), url, context, () => new AbortController().signal);
  };
  const connect = async (clientId: string): Promise<Client> => {
    const url = new URL(`http://127.0.0.1:8188/ws?clientId=${clientId}`);
    const session = (await api.connect!(new Request(url), url, context)) as WebSocketSession;
    return client(session);
  };
  const submit = async (prompt: unknown, more: Record<string, unknown> = {}) => {
    const response = await ask('POST', '/prompt', { prompt, ...more });
    return { status: response.status, ...((await response.json()) as { prompt_id: string }) };
  };
  const history = async (id: string) => {
    const all = (await (await ask('GET', `/history/${id}`)).json()) as Record<string, Entry>;
    return all[id];
  };
  /** Submits a prompt and waits for its end. */
  const run = async (prompt: unknown, more: Record<string, unknown> = {}) => {
    const listener = await connect(`run-${crypto.randomUUID()}`);
    const { prompt_id, status } = await submit(prompt, { client_id: listenerId(listener), ...more });
    if (status !== 200) throw new Error(`the prompt was refused with ${status}`);
    await listener.done(prompt_id);
    listener.close();
    return { id: prompt_id, heard: listener.heard, entry: (await history(prompt_id))! };
  };
  return { host, api, ask, connect, submit, history, run, close: () => api.close!() };
}

export interface Entry {
  prompt: unknown[];
  outputs: Record<string, Record<string, unknown[]>>;
  status: { status_str: string; completed: boolean; messages: [string, Record<string, unknown>][] };
  meta: Record<string, unknown>;
}

function listenerId(listener: Client): string {
  return (listener.heard[0] as SocketMessage).data.sid;
}

function client(session: WebSocketSession): Client {
  const heard: Client['heard'] = [];
  let message: (data: string | Uint8Array) => void = () => {};
  let closed: (code: number, reason: string) => void = () => {};
  const waiters = new Map<string, () => void>();
  const socket: ServerSocket = {
    bufferedAmount: 0,
    send(data) {
      if (typeof data !== 'string') return void heard.push(data);
      const parsed = JSON.parse(data) as SocketMessage;
      heard.push(parsed);
      if (parsed.type === 'executing' && parsed.data.node === null) waiters.get(parsed.data.prompt_id)?.();
    },
    close: (code = 1000, reason = '') => closed(code, reason),
    onMessage: (listener) => {
      message = listener;
    },
    onClose: (listener) => {
      closed = listener;
    },
  };
  session.start(socket);
  return {
    heard,
    say: (text) => message(text),
    close: () => closed(1000, ''),
    done: (id) =>
      new Promise((resolve) => {
        const isOver = heard.some(
          (message) =>
            !(message instanceof Uint8Array) &&
            message.type === 'executing' &&
            message.data.node === null &&
            message.data.prompt_id === id,
        );
        if (isOver) resolve();
        else waiters.set(id, resolve);
      }),
  };
}

/** The ids of test nodes in the order in which they ran. */
export type Runs = string[];

/** Nodes that record their runs in `runs`. */
export function testNodes(runs: Runs): AnyNode[] {
  const shared = { category: 'test', module: 'test' } as const;
  return [
    node({
      ...shared,
      name: 'Number',
      inputs: { value: int({ default: 0, min: 0, max: 100 }) },
      outputs: [output('INT')],
      run: ({ value }, { nodeId }) => {
        runs.push(nodeId);
        return [value];
      },
    }),
    node({
      ...shared,
      name: 'Numbers',
      inputs: { count: int() },
      outputs: [output('INT', undefined, { list: true })],
      run: ({ count }) => [Array.from({ length: count }, (_, index) => index)],
    }),
    node({
      ...shared,
      name: 'Add',
      inputs: { a: int(), b: optional(int({ default: 1 })) },
      outputs: [output('INT')],
      run: ({ a, b = 1 }, { nodeId }) => {
        runs.push(nodeId);
        return [a + b];
      },
    }),
    node({
      ...shared,
      name: 'Choose',
      inputs: { second: int(), a: lazy(int()), b: lazy(int()) },
      outputs: [output('INT')],
      needs: ({ second }) => [second ? 'b' : 'a'],
      run: ({ second, a, b }, { nodeId }) => {
        runs.push(nodeId);
        return [second ? b : a];
      },
    }),
    node({
      ...shared,
      name: 'Show',
      isOutput: true,
      inputs: { value: link('INT') },
      outputs: [],
      run: ({ value }, { nodeId }) => {
        runs.push(nodeId);
        return { ui: { text: [String(value)] } };
      },
    }),
    node({
      ...shared,
      name: 'ShowAll',
      isOutput: true,
      inputsAreLists: true,
      inputs: { value: link('INT') },
      outputs: [],
      run: ({ value }) => ({ ui: { text: [JSON.stringify(value)] } }),
    }),
    node({
      ...shared,
      name: 'Fail',
      inputs: { value: int() },
      outputs: [output('INT')],
      run: ({ value }) => {
        throw new RangeError(`cannot do ${value}`);
      },
    }),
    node({
      ...shared,
      name: 'Steps',
      inputs: { steps: int() },
      outputs: [output('INT')],
      run: async ({ steps }, { progress, nodeId, wantsPreviews }) => {
        runs.push(nodeId);
        const preview = wantsPreviews
          ? { type: 'image/jpeg' as const, bytes: new Uint8Array([9]) }
          : undefined;
        for (let step = 1; step <= steps; step++) {
          await progress(step, steps, preview);
          await new Promise<void>((resolve) => setTimeout(resolve, 1));
        }
        return [steps];
      },
    }),
    node({
      ...shared,
      name: 'Fresh',
      inputs: {},
      outputs: [output('INT')],
      fingerprint: () => undefined,
      run: (_, { nodeId }) => {
        runs.push(nodeId);
        return [runs.length];
      },
    }),
  ];
}
