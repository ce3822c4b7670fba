/** Who answers the ports of the computer that this page came from. */
export interface Answerer {
  by: 'node' | 'tab';
  /** A tab answers them now. */
  connected: boolean;
  /** Told to whoever has just switched: connects one browser, once. */
  link?: string;
  token?: string;
}

const PATH = '/tabd/answering';

/** undefined where this page comes from no tabd of this computer. */
export async function answererOfPorts(ask: typeof fetch = fetch): Promise<Answerer | undefined> {
  try {
    const response = await ask(PATH);
    if (!response.ok) return undefined;
    const told = (await response.json()) as Answerer;
    return told.by === 'node' || told.by === 'tab' ? told : undefined;
  } catch {
    return undefined;
  }
}

/** Throws what the server says where it refuses: from another computer only its own page may. */
export async function letAnswer(by: Answerer['by'], ask: typeof fetch = fetch): Promise<Answerer> {
  const response = await ask(PATH, { method: 'POST', body: JSON.stringify({ by }) });
  const told = (await response.json()) as Answerer & { error?: string };
  if (!response.ok) throw new Error(told.error ?? `status ${response.status}`);
  return told;
}
