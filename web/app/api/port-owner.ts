import { commonStrings } from '../strings/common.ts';

/** Which server answers the ports of the computer that serves this page. */
export interface PortOwner {
  by: 'node' | 'tab';
  /** Whether a tab is connected and answers them. */
  connected: boolean;
  /** A link that connects one browser, once. Only the response to a switch contains it. */
  link?: string;
  token?: string;
}

const PATH = '/tabd/answering';

/** Undefined when the tabd command does not serve this page. */
export async function readPortOwner(ask: typeof fetch = fetch): Promise<PortOwner | undefined> {
  try {
    const response = await ask(PATH);
    if (!response.ok) return undefined;
    const owner = (await response.json()) as PortOwner;
    return owner.by === 'node' || owner.by === 'tab' ? owner : undefined;
  } catch {
    return undefined;
  }
}

/** Rejects with the server's message. Only the page of the same computer may switch. */
export async function setPortOwner(by: PortOwner['by'], ask: typeof fetch = fetch): Promise<PortOwner> {
  const response = await ask(PATH, { method: 'POST', body: JSON.stringify({ by }) });
  const owner = (await response.json()) as PortOwner & { error?: string };
  if (!response.ok) throw new Error(owner.error ?? commonStrings.failures.status(PATH, response.status));
  return owner;
}
