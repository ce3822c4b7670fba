import type { TabdState } from '#web/client';
import { appStrings } from './strings/app.ts';

/** The state of this browser's server, as the header shows it. */
export interface ServerStatus {
  label: string;
  state: 'starting' | 'ready' | 'failed';
  /** Shown in a bar below the header. */
  notice?: string;
  action?: { label: string; run(): void };
}

/** @param reload loads the page again, which activates a new version */
export function serverStatus(state: TabdState, reload: () => void): ServerStatus {
  const { server } = appStrings;
  if (state.phase === 'failed')
    return { label: server.failed, state: 'failed', notice: state.reason ?? server.failed };
  const label =
    state.phase === 'starting' ? server.starting : state.leading ? server.inThisTab : server.inOtherTab;
  const status: ServerStatus = { label, state: state.phase === 'ready' ? 'ready' : 'starting' };
  if (state.update === 'active')
    return { ...status, notice: server.updateReady, action: { label: server.update, run: reload } };
  if (state.update === 'waiting') return { ...status, notice: server.updateBusy };
  if (state.serviceWorker === 'unavailable') return { ...status, notice: server.noServiceWorker };
  return status;
}
