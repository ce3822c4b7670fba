/** The entry of the page: starts the server of this browser and shows the app. */

import { start, type Tabd } from '#web/client';
import { AppState } from './app-state.ts';
import { connectByLink, takeBridgeToken } from './bridge-link.ts';
import { readStoredSettings } from './settings/stored-settings.ts';
import { appStrings } from './strings/app.ts';
import type { ServerStatus, TabdApp } from './tabd-app.ts';
import { errorText } from './ui/error-text.ts';
import './tabd-app.ts';

const element = document.createElement('tabd-app') as TabdApp;
const failed = (reason: string): ServerStatus => ({
  label: appStrings.server.failed,
  state: 'failed',
  notice: reason,
});

const bridgeToken = takeBridgeToken();
const pageFolder = new URL('.', document.baseURI).href.replace(/\/$/, '');

let app: AppState | undefined;
start({
  reach: 'whole',
  // The server of this page may have model files: all models of a computer, or the bundled small one.
  settings: { ...readStoredSettings(localStorage), TABD_WEIGHTS_FROM: pageFolder },
  onConsent: (request) => app?.askConsent(request.model, request.bytes, request.licence) ?? false,
})
  .then(async (tabd) => {
    app = new AppState(tabd);
    Object.assign(element, { app, status: status(tabd) });
    document.body.replaceChildren(element);
    new BroadcastChannel('tabd-wipe').onmessage = () => {
      void tabd.stop();
      document.body.textContent = appStrings.server.deleted;
    };
    tabd.addEventListener('change', () => {
      element.status = status(tabd);
      if (tabd.state.phase === 'ready') void app?.refresh();
    });
    void app.chats.start();
    await app.start();
    if (await connectByLink(tabd, bridgeToken)) {
      element.status = { ...status(tabd), notice: appStrings.server.answersPorts };
    }
  })
  .catch((error: unknown) => {
    document.body.textContent = errorText(error);
  });

function status({ state }: Tabd): ServerStatus {
  if (state.phase === 'failed') return failed(state.reason ?? appStrings.server.failed);
  const label =
    state.phase === 'starting'
      ? appStrings.server.starting
      : state.leading
        ? appStrings.server.inThisTab
        : appStrings.server.inOtherTab;
  const shown: ServerStatus = { label, state: state.phase === 'ready' ? 'ready' : 'starting' };
  if (state.update === 'active')
    return {
      ...shown,
      notice: appStrings.server.updateReady,
      action: { label: appStrings.server.update, run: () => location.reload() },
    };
  if (state.update === 'waiting') return { ...shown, notice: appStrings.server.updateBusy };
  if (state.serviceWorker === 'unavailable') return { ...shown, notice: appStrings.server.noServiceWorker };
  return shown;
}
