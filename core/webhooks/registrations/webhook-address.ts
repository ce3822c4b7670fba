/** Addresses of Webhook nodes as the editor and the control API show them. */

export type AddressMode = 'production' | 'test';

export interface WebhookAddress {
  /** Name of the node. */
  node: string;
  methods: string[];
  /** The URL at the public address: `http://localhost:5678/webhook/orders/:id`. */
  url: string;
  /** The path of the URL: `/webhook/orders/:id`. */
  path: string;
}
