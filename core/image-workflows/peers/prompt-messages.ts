/**
 * The messages of a prompt that another process runs, one JSON on each line. The last one is `end` or `givenBack`.
 */
import { decodeBase64, encodeBase64 } from '#core/http';
import type { PromptEnd } from '../execution/prompt-place.ts';
import type { Preview } from '../nodes/kernel/node-context.ts';
import { pythonJson, RawJson } from '../python/python-json.ts';
import type { PreviewForm, PromptListener } from '../sockets/prompt-listener.ts';

/** `client`: the id of the client that receives the message. */
export type PromptMessage = { client?: string } & (
  | { kind: 'event'; type: string; data: string; toAll: boolean }
  | {
      kind: 'preview';
      type: Preview['type'];
      bytes: string;
      metadata: Record<string, unknown>;
      form: PreviewForm;
    }
  | { kind: 'text'; node: string; text: string }
  | { kind: 'node'; node?: string }
  | { kind: 'end'; end: PromptEnd }
  /** The process is closing: the prompt may run elsewhere. */
  | { kind: 'givenBack' }
);

/** Unread characters after which images are left out. */
const MAX_PREVIEW_BACKLOG = 16 * 1024 * 1024;

/** Turns the messages for clients into those for another process, which has the clients. */
export class MessageWriter implements PromptListener {
  /**
   * @param write sends a message
   * @param backlog how many characters wait to be read
   */
  constructor(
    private readonly write: (message: PromptMessage) => void,
    private readonly backlog: () => number,
  ) {}

  send(client: string | undefined, type: string, data: unknown): void {
    if (client !== undefined) this.#event(client, type, data, false);
  }

  sendOrBroadcast(client: string | undefined, type: string, data: unknown): void {
    this.#event(client, type, data, true);
  }

  /** The process with the clients decides it. */
  hasListener(): boolean {
    return true;
  }

  sendPreview(
    client: string | undefined,
    { type, bytes }: Preview,
    metadata: Record<string, unknown>,
    form: PreviewForm,
  ): void {
    if (this.backlog() > MAX_PREVIEW_BACKLOG) return;
    this.write({ kind: 'preview', type, bytes: encodeBase64(bytes), metadata, form, ...clientOf(client) });
  }

  sendText(client: string | undefined, node: string, text: string): void {
    this.write({ kind: 'text', node, text, ...clientOf(client) });
  }

  setCurrentNode(client: string | undefined, node: string | undefined): void {
    this.write({ kind: 'node', ...(node !== undefined && { node }), ...clientOf(client) });
  }

  #event(client: string | undefined, type: string, data: unknown, toAll: boolean): void {
    this.write({ kind: 'event', type, data: pythonJson(data), toAll, ...clientOf(client) });
  }
}

const clientOf = (client: string | undefined) => (client === undefined ? {} : { client });

/** Passes a message of another process on to the clients. Returns the last message of the prompt, undefined otherwise. */
export function deliver(
  message: PromptMessage,
  listener: PromptListener,
): Extract<PromptMessage, { kind: 'end' | 'givenBack' }> | undefined {
  const { client } = message;
  switch (message.kind) {
    case 'event': {
      const data = new RawJson(message.data);
      if (message.toAll) listener.sendOrBroadcast(client, message.type, data);
      else listener.send(client, message.type, data);
      return undefined;
    }
    case 'preview': {
      const { type, bytes, metadata, form } = message;
      listener.sendPreview(client, { type, bytes: decodeBase64(bytes) }, metadata, form);
      return undefined;
    }
    case 'text':
      listener.sendText(client, message.node, message.text);
      return undefined;
    case 'node':
      listener.setCurrentNode(client, message.node);
      return undefined;
    default:
      return message;
  }
}
