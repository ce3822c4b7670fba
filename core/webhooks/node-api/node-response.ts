import type { Binary } from '#core/workflow-format';

/** The response of a Respond to Webhook node. Its headers win over those of the Webhook node's options. */
export interface NodeResponse {
  /** Default: the status of the Webhook node. */
  status?: number;
  headers: [name: string, value: string][];
  body:
    | { kind: 'none' }
    /** Sent as JSON. A string is sent as text/html, as n8n does. */
    | { kind: 'json'; value: unknown }
    | { kind: 'text'; text: string }
    | { kind: 'binary'; binary: Binary };
}
