/** The part of a node's context that reads its parameters, without an engine. */
import type { Expressions } from '#core/webhooks/expressions/expressions.ts';
import type { NodeContext } from '#core/webhooks/node-api/node-context.ts';
import type { NodeType } from '#core/webhooks/node-api/node-type.ts';
import { type JsonObject, nodeSettings } from '#core/workflow-format';
import { sampleScope } from './expression-scope.ts';

interface ContextOptions {
  version?: number;
  /** Without it, parameters are taken as they are stored. */
  expressions?: Expressions;
  /** Other parts of the context that the code under test reads. */
  more?: Partial<NodeContext>;
}

/** A context of a node of this type with these stored parameters, on the items of `sampleScope`. */
export function parameterContext(
  type: NodeType,
  parameters: JsonObject,
  { version = type.versions.at(-1)!, expressions, more = {} }: ContextOptions = {},
): NodeContext {
  const node = {
    id: 'n',
    name: 'Node',
    type: type.name,
    typeVersion: version,
    position: [0, 0] as [number, number],
    parameters,
  };
  const settings = nodeSettings(type, node);
  const evaluate = async (value: unknown, itemIndex: number, extra?: object) =>
    expressions ? expressions.evaluate(value, sampleScope(extra ? { extra } : {}), itemIndex) : value;
  return {
    node,
    version,
    signal: new AbortController().signal,
    evaluate,
    literal: (path: string, fallback?: unknown) => settings.get(path) ?? fallback,
    parameter: async (path: string, itemIndex: number, fallback?: unknown) => {
      const value = settings.get(path);
      return value === undefined ? fallback : evaluate(value, itemIndex);
    },
    ...more,
  } as NodeContext;
}
