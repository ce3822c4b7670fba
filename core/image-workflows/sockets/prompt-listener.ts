import type { Preview } from '../nodes/kernel/node-context.ts';

/** Receives the messages of running prompts for their clients: the sockets of this process, or another process. */
export interface PromptListener {
  /** Sends an event to the client's sockets. Without a client, nobody receives it. */
  send(clientId: string | undefined, type: string, data: unknown): void;
  /** Sends an event to the client's sockets. Without a client, all sockets receive it. */
  sendOrBroadcast(clientId: string | undefined, type: string, data: unknown): void;
  /** Whether `sendOrBroadcast` would reach a socket. */
  hasListener(clientId: string | undefined): boolean;
  /** Sends an image like `sendOrBroadcast`, to the sockets that ask for this form. */
  sendPreview(
    clientId: string | undefined,
    preview: Preview,
    metadata: Record<string, unknown>,
    form: PreviewForm,
  ): void;
  /** Sends a text that the client shows on a node. */
  sendText(clientId: string | undefined, node: string, text: string): void;
  /** The node of the client's prompt that runs now. Undefined: none. */
  setCurrentNode(clientId: string | undefined, node: string | undefined): void;
}

/** The two forms of images, one of which a socket asks for by its feature flags. */
export type PreviewForm = 'with metadata' | 'plain';
