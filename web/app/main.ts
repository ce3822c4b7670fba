/** The entry of the page: starts the server of this browser and shows the app. */

import { errorMessage } from '#core/base';
import { start, type Tabd } from '#web/client';
import { AppState } from './app-state.ts';
import { connectByLink, takeBridgeToken } from './bridge-link.ts';
import { serverStatus } from './server-status.ts';
import { webhookAddress } from './servers/webhook-address.ts';
import { readStoredSettings } from './settings/stored-settings.ts';
import { appStrings } from './strings/app.ts';
import { language } from './strings/language.ts';
import type { TabdApp } from './tabd-app.ts';
import './tabd-app.ts';
import { useBundledFont } from './ui/bundled-font.ts';
import { applyColorScheme, readColorScheme } from './ui/color-scheme.ts';

document.documentElement.lang = language;
applyColorScheme(readColorScheme());
// A page of its own, which needs no server. The built app has neither.
if (import.meta.env.DEV && location.hash === '#/components') location.replace('components.html');

const element = document.createElement('tabd-app') as TabdApp;
const showStatus = ({ state }: Tabd) => {
  element.status = serverStatus(state, () => location.reload());
};
const bridgeToken = takeBridgeToken();
const pageFolder = new URL('.', document.baseURI).href.replace(/\/$/, '');

let app: AppState | undefined;
const font = useBundledFont();
const webhooks = await webhookAddress();
start({
  reach: 'whole',
  settings: {
    ...(webhooks && { WEBHOOK_URL: webhooks }),
    ...readStoredSettings(localStorage),
    // The server of this page may have model files: all models of a computer, or the bundled small one.
    TABD_WEIGHTS_FROM: pageFolder,
  },
  onConsent: (request) => app?.askConsent(request.model, request.bytes, request.licence) ?? false,
})
  .then(async (tabd) => {
    app = new AppState(tabd);
    element.app = app;
    showStatus(tabd);
    await font;
    document.body.replaceChildren(element);
    new BroadcastChannel('tabd-wipe').onmessage = () => {
      void tabd.stop();
      document.body.textContent = appStrings.server.deleted;
    };
    tabd.addEventListener('change', () => {
      showStatus(tabd);
      if (tabd.state.phase === 'ready') void app?.refresh();
    });
    void app.chats.start();
    await app.start();
    if (await connectByLink(tabd, bridgeToken))
      element.status = { ...element.status, notice: appStrings.server.answersPorts };
  })
  .catch((error: unknown) => {
    document.body.textContent = errorMessage(error);
  });
