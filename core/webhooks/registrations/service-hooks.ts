/** Sends the addresses of published triggers to other servers, and takes them back. */
import { errorMessage } from '#core/base';
import type { Log } from '#core/host';
import { ApiError } from '#core/http';
import type { JsonObject, Workflow, WorkflowNode } from '#core/workflow-format';
import type { NodeContext } from '../node-api/node-context.ts';
import { NodeError } from '../node-api/node-error.ts';
import type { ServiceHook } from '../node-api/service-hook.ts';

/** The answers of services, by the name of the node. */
export type StoredHooks = Record<string, JsonObject>;

export interface HookParts {
  log: Log;
  hookOf(node: WorkflowNode): ServiceHook | undefined;
  contextOf(workflow: Workflow, node: WorkflowNode): NodeContext | undefined;
  addressOf(workflow: Workflow, node: WorkflowNode): { url: string; secret: string };
}

export class ServiceHooks {
  constructor(private readonly parts: HookParts) {}

  /**
   * Registers all triggers of a workflow.
   * @throws ApiError 400 if a service refuses one; those before it are removed
   */
  async register(workflow: Workflow): Promise<StoredHooks> {
    const stored: StoredHooks = {};
    for (const { node, hook, context } of this.#triggers(workflow)) {
      try {
        stored[node.name] = await hook.register(context, this.parts.addressOf(workflow, node));
      } catch (error) {
        await this.remove(workflow, stored);
        const reason = error instanceof NodeError ? error.description : undefined;
        throw new ApiError(
          400,
          `Problem activating workflow: node "${node.name}": ${[errorMessage(error), reason].filter(Boolean).join(': ')}`,
        );
      }
    }
    return stored;
  }

  /** Removes hooks. A service that does not answer keeps its hook, and calls an address that is gone. */
  async remove(workflow: Workflow, stored: StoredHooks): Promise<void> {
    for (const { node, hook, context } of this.#triggers(workflow)) {
      if (!Object.hasOwn(stored, node.name)) continue;
      await hook.remove(context, stored[node.name]!).catch((error: unknown) =>
        this.parts.log.warn('webhooks: a service still has the address of a trigger', {
          workflow: workflow.id,
          node: node.name,
          error: errorMessage(error),
        }),
      );
    }
  }

  /**
   * Registers triggers again whose address the service has lost. A service that cannot be asked keeps what it has.
   * @returns the new answers, or undefined if nothing was lost
   */
  async renew(workflow: Workflow, stored: StoredHooks): Promise<StoredHooks | undefined> {
    const renewed: StoredHooks = {};
    for (const { node, hook, context } of this.#triggers(workflow)) {
      const former = Object.hasOwn(stored, node.name) ? stored[node.name]! : undefined;
      if (!former || !hook.isRegistered) continue;
      const address = this.parts.addressOf(workflow, node);
      try {
        if (await hook.isRegistered(context, former, address)) continue;
        renewed[node.name] = await hook.register(context, address);
      } catch (error) {
        this.parts.log.warn('webhooks: the address of a trigger could not be checked at its service', {
          workflow: workflow.id,
          node: node.name,
          error: errorMessage(error),
        });
      }
    }
    return Object.keys(renewed).length > 0 ? { ...stored, ...renewed } : undefined;
  }

  *#triggers(workflow: Workflow) {
    for (const node of workflow.nodes) {
      const hook = node.disabled ? undefined : this.parts.hookOf(node);
      const context = hook && this.parts.contextOf(workflow, node);
      if (hook && context) yield { node, hook, context };
    }
  }
}
