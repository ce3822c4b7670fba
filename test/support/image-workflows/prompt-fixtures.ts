/** Prompts and the parts that run them, for tests of the execution without HTTP. */
import { recordsSchema } from '#core/host';
import type { ServerSocket } from '#core/http/routing/server.ts';
import type { Prompt } from '#core/image-workflows/execution/prompt.ts';
import { ResultCache } from '#core/image-workflows/execution/result-cache.ts';
import type { RunServices } from '#core/image-workflows/execution/run-services.ts';
import { StoredFiles } from '#core/image-workflows/files/stored-files.ts';
import { type PromptGraph, readGraph } from '#core/image-workflows/graph/graph.ts';
import type { AnyNode } from '#core/image-workflows/nodes/kernel/node-type.ts';
import { parsePythonJson } from '#core/image-workflows/python/python-value.ts';
import type { SocketHub } from '#core/image-workflows/sockets/socket-hub.ts';
import { createTestHost, type TestHost } from '../host/test-host.ts';

/** The nodes of a prompt as clients send them. */
export type GraphJson = Record<string, { class_type: string; inputs?: Record<string, unknown> }>;

export const graphOf = (json: GraphJson): PromptGraph => readGraph(parsePythonJson(JSON.stringify(json)));

export function promptOf(json: GraphJson, more: Partial<Prompt> = {}): Prompt {
  return {
    id: 'p',
    number: 0,
    numberJson: '0',
    graph: graphOf(json),
    graphJson: JSON.stringify(json),
    extraData: new Map(),
    clientId: 'me',
    outputs: Object.keys(json),
    createdAt: 1000,
    sequence: 1,
    attempts: 0,
    ...more,
  };
}

export function runServices(
  nodes: readonly AnyNode[],
  more: Partial<Omit<RunServices, 'host'>> & { host?: TestHost } = {},
): RunServices & { host: TestHost } {
  const host = more.host ?? createTestHost({ schema: recordsSchema });
  return {
    types: new Map(nodes.map((type) => [type.name, type])),
    files: new StoredFiles(host),
    cache: new ResultCache(),
    wantsPreviews: false,
    writesMetadata: true,
    languageModels: undefined,
    ...more,
    host,
  };
}

export interface SentMessage {
  type: string;
  // biome-ignore lint/suspicious/noExplicitAny: messages of every kind
  data: any;
}

/** A socket of a client that collects the messages it receives. Binary messages are bytes. */
export function listenToMessages(hub: SocketHub, clientId: string, features: Record<string, unknown> = {}) {
  const messages: SentMessage[] = [];
  const binary: Uint8Array[] = [];
  let onMessage: (data: string | Uint8Array) => void = () => {};
  const socket: ServerSocket = {
    bufferedAmount: 0,
    send: (data) => {
      if (typeof data === 'string') messages.push(JSON.parse(data) as SentMessage);
      else binary.push(data);
    },
    close() {},
    onMessage: (listener) => {
      onMessage = listener;
    },
    onClose() {},
  };
  hub.session(clientId).start(socket);
  onMessage(JSON.stringify({ type: 'feature_flags', data: features }));
  messages.length = 0;
  return { messages, binary, socket, types: () => messages.map(({ type }) => type) };
}
