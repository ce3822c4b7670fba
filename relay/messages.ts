/** Messages between pages, service worker and server worker, besides frames: types only. */

import type { ServerIdentity } from './lock-names.ts';
import type { SettingValues } from './settings.ts';

/** The content of a port to the server worker: frames, or calls of `ServerControl` through comlink. */
export type PortKind = 'frames' | 'control';

/** A message from a page to the service worker. The port of a message is `event.ports[0]`. */
export type ToServiceWorker =
  /** Asks for the page's client id. Answered on the port by `ClientId`. */
  | { tabd: 'who' }
  /** Makes the service worker control this page again (after a hard reload). */
  | { tabd: 'claim' }
  /** Passes the port to the server worker. */
  | { tabd: 'attach'; kind: PortKind }
  /** Caches the app's remaining files for work without a network. */
  | { tabd: 'complete' }
  /** The message of workbox-window: a waiting service worker becomes active. */
  | { type: 'SKIP_WAITING' };

/** The answer of the service worker that carries the page's `Client.id`. */
export interface ClientId {
  id: string;
}

/** A message from the service worker to the page that owns a server worker: passes a port for that worker. */
export interface AttachMessage {
  tabd: 'attach';
  page: string;
  kind: PortKind;
}

/** A message from a page to its server worker. */
export type ToServerWorker =
  | { type: 'start'; scope: string; name: ServerIdentity; settings: SettingValues }
  | { type: 'attach'; kind: PortKind };

/** A message from a server worker to its page. */
export type FromServerWorker =
  /** The worker holds its lock. Its core may still be opening. */
  { type: 'alive' } | { type: 'ready' } | { type: 'failed'; message: string };

/** A message on the BroadcastChannel `coordinationChannel(scope)`. */
export type CoordinationMessage =
  /** The server of `epoch` accepted no request in time. Every page that could lead checks that server. */
  | { call: 'unresponsive'; epoch: number }
  /** Asks whether the server responds. Its worker answers with `pong`, because its page may be frozen. */
  | { call: 'ping'; epoch: number }
  | { call: 'pong'; epoch: number }
  /** A tab with a newer build waits to become leader. */
  | { call: 'newer' }
  /** A server answers from now on. */
  | { call: 'serving'; epoch: number }
  /** Asks the server worker to listen on a BroadcastChannel: without a service worker no port reaches another tab. */
  | { call: 'meet'; epoch: number; channel: string }
  /** The response to `meet`: the server worker listens. */
  | { call: 'met'; channel: string };
