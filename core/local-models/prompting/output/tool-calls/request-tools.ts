import { isObject } from '#core/base';
import type { Tool } from '#core/local-models/base/messages.ts';

/** The tools of a request, by name. A call of any other tool is plain text. */
export class RequestTools {
  readonly #parameters = new Map<string, Record<string, unknown>>();

  constructor(tools: Tool[]) {
    for (const tool of tools) {
      const definition = tool.function as
        | { name?: unknown; parameters?: { properties?: unknown } }
        | undefined;
      if (typeof definition?.name !== 'string') continue;
      const { properties } = definition.parameters ?? {};
      this.#parameters.set(definition.name, isObject(properties) ? properties : {});
    }
  }

  has(name: string): boolean {
    return this.#parameters.has(name);
  }

  /** Names of a tool's parameters, in the order of its schema. */
  parameters(name: string): string[] {
    return Object.keys(this.#parameters.get(name) ?? {});
  }

  /** The schema of one parameter, as the client sent it. */
  parameter(name: string, key: string): Record<string, unknown> {
    const schema = this.#parameters.get(name)?.[key];
    return schema !== null && typeof schema === 'object' ? (schema as Record<string, unknown>) : {};
  }
}
