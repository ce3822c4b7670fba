import { DEFAULT_PORTS } from '#core/http';
import { OLLAMA_DEFAULT_HOST, ollamaClientUrl, parseOllamaHost, textSetting } from '#core/settings';
import { asOperator, IMPORT_PATH, NODE_PATH } from '../../app-server/control.ts';
import { HomeInUse } from '../../home/home-lock.ts';
import { findRunning, type RunningServer } from '../../home/running-server.ts';
import { patientFetch } from '../../network/network.ts';
import { importFile } from '../import-file.ts';
import { type NodeCore, type NodeCoreOptions, openNodeCore } from '../node-core.ts';
import type { Progress } from '../progress.ts';
import { failureOf, type Send } from './api-client.ts';
import { ndjsonValues } from './ndjson.ts';

/** A server that the command line talks to. */
export interface Connection {
  send: Send;
  /** Installs a file of this computer without sending it; only where the server reads the same disk. */
  importFile?(path: string, name: string | undefined, signal: AbortSignal): AsyncIterable<Progress>;
  close(): Promise<void>;
}

/** No server answers; the message says where it was looked for and how to start one. */
export class NoServer extends Error {
  override name = 'NoServer';
}

export interface ConnectOptions extends NodeCoreOptions {
  /** The home was named, so that only its own server will do. */
  homeGiven: boolean;
  /** Without a running server the command would have nothing to say or to do. */
  needsServer?: boolean;
  /** Workflows are asked for, not models: where they are, if not with the server of this computer. */
  workflows?: { server?: string; key?: string };
  /** Something a person should know. */
  notice?(text: string): void;
}

/**
 * Finds the server: the one OLLAMA_HOST names, the one that serves this home, or a tabd on the usual port. Without any
 * the home is opened in this process, for as long as the command runs. Throws `NoServer`, `HomeInUse`.
 */
export async function connect(options: ConnectOptions): Promise<Connection> {
  if (options.workflows) return connectWorkflows(options, options.workflows);
  const named = textSetting({ setting: (name) => options.env[name] }, 'OLLAMA_HOST');
  if (named !== '') {
    const host = parseOllamaHost(named);
    if (host.warning) options.notice?.(host.warning);
    const key = textSetting({ setting: (name) => options.env[name] }, 'OLLAMA_API_KEY');
    return remote(ollamaClientUrl(host), key === '' ? {} : { authorization: `Bearer ${key}` });
  }
  const running = await findRunning(options.home);
  if (running) return { ...(await remote(...apiOf(running))), importFile: importThrough(running) };
  const usual = `http://${OLLAMA_DEFAULT_HOST}:${DEFAULT_PORTS['local-models']}`;
  if (!options.homeGiven && (await isTabd(usual))) return remote(usual);
  if (options.needsServer) throw new NoServer(`no server is running. ${HOW_TO_START}`);
  try {
    const core = await openNodeCore(options);
    return { ...local(core), close: () => core.close() };
  } catch (error) {
    // Another process has taken the home in the meantime: a server that starts, or another command.
    const other = error instanceof HomeInUse ? await findRunning(options.home) : undefined;
    if (!other) throw error;
    return { ...(await remote(...apiOf(other))), importFile: importThrough(other) };
  }
}

/** The control API of workflows: of a server that is named, with a key, or of this home. */
async function connectWorkflows(
  options: ConnectOptions,
  { server, key }: NonNullable<ConnectOptions['workflows']>,
): Promise<Connection> {
  if (server !== undefined) {
    const address = /^https?:\/\//.test(server) ? server : `http://${server}`;
    return remote(address.replace(/\/+$/, ''), key === undefined ? {} : { 'x-n8n-api-key': key });
  }
  const inside = (running: RunningServer) =>
    remote(`${running.address}${NODE_PATH}`, { authorization: `Bearer ${running.token}` });
  const running = await findRunning(options.home);
  if (running) return inside(running);
  if (options.needsServer) throw new NoServer("no server is running. Start one with 'tabd serve'");
  try {
    const core = await openNodeCore(options);
    return { ...local(core), close: () => core.close() };
  } catch (error) {
    const other = error instanceof HomeInUse ? await findRunning(options.home) : undefined;
    if (!other) throw error;
    return inside(other);
  }
}

const HOW_TO_START = "Start one with 'tabd serve', or name another with OLLAMA_HOST=http://host:port";

/** What a server of this process answers to its owner. */
export function sendTo(server: NodeCore['server']): Send {
  return (path, init) => server.fetch(new Request(`http://localhost${path}`, init), asOperator(path));
}

/** The server of this process. */
export function local(core: Pick<NodeCore, 'server' | 'registry'>): Omit<Connection, 'close'> {
  return {
    send: sendTo(core.server),
    importFile: (path, name, signal) => importFile(core.registry, path, name, signal),
  };
}

/** The port of a running server, or the way in beside it where that port is closed. */
function apiOf(running: RunningServer): [address: string, headers?: Record<string, string>] {
  const { api, address, token, apiKey } = running;
  if (api) return [api, apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }];
  return [`${address}${NODE_PATH}`, { authorization: `Bearer ${token}` }];
}

async function remote(address: string, headers: Record<string, string> = {}): Promise<Connection> {
  const fetch = await patientFetch();
  return {
    async send(path, init) {
      try {
        return await fetch(address + path, { ...init, headers: { ...init.headers, ...headers } });
      } catch (error) {
        init.signal?.throwIfAborted();
        const cause = reason(error);
        throw new NoServer(`no server answers at ${address} (${cause}). ${HOW_TO_START}`, { cause: error });
      }
    },
    close: async () => {},
  };
}

/** Node says `fetch failed` and keeps what happened one or two levels down. */
function reason(error: unknown): string {
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

function importThrough({ address, token }: RunningServer): NonNullable<Connection['importFile']> {
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
