import { lockName } from './lock-names.ts';

/** A message about a request, for pages that show the log. Sent on the BroadcastChannel `requestChannel(scope)`. */
export type RequestNote =
  | {
      note: 'begun';
      id: string;
      /** Milliseconds since 1970. */
      at: number;
      method: string;
      /** Path and query. */
      path: string;
      /** `origin` for a request of this origin; otherwise the API of the bridge's port at which the request arrived. */
      listener: string;
      contentType?: string;
    }
  /** A text body of a request. `cut`: only its first `MAX_LOGGED_BODY` characters. */
  | { note: 'body'; id: string; text: string; cut: boolean }
  /** The response's head. `ms`: milliseconds since the request began. */
  | { note: 'answered'; id: string; status: number; ms: number }
  /** The end of a response. `bytes`: length of its body. `error`: why it is incomplete. */
  | { note: 'ended'; id: string; ms: number; bytes: number; tokens?: TokenCounts; error?: string };

/** How many tokens a response reports. */
export interface TokenCounts {
  prompt?: number;
  answer?: number;
}

/** Sent by a page that shows the log. The server worker sends notes for the next `WATCH_DURATION` milliseconds. */
export interface WatchMessage {
  watch: true;
}

/** Milliseconds that one `WatchMessage` is valid for. */
export const WATCH_DURATION = 15_000;
/** Length in characters. */
export const MAX_LOGGED_BODY = 16_384;

/** The name of the BroadcastChannel for `RequestNote` and `WatchMessage`. */
export const requestChannel = (scope: string): string => lockName(scope, 'requests');
