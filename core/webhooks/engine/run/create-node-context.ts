/** The context of one run of one node. */
import { sleep } from '#core/base';
import type { Network, NetworkRules } from '#core/host';
import {
  type InputSource,
  type Item,
  nodeSettings,
  type StaticData,
  type TaskData,
  type WorkflowNode,
} from '#core/workflow-format';
import type { ExtraVariables } from '../../node-api/extra-variables.ts';
import type { NodeContext } from '../../node-api/node-context.ts';
import { NodeError } from '../../node-api/node-error.ts';
import type { NodeType } from '../../node-api/node-type.ts';
import { onErrorOf } from './error-settings.ts';
import { expressionScope } from './expression-scope.ts';
import type { Run } from './run.ts';

export interface ContextParts {
  node: WorkflowNode;
  type: NodeType;
  inputs: (Item[] | null)[];
  sources: (InputSource | null)[];
  runIndex: number;
  record: TaskData;
}

export function createContext(run: Run, parts: ContextParts): NodeContext {
  const { options, services } = run;
  const { workflow, state, signal } = options;
  const { node, type, inputs, runIndex } = parts;
  const settings = nodeSettings(type, node);
  const onError = onErrorOf(node);
  const binary = services.binary(options.executionId);
  const scope = expressionScope(
    {
      ...parts,
      workflow,
      findNode: (name) => run.graph.node(name),
      executionId: options.executionId,
      mode: options.mode,
      test: options.test,
      runData: state.runData,
      memory: state.memory,
      customData: state.customData,
      signal,
    },
    services,
  );
  const network = untilAborted(services.network, signal);
  const context: NodeContext = {
    node,
    version: node.typeVersion,
    workflow,
    execution: { id: options.executionId, mode: options.mode },
    runIndex,
    signal,
    timezone: scope.timezone,
    inputs: inputs.length,
    items: (input = 0) => inputs[input] ?? [],
    source: (input) => parts.sources[input] ?? undefined,
    reached: (input) => inputs[input] != null,
    async parameter<T>(path: string, itemIndex: number, fallback?: T): Promise<T> {
      const value = settings.get(path);
      if (value === undefined) return fallback as T;
      return (await services.expressions.evaluate(value, scope, itemIndex)) as T;
    },
    literal: <T>(path: string, fallback?: T): T => (settings.get(path) ?? fallback) as T,
    evaluate: async <T>(value: unknown, itemIndex: number, extra?: ExtraVariables): Promise<T> =>
      (await services.expressions.evaluate(value, extra ? { ...scope, extra } : scope, itemIndex)) as T,
    onError,
    continueOnFail: onError !== 'stopWorkflow',
    async credential<T>(kind: string): Promise<T> {
      const reference = node.credentials?.[kind];
      if (!reference) throw new NodeError(`Node does not have any credentials set for "${kind}"`);
      const data = await services.credential(kind, reference);
      if (!data) {
        throw new NodeError(`Credential "${reference.name}" of type "${kind}" does not exist`, {
          description: 'It was deleted, or the workflow was imported from elsewhere: choose another one.',
        });
      }
      return data as T;
    },
    network,
    binary,
    staticData: (kind) => staticPart(workflow.staticData, kind === 'global' ? 'global' : `node:${node.name}`),
    get memory() {
      return memoryOf(state.memory, node.name);
    },
    customData: state.customData,
    respond: (answer) => options.answer?.respond(answer, node),
    stream: async (chunk) => (await options.answer?.stream(chunk, node, runIndex)) ?? false,
    wait(until) {
      state.wait = { node: node.name, runIndex, until };
    },
    callWorkflow: (target, items, { wait = true } = {}) =>
      services.callWorkflow({
        target,
        items,
        wait,
        caller: { workflow, executionId: options.executionId, node, depth: options.depth ?? 0 },
        signal,
      }),
    runCode: (request) =>
      services.runCode(
        request,
        {
          ...scope,
          continueOnFail: context.continueOnFail,
          staticData: context.staticData,
          binary,
          console: context.console,
        },
        signal,
      ),
    localApis: services.localApis,
    now: () => services.host.clock.now(),
    sleep: (milliseconds, until = signal) => sleep(services.host.clock, milliseconds, until),
    hint: (message) => void parts.record.hints.push({ message }),
    console: (line) => options.onEvent?.({ type: 'console', node: node.name, line }),
    log: services.host.log,
  };
  return context;
}

/** The network for as long as the run goes on. */
function untilAborted(network: Network, signal: AbortSignal): Network {
  const { withRules: under } = network;
  return {
    ...network,
    fetch: (url, init) => network.fetch(url, { signal, ...init }),
    ...(under && { withRules: (rules: NetworkRules) => untilAborted(under(rules), signal) }),
  };
}

function staticPart(data: StaticData, key: string): Record<string, unknown> {
  let part = data[key];
  if (!part) {
    part = {};
    data[key] = part;
  }
  return part;
}

function memoryOf(memory: Record<string, Record<string, unknown>>, node: string): Record<string, unknown> {
  return staticPart(memory, node);
}
