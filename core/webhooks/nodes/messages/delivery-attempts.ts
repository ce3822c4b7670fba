/** Counts how often a message was delivered, so that one that always fails is not delivered for ever. */
import { toHex } from '#core/base';
import type { AmqpMessage } from '#core/host';
import type { NodeContext } from '../../node-api/node-context.ts';

/** Deliveries of a message whose runs fail. After the last one it is not queued again. */
export const MAX_DELIVERIES = 5;
/** Milliseconds before a message is queued again for the first time. Each further time the pause is twice as long. */
const FIRST_PAUSE = 1000;
const LONGEST_PAUSE = 60_000;

/** Milliseconds until a message goes back to its queue after the delivery of this number. */
export const pauseAfter = (delivery: number): number =>
  Math.min(FIRST_PAUSE * 2 ** (delivery - 1), LONGEST_PAUSE);

/**
 * The deliveries of the messages of one trigger. They are stored before the run begins, so that a message that ends the
 * process counts too. Messages of equal content count together, unless they have ids.
 */
export class DeliveryAttempts {
  constructor(
    private readonly context: Pick<NodeContext, 'storage' | 'workflow' | 'node'>,
    private readonly queue: string,
  ) {}

  /** The number of this delivery of the message, from 1 on. */
  async count(message: AmqpMessage): Promise<number> {
    // A quorum queue counts the earlier deliveries itself.
    const headers = message.properties.headers as Record<string, unknown> | undefined;
    const counted = Number(headers?.['x-delivery-count'] ?? 0) || 0;
    if (message.fields.redelivered !== true) return counted + 1;
    const { storage } = this.context;
    const key = await this.#keyOf(message);
    const stored = Number((await storage.get(key))?.deliveries ?? 1);
    const delivery = Math.max(stored, counted) + 1;
    await storage.put(key, { deliveries: delivery });
    return delivery;
  }

  /** Takes back the count of a delivery whose run could not begin. */
  async uncount(message: AmqpMessage, delivery: number): Promise<void> {
    if (delivery > 1)
      await this.context.storage.put(await this.#keyOf(message), { deliveries: delivery - 1 });
  }

  /** Deletes the count of a message that will not come again. */
  async forget(message: AmqpMessage, delivery: number): Promise<void> {
    if (delivery > 1) await this.context.storage.delete(await this.#keyOf(message));
  }

  async #keyOf({ content, properties, fields }: AmqpMessage): Promise<string> {
    const { workflow, node } = this.context;
    const id = properties.messageId;
    const identity =
      typeof id === 'string' && id !== ''
        ? new TextEncoder().encode(id)
        : new Uint8Array([
            ...new TextEncoder().encode(`${fields.exchange}\n${fields.routingKey}\n`),
            ...content,
          ]);
    const digest = toHex(new Uint8Array(await crypto.subtle.digest('SHA-256', identity)));
    return [workflow.id, node.id, this.queue, digest].join('\n');
  }
}
