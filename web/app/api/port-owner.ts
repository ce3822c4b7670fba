/** Who answers the ports of the computer that this page came from. */
export interface PortOwner {
  by: 'node' | 'tab';
  /** A tab answers them now. */
  connected: boolean;
  /** Told to whoever has just switched: connects one browser, once. */
  link?: string;
  token?: string;
}

const PATH = '/tabd/answering';

/** undefined where this page comes from no tabd of this computer. */
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

/** Throws what the server says where it refuses: from another computer only its own page may. */
export async function setPortOwner(by: PortOwner['by'], ask: typeof fetch = fetch): Promise<PortOwner> {
  const response = await ask(PATH, { method: 'POST', body: JSON.stringify({ by }) });
  const owner = (await response.json()) as PortOwner & { error?: string };
  if (!response.ok) throw new Error(owner.error ?? `status ${response.status}`);
  return owner;
}
