import { resolve } from 'node:path';
import { Ollama } from 'ollama';
import type { CallContext } from '../../../core/server-types.ts';
import { IMPORT_PATH, NODE_PATH } from '../app-server/control.ts';
import { HomeInUse } from '../host/home-lock.ts';
import { importFile } from './import-file.ts';
import { type NodeCore, type NodeCoreOptions, openNodeCore } from './node-core.ts';
import type { Progress } from './progress.ts';
import { findRunning, type RunningServer } from './running-server.ts';

/** The models of a home, whoever has it open. */
export interface ModelsAccess {
  client: Ollama;
  importFile(path: string, name: string | undefined, signal: AbortSignal): AsyncIterable<Progress>;
  close(): Promise<void>;
}

/** Opens the home, or talks to the process that serves it. Throws `HomeInUse` when that one cannot be reached. */
export async function openModels(options: NodeCoreOptions): Promise<ModelsAccess> {
  try {
    const core = await openNodeCore(options);
    return { ...accessTo(core), close: () => core.close() };
  } catch (error) {
    if (!(error instanceof HomeInUse)) throw error;
    const running = await findRunning(options.home);
    if (!running) throw error;
    return remoteAccess(running);
  }
}

/** The models of a server in this process. */
export function accessTo(core: Pick<NodeCore, 'server' | 'registry'>): Omit<ModelsAccess, 'close'> {
  const context: CallContext = {
    listener: 'local-models',
    loopback: true,
    clientAddress: '127.0.0.1',
    appOrigins: [],
  };
  return {
    client: new Ollama({
      host: 'http://localhost:80',
      fetch: (input, init) => core.server.fetch(new Request(input as string, init), context),
    }),
    importFile: (path, name, signal) => importFile(core.registry, path, name, signal),
  };
}

function remoteAccess({ address, token }: RunningServer): ModelsAccess {
  const headers = { authorization: `Bearer ${token}` };
  return {
    client: new Ollama({ host: `${address}${NODE_PATH}`, headers }),
    async *importFile(path, name, signal) {
      const response = await fetch(`${address}${IMPORT_PATH}`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ path: resolve(path), name }),
        signal,
      });
      if (!response.ok || !response.body) throw new Error(await response.text());
      yield* lines(response.body);
    },
    close: async () => {},
  };
}

async function* lines(body: ReadableStream<Uint8Array>): AsyncIterable<Progress> {
  let rest = '';
  const decoder = new TextDecoder();
  for await (const chunk of body) {
    const parts = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = parts.pop()!;
    for (const part of parts) {
      const progress = JSON.parse(part) as Progress & { error?: string };
      if (progress.error !== undefined) throw new Error(progress.error);
      yield progress;
    }
  }
}
