import { commonStrings } from '../strings/common.ts';

/** A browser that may answer the ports of the computer, as the tabd command lists it. */
export interface ConnectedBrowser {
  id: string;
  name: string;
  /** Whether its workflows, images and uploads are those of the ports. */
  home: boolean;
  state: 'connected' | 'silent' | 'away';
  /** Requests that it is answering now. */
  requests: number;
  device?: string;
  cores?: number;
  /** Bytes. */
  memory?: number;
  /** `level` is from 0 to 1. */
  battery?: { level: number; charging: boolean };
  /** Names of the installed models. */
  models?: string[];
  /** Names of the models in its memory. */
  loaded: string[];
}

/** A link that connects one browser. */
export interface BrowserLink {
  link: string;
  /** The same link at the addresses that other devices reach. */
  outside: string[];
}

const PATH = '/tabd/tabs';

/** Undefined when no tabd command serves this page, or not on this computer. */
export async function readBrowsers(ask: typeof fetch = fetch): Promise<ConnectedBrowser[] | undefined> {
  try {
    const response = await ask(PATH);
    if (!response.ok) return undefined;
    const { tabs } = (await response.json()) as { tabs?: ConnectedBrowser[] };
    return Array.isArray(tabs) ? tabs : undefined;
  } catch {
    return undefined;
  }
}

/** Rejects with the server's message, as the functions below do. */
export function createLink(ask: typeof fetch = fetch): Promise<BrowserLink> {
  return send('POST', 'link', undefined, ask) as Promise<BrowserLink>;
}

export async function changeBrowser(
  id: string,
  change: { name: string } | { home: true },
  ask: typeof fetch = fetch,
): Promise<void> {
  await send('POST', id, change, ask);
}

/** Disconnects a browser. It comes back with a new link only. */
export async function revokeBrowser(id: string, ask: typeof fetch = fetch): Promise<void> {
  await send('DELETE', id, undefined, ask);
}

async function send(method: string, rest: string, body: object | undefined, ask: typeof fetch) {
  const init = { method, ...(body && { body: JSON.stringify(body) }) };
  const response = await ask(`${PATH}/${encodeURIComponent(rest)}`, init);
  const answer = (await response.json()) as { error?: string };
  if (!response.ok) throw new Error(answer.error ?? commonStrings.failures.status(PATH, response.status));
  return answer as unknown;
}
