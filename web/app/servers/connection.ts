import type { Fetch } from '../api-client.ts';

/** How the clients of the app reach a server: the paths of the three APIs, and the WebSocket `/ws`. */
export interface BackendConnection {
  fetch: Fetch;
  connect(url: string): WebSocket;
}

/** `tab`: the server of this browser. `computer`: the ports of the computer that serves this page. */
export type ServerName = 'tab' | 'computer';
