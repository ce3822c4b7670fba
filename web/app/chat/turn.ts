import type { ChatTurn } from '../api-client.ts';

/** A turn as it is shown; what the API gets of it is `ChatTurn`. */
export interface ShownTurn extends ChatTurn {
  state: 'running' | 'done' | 'stopped' | 'failed';
  /** What an empty running answer waits for. */
  waitingFor?: string;
  /** Tokens a second, device, why it ended. */
  note?: string;
  error?: string;
}

const KEY = 'tabd.conversation';

/** The open conversation survives a reload of its tab, no longer. */
export function restoreConversation(): ShownTurn[] {
  try {
    const turns = JSON.parse(sessionStorage.getItem(KEY) ?? '[]') as ShownTurn[];
    return turns.map((turn) => (turn.state === 'running' ? { ...turn, state: 'stopped' } : turn));
  } catch {
    return [];
  }
}

export function keepConversation(turns: ShownTurn[]): void {
  try {
    sessionStorage.setItem(KEY, JSON.stringify(turns));
  } catch {
    // a full session storage costs only the copy for a reload
  }
}
