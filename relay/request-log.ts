import { lockName } from './lock-names.ts';

/** What is told of requests to whoever watches: on the BroadcastChannel `requestChannel(scope)`, types only and its name. */
export type RequestNote =
  | {
      note: 'begun';
      id: string;
      /** Milliseconds since 1970. */
      at: number;
      method: string;
      /** With its query. */
      path: string;
      /** Which table of routes: `origin`, or the port that a bridge took it at. */
      listener: string;
      contentType?: string;
    }
  /** The body, where it is text; cut at `MAX_LOGGED_BODY` characters. */
  | { note: 'body'; id: string; text: string; cut: boolean }
  | { note: 'answered'; id: string; status: number; ms: number }
  /** `error`: it broke off. `bytes` of the answer's body, `ms` since it began. */
  | { note: 'ended'; id: string; ms: number; bytes: number; tokens?: TokenCounts; error?: string };

/** As far as an answer told. */
export interface TokenCounts {
  prompt?: number;
  answer?: number;
}

/** From a page that shows requests; good for `WATCH` milliseconds. */
export interface WatchMessage {
  watch: true;
}

export const WATCH_DURATION = 15_000;
export const MAX_LOGGED_BODY = 16_384;

export const requestChannel = (scope: string): string => lockName(scope, 'requests');
