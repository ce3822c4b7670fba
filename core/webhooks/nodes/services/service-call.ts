import type { Item, JsonObject } from '#core/workflow-format';
import type { NodeContext } from '../../node-api/node-context.ts';
import type { Authentication } from '../network/http-request/authentication.ts';
import type { ServiceBase } from './description.ts';

/** One use of a service, for an item. */
export interface ServiceCall {
  service: ServiceBase;
  context: NodeContext;
  index: number;
  item: Item;
  authentication: Authentication;
  credential: JsonObject;
  /** The answers to the requests `before` of the service, once they are sent. */
  shared: { before?: Promise<JsonObject> };
  /** Parameters that have no effect with the node's other settings. */
  hidden: Set<string>;
}
