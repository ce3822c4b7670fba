import { Workbox } from 'workbox-window';
import type { ClientId, ToServiceWorker } from '#relay';

/** Milliseconds that control of the page is waited for; it comes within a fraction of a second, or never. */
const CONTROL_TIMEOUT = 5000;

/** This browser answers no plain `fetch` here; the message says why. */
export class ServiceWorkerUnavailable extends Error {
  override name = 'NoServiceWorker';
}

/** Registers tabd's service worker; `onWaiting` is told of a newer one that waits, with what lets it take over. */
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
 * The registration of an earlier visit, when its service worker is the one at `url`. Registering anew may wait for a
 * look for updates, and for as long nobody could reach this page.
 */
export async function existingRegistration(
  url: URL,
  scope: string,
): Promise<ServiceWorkerRegistration | undefined> {
  if (!('serviceWorker' in navigator)) return undefined;
  const found = await navigator.serviceWorker.getRegistration(scope);
  return found?.active?.scriptURL === url.href ? found : undefined;
}

/** Waits until the registration's service worker is active, and returns this page's client id there. */
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

/** Waits until the service worker answers this page's requests; asks it to, which a hard reload makes necessary. */
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
    const controlled = () => {
      clearTimeout(timer);
      resolve();
    };
    serviceWorker.addEventListener('controllerchange', controlled, { once: true });
    worker.postMessage({ tabd: 'claim' } satisfies ToServiceWorker);
    if (serviceWorker.controller) controlled();
  });
}

async function activeWorker(registration: ServiceWorkerRegistration): Promise<ServiceWorker> {
  if (registration.active) return registration.active;
  const coming = registration.waiting ?? registration.installing;
  if (!coming) throw new ServiceWorkerUnavailable('The service worker was unregistered.');
  await new Promise<void>((resolve, reject) => {
    const look = () => {
      if (coming.state === 'activated') resolve();
      else if (coming.state === 'redundant') {
        reject(new ServiceWorkerUnavailable('The service worker could not be installed.'));
      }
    };
    coming.addEventListener('statechange', look);
    look();
  });
  return registration.active ?? coming;
}
