/** What pages, service worker and server worker say to each other besides frames: types only. */

import type { ServerIdentity } from './lock-names.ts';
import type { SettingValues } from './settings.ts';

/** What a port that is handed over is for: frames, or control calls (comlink). */
export type PortKind = 'frames' | 'control';

/** Page to service worker; what it carries comes as `event.ports[0]`. */
export type ToServiceWorker =
  /** Answered on the port with `ClientId`. */
  | { tabd: 'who' }
  /** Take control of this page again (after a hard reload). */
  | { tabd: 'claim' }
  /** Hand the port on to the server worker. */
  | { tabd: 'attach'; kind: PortKind }
  /** Keep the rest of the app's files too, for work without a network. */
  | { tabd: 'complete' }
  /** As workbox-window says it. */
  | { type: 'SKIP_WAITING' };

export interface ClientId {
  id: string;
}

/** Service worker to the page that owns a server worker: hand the port on to it. */
export interface AttachMessage {
  tabd: 'attach';
  page: string;
  kind: PortKind;
}

/** Page to its server worker. */
export type ToServerWorker =
  | { type: 'start'; scope: string; name: ServerIdentity; settings: SettingValues }
  | { type: 'attach'; kind: PortKind };

/** Server worker to its page. */
export type FromServerWorker =
  /** It holds its lock; its core may still be opening. */
  { type: 'alive' } | { type: 'ready' } | { type: 'failed'; message: string };

/** On the BroadcastChannel `coordinationChannel(scope)`. */
export type CoordinationMessage =
  /** This server took no request in time: whoever can, look after it. */
  | { call: 'unresponsive'; epoch: number }
  /** Answered by the server worker itself, not by its page. */
  | { call: 'ping'; epoch: number }
  | { call: 'pong'; epoch: number }
  /** A newer build waits to lead. */
  | { call: 'newer' }
  /** A server has begun to answer. */
  | { call: 'serving'; epoch: number }
  /** Without a service worker no port can be handed to another tab: talk on a BroadcastChannel of this name. */
  | { call: 'meet'; epoch: number; channel: string }
  /** The answer: the server worker listens there. */
  | { call: 'met'; channel: string };
