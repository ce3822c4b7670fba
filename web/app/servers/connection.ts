import type { Fetch } from '../api-client.ts';

/** A server as the clients of the app ask it: paths of the three APIs, and `/ws`. */
export interface Connection {
  fetch: Fetch;
  connect(url: string): WebSocket;
}

/** `tab`: the server of this browser. `computer`: the ports of the computer that serves this page. */
export type ServerName = 'tab' | 'computer';
