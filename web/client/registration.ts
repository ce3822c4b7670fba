import { Workbox } from 'workbox-window';
import type { ClientId, ToServiceWorker } from '#relay';

/** Milliseconds until `takeControl` fails. The browser usually needs a fraction of a second. */
const CONTROL_TIMEOUT = 5000;

/** There is no service worker for the page; the message says why. */
export class ServiceWorkerUnavailable extends Error {
  override name = 'NoServiceWorker';
}

/** Registers tabd's service worker. Calls `onWaiting` for a newer one that waits, with a function that activates it. */
export async function registerServiceWorker(
  url: URL,
  scope: string,
  onWaiting: (takeOver: () => void) => void,
): Promise<ServiceWorkerRegistration> {
  if (!('serviceWorker' in navigator)) {
    throw new ServiceWorkerUnavailable(
      'This browser offers no service worker here: the window is private, or the address is neither https nor localhost.',
    );
  }
  const workbox = new Workbox(url.href, { scope, updateViaCache: 'none' });
  workbox.addEventListener('waiting', () => onWaiting(() => workbox.messageSkipWaiting()));
  try {
    const registration = await workbox.register({ immediate: true });
    if (registration) return registration;
    throw new Error('no registration');
  } catch (cause) {
    throw new ServiceWorkerUnavailable(`The service worker at ${url} could not be registered: ${cause}`, {
      cause,
    });
  }
}

/**
 * The registration of an earlier visit, if its service worker is the one at `url`. A new registration may wait for the
 * browser's check for updates. Until then, other tabs could not reach this page.
 */
export async function existingRegistration(
  url: URL,
  scope: string,
): Promise<ServiceWorkerRegistration | undefined> {
  if (!('serviceWorker' in navigator)) return undefined;
  const found = await navigator.serviceWorker.getRegistration(scope);
  return found?.active?.scriptURL === url.href ? found : undefined;
}

/** Waits until the service worker is active. Resolves with this page's client id in it. */
export async function clientId(registration: ServiceWorkerRegistration): Promise<string> {
  const worker = await activeWorker(registration);
  const { port1, port2 } = new MessageChannel();
  return new Promise((resolve) => {
    port1.onmessage = ({ data }: MessageEvent<ClientId>) => {
      port1.close();
      resolve(data.id);
    };
    worker.postMessage({ tabd: 'who' } satisfies ToServiceWorker, [port2]);
  });
}

/** Asks the service worker to control this page, which is necessary after a hard reload, and waits until it does. */
export async function takeControl(registration: ServiceWorkerRegistration): Promise<void> {
  if (!location.href.startsWith(registration.scope)) {
    throw new ServiceWorkerUnavailable(
      `This page lies outside of the service worker's scope ${registration.scope}`,
    );
  }
  const worker = await activeWorker(registration);
  const { serviceWorker } = navigator;
  if (serviceWorker.controller) return;
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new ServiceWorkerUnavailable('The service worker did not take control of this page.')),
      CONTROL_TIMEOUT,
    );
    const onControl = () => {
      clearTimeout(timer);
      resolve();
    };
    serviceWorker.addEventListener('controllerchange', onControl, { once: true });
    worker.postMessage({ tabd: 'claim' } satisfies ToServiceWorker);
    if (serviceWorker.controller) onControl();
  });
}

async function activeWorker(registration: ServiceWorkerRegistration): Promise<ServiceWorker> {
  if (registration.active) return registration.active;
  const pending = registration.waiting ?? registration.installing;
  if (!pending) throw new ServiceWorkerUnavailable('The service worker was unregistered.');
  await new Promise<void>((resolve, reject) => {
    const check = () => {
      if (pending.state === 'activated') resolve();
      else if (pending.state === 'redundant') {
        reject(new ServiceWorkerUnavailable('The service worker could not be installed.'));
      }
    };
    pending.addEventListener('statechange', check);
    check();
  });
  return registration.active ?? pending;
}
