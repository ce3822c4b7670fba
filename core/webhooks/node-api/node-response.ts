/** What a Respond to Webhook node gives the caller. Headers win over those of the Webhook node's options. */
import type { Binary } from '#core/workflow-format';

export interface NodeResponse {
  /** Without it the Webhook node's. */
  status?: number;
  headers: [name: string, value: string][];
  body:
    | { kind: 'none' }
    /** Sent as JSON; a string goes out as text/html, as recorded. */
    | { kind: 'json'; value: unknown }
    | { kind: 'text'; text: string }
    | { kind: 'binary'; binary: Binary };
}
