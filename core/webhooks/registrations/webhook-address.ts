/** Addresses of Webhook nodes as the editor and the control API show them. */

export type AddressMode = 'production' | 'test';

export interface WebhookAddress {
  /** Name of the node. */
  node: string;
  methods: string[];
  /** With the public address: `http://localhost:5678/webhook/orders/:id`. */
  url: string;
  /** From the first slash of the path on: `/webhook/orders/:id`. */
  path: string;
}
