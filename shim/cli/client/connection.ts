import { DEFAULT_PORTS } from '#core/http';
import { OLLAMA_DEFAULT_HOST, ollamaClientUrl, parseOllamaHost, textSetting } from '#core/settings';
import { asOperator, IMPORT_PATH, NODE_PATH } from '../../app-server/control.ts';
import { HomeInUse } from '../../home/home-lock.ts';
import { findRunning, type RunningServer } from '../../home/running-server.ts';
import { fetchWithoutTimeouts } from '../../network/network.ts';
import { importModelFile } from '../import-file.ts';
import { type NodeCore, type NodeCoreOptions, openNodeCore } from '../node-core.ts';
import type { Progress } from '../progress.ts';
import { failureOf, type Send } from './api-client.ts';
import { ndjsonValues } from './ndjson.ts';

/** A server that the command line talks to. */
export interface ServerAccess {
  send: Send;
  /** Installs a file without uploading it. Present if the server reads the same disk. */
  importFile?(path: string, name: string | undefined, signal: AbortSignal): AsyncIterable<Progress>;
  close(): Promise<void>;
}

/** No server answers. The message names the address and says how to start a server. */
export class ServerNotFound extends Error {
  override name = 'ServerNotFound';
}

export interface FindServerOptions extends NodeCoreOptions {
  /** Whether the user named a home. If so, only the server of that home is used. */
  isHomeNamed: boolean;
  /** Whether the command is useless without a running server. */
  needsServer?: boolean;
  /** Connects to the control API of workflows instead of the models API. `server`: another address. */
  workflows?: { server?: string; key?: string };
  /** Connects to the server of this home at the page's address, for the browsers that answer its ports. */
  bridge?: boolean;
  /** Shows a message to the user. */
  notice?(text: string): void;
}

/**
 * Finds the server: the one that OLLAMA_HOST names, the one that serves this home, or a tabd on the usual
 * port. Without a server, this process opens the home while the command runs.
 *
 * @throws ServerNotFound, HomeInUse
 */
export async function findServer(options: FindServerOptions): Promise<ServerAccess> {
  if (options.workflows) return connectWorkflows(options, options.workflows);
  if (options.bridge) return connectBridge(options.home);
  const named = textSetting({ setting: (name) => options.env[name] }, 'OLLAMA_HOST');
  if (named !== '') {
    const host = parseOllamaHost(named);
    if (host.warning) options.notice?.(host.warning);
    const key = textSetting({ setting: (name) => options.env[name] }, 'OLLAMA_API_KEY');
    return remoteConnection(ollamaClientUrl(host), key === '' ? {} : { authorization: `Bearer ${key}` });
  }
  const viaApi = async (server: RunningServer) => ({
    ...(await remoteConnection(...apiAddress(server))),
    importFile: importThrough(server),
  });
  const running = await findRunning(options.home);
  if (running) return viaApi(running);
  const usual = `http://${OLLAMA_DEFAULT_HOST}:${DEFAULT_PORTS['local-models']}`;
  if (!options.isHomeNamed && (await isTabd(usual))) return remoteConnection(usual);
  if (options.needsServer) throw new ServerNotFound(`no server is running. ${HOW_TO_START}`);
  return openHome(options, viaApi);
}

/** Opens the home in this process, or connects to the server that has locked it meanwhile. */
async function openHome(
  options: FindServerOptions,
  connectTo: (running: RunningServer) => Promise<ServerAccess>,
): Promise<ServerAccess> {
  try {
    const core = await openNodeCore(options);
    return { ...localConnection(core), close: () => core.close() };
  } catch (error) {
    const other = error instanceof HomeInUse ? await findRunning(options.home) : undefined;
    if (!other) throw error;
    return connectTo(other);
  }
}

/** Connects to the control API of a named server, with a key, or of this home. */
async function connectWorkflows(
  options: FindServerOptions,
  { server, key }: NonNullable<FindServerOptions['workflows']>,
): Promise<ServerAccess> {
  if (server !== undefined) {
    const address = /^https?:\/\//.test(server) ? server : `http://${server}`;
    return remoteConnection(address.replace(/\/+$/, ''), key === undefined ? {} : { 'x-n8n-api-key': key });
  }
  const viaAppServer = (running: RunningServer) =>
    remoteConnection(`${running.address}${NODE_PATH}`, { authorization: `Bearer ${running.token}` });
  const running = await findRunning(options.home);
  if (running) return viaAppServer(running);
  if (options.needsServer)
    throw new ServerNotFound(
      "no server is running, so no workflow would answer. Start one with 'tabd serve'",
    );
  return openHome(options, viaAppServer);
}

async function connectBridge(home: string): Promise<ServerAccess> {
  const running = await findRunning(home);
  if (!running) {
    throw new ServerNotFound("no server of this home is running. Start one with 'tabd serve --via-tab'");
  }
  return remoteConnection(running.address, { authorization: `Bearer ${running.token}` });
}

const HOW_TO_START = "Start one with 'tabd serve', or name another with OLLAMA_HOST=http://host:port";

/** Sends requests to a server of this process, as its owner. */
export function sendTo(server: NodeCore['server']): Send {
  return (path, init) => server.fetch(new Request(`http://localhost${path}`, init), asOperator(path));
}

/** A connection to the server of this process. */
export function localConnection(core: Pick<NodeCore, 'server' | 'registry'>): Omit<ServerAccess, 'close'> {
  return {
    send: sendTo(core.server),
    importFile: (path, name, signal) => importModelFile(core.registry, path, name, signal),
  };
}

/** The API port of a running server. If that port is closed, the command line's path on the app server. */
function apiAddress(running: RunningServer): [address: string, headers?: Record<string, string>] {
  const { api, address, token, apiKey } = running;
  if (api) return [api, apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }];
  return [`${address}${NODE_PATH}`, { authorization: `Bearer ${token}` }];
}

async function remoteConnection(
  address: string,
  headers: Record<string, string> = {},
): Promise<ServerAccess> {
  const fetch = await fetchWithoutTimeouts();
  return {
    async send(path, init) {
      try {
        return await fetch(address + path, { ...init, headers: { ...init.headers, ...headers } });
      } catch (error) {
        init.signal?.throwIfAborted();
        const cause = failureReason(error);
        throw new ServerNotFound(`no server answers at ${address} (${cause}). ${HOW_TO_START}`, {
          cause: error,
        });
      }
    },
    close: async () => {},
  };
}

/** Node's error is `fetch failed`; the reason is in its cause or the cause of that. */
function failureReason(error: unknown): string {
  const cause = (error as Error).cause as (Error & { code?: string; errors?: Error[] }) | undefined;
  const code = cause?.code ?? (cause?.errors?.[0] as NodeJS.ErrnoException | undefined)?.code;
  if (code === 'ECONNREFUSED') return 'connection refused';
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'unknown host';
  return cause?.message || code || (error as Error).message;
}

async function isTabd(address: string): Promise<boolean> {
  try {
    const response = await fetch(`${address}/`, { method: 'HEAD', signal: AbortSignal.timeout(1000) });
    return response.headers.has('x-tabd-version');
  } catch {
    return false;
  }
}

function importThrough({ address, token }: RunningServer): NonNullable<ServerAccess['importFile']> {
  return async function* (path, name, signal) {
    const response = await fetch(`${address}${IMPORT_PATH}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      body: JSON.stringify({ path, name }),
      signal,
    });
    if (!response.ok || !response.body) throw await failureOf(response);
    for await (const value of ndjsonValues(response.body)) {
      const progress = value as Progress & { error?: string };
      if (progress.error !== undefined) throw new Error(progress.error);
      yield progress;
    }
  };
}
