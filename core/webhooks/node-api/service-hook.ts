import type { Binary, JsonObject } from '#core/workflow-format';
import type { NodeContext } from './node-context.ts';

/** A trigger that another server calls. The server receives the address when the workflow is published. */
export interface ServiceHook {
  /** The methods of calls. Default: POST. */
  methods?: string[];
  /**
   * @param secret calls prove to know it
   * @returns the data that `remove` needs
   * @throws NodeError if the service refuses
   */
  register(context: NodeContext, address: { url: string; secret: string }): Promise<JsonObject>;
  remove(context: NodeContext, stored: JsonObject): Promise<void>;
  /** Whether the service still has the address. Undefined: it cannot be asked. */
  isRegistered?(context: NodeContext, stored: JsonObject, address: { url: string }): Promise<boolean>;
  receive(context: NodeContext, call: HookCall): Promise<HookAnswer>;
}

/** A call of another server. */
export interface HookCall {
  headers: Headers;
  query: JsonObject;
  bytes: Uint8Array;
  secret: string;
}

/**
 * - `refused`: the call does not prove that it comes from the service.
 * - `confirmed`: the service asks whether the address is right, and gets this answer.
 */
export type HookAnswer =
  | {
      kind: 'item';
      json: JsonObject;
      /** Downloads the files of the item. @param context its files belong to the execution */
      attach?(context: NodeContext): Promise<Record<string, Binary> | undefined>;
    }
  | { kind: 'items'; items: JsonObject[] }
  | { kind: 'ignored' }
  | { kind: 'refused' }
  | { kind: 'confirmed'; json: JsonObject }
  | { kind: 'confirmed'; text: string };
