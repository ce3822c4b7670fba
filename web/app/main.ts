/** The page of tabd: starts the server of this browser, then shows itself. */

import { start, type Tabd } from '#web/client';
import { AppState } from './app-state.ts';
import { followBridgeLink, takeBridgeToken } from './bridge-link.ts';
import { storedSettings } from './settings/stored-settings.ts';
import { strings } from './strings.ts';
import type { Standing, TabdApp } from './tabd-app.ts';
import { errorText } from './ui/error-text.ts';
import './tabd-app.ts';

const element = document.createElement('tabd-app') as TabdApp;
const failed = (reason: string): Standing => ({
  label: strings.server.failed,
  state: 'failed',
  notice: reason,
});

const bridgeToken = takeBridgeToken();
const pageFolder = new URL('.', document.baseURI).href.replace(/\/$/, '');

let app: AppState | undefined;
start({
  reach: 'whole',
  // The computer that serves this page may have the models already; a small one lies beside the page.
  settings: { ...storedSettings(localStorage), TABD_WEIGHTS_FROM: pageFolder },
  onConsent: (request) => app?.ask(request.model, request.bytes, request.licence) ?? false,
})
  .then(async (tabd) => {
    app = new AppState(tabd);
    Object.assign(element, { app, standing: standing(tabd) });
    document.body.replaceChildren(element);
    new BroadcastChannel('tabd-wipe').onmessage = () => {
      void tabd.stop();
      document.body.textContent = strings.server.wiped;
    };
    tabd.addEventListener('change', () => {
      element.standing = standing(tabd);
      if (tabd.state.phase === 'ready') void app?.refresh();
    });
    void app.chats.start();
    await app.start();
    if (await followBridgeLink(tabd, bridgeToken)) {
      element.standing = { ...standing(tabd), notice: strings.server.bridged };
    }
  })
  .catch((error: unknown) => {
    document.body.textContent = errorText(error);
  });

function standing({ state }: Tabd): Standing {
  if (state.phase === 'failed') return failed(state.reason ?? strings.server.failed);
  const label =
    state.phase === 'starting'
      ? strings.server.starting
      : state.leading
        ? strings.server.leading
        : strings.server.following;
  const shown: Standing = { label, state: state.phase === 'ready' ? 'ready' : 'starting' };
  if (state.update === 'active')
    return {
      ...shown,
      notice: strings.server.updateReady,
      action: { label: strings.server.update, run: () => location.reload() },
    };
  if (state.update === 'waiting') return { ...shown, notice: strings.server.updateBusy };
  if (state.serviceWorker === 'unavailable') return { ...shown, notice: strings.server.noServiceWorker };
  return shown;
}
