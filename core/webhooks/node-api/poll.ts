import type { Item, JsonObject } from '#core/workflow-format';
import type { NodeContext } from './node-context.ts';

/**
 * Looks for items that are new since the last look of a published trigger.
 * @param memory what the node keeps from one look to the next, over restarts. Empty at the first look: the node notes
 *   what is there already, and returns nothing. Changes count only when the items started the workflow
 * @throws NodeError if the service refuses; the next look then begins where this one did
 */
export type Poll = (context: NodeContext, memory: JsonObject) => Promise<Item[]>;
