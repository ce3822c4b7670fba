import { sleep } from '#core/base';
import type { Network, NetworkRules, Records } from '#core/host';
import { type JsonObject, nodeSettings, type WorkflowNode } from '#core/workflow-format';
import type { ExpressionScope } from '../../expressions/expressions.ts';
import type { NodeContext, NodeStorage } from '../../node-api/node-context.ts';
import { NodeError } from '../../node-api/node-error.ts';
import { allowsCommands } from '../../nodes/flow/execute-command.ts';
import { onErrorOf } from './error-settings.ts';
import { expressionScope } from './expression-scope.ts';
import type { NodeRun } from './node-run.ts';
import type { WorkflowRunServices } from './run-services.ts';
import { runTools } from './run-tools.ts';
import { supplyFrom } from './sub-node-context.ts';
import type { WorkflowRun } from './workflow-run.ts';

export function createNodeContext(run: WorkflowRun, nodeRun: NodeRun): NodeContext {
  const { options, services } = run;
  const { workflow, state, signal, executionId, mode } = options;
  const { node, type, inputs, sources, runIndex, record } = nodeRun;
  const settings = nodeSettings(type, node);
  const scope = nodeScope(run, nodeRun);
  const evaluate = async <T>(value: unknown, itemIndex: number, extra?: ExpressionScope['extra']) =>
    (await services.expressions.evaluate(value, extra ? { ...scope, extra } : scope, itemIndex)) as T;
  const onError = onErrorOf(node);
  const parts = { run, nodeRun, createContext: createNodeContext };
  const context: NodeContext = {
    node,
    version: node.typeVersion,
    workflow,
    execution: { id: executionId, mode },
    runIndex,
    signal,
    timezone: scope.timezone,
    inputs: inputs.length,
    items: (input = 0) => inputs[input] ?? [],
    source: (input) => sources[input] ?? undefined,
    isReached: (input) => inputs[input] != null,
    async parameter<T = unknown>(path: string, itemIndex: number, fallback?: T) {
      const value = settings.get(path);
      return value === undefined ? (fallback as T) : evaluate<T>(value, itemIndex);
    },
    literal: <T>(path: string, fallback?: T) => (settings.get(path) ?? fallback) as T,
    evaluate,
    subNodes: (kind, itemIndex) => supplyFrom(parts, kind, itemIndex),
    runTools: (tools) => runTools(parts, tools),
    storage: storageOf(services.host.records, node.type),
    onError,
    continueOnFail: onError !== 'stopWorkflow',
    credential: async <T extends JsonObject>(kind: string) =>
      (await requireCredential(node, kind, services)) as T,
    accessToken: async (kind, options) =>
      services.accessToken(kind, requireReference(node, kind), { ...options, signal }),
    network: boundNetwork(services.network, signal),
    connect: (kind, settings) => services.connect(kind, settings, signal),
    commands: allowsCommands(services.host) ? services.host.commands : undefined,
    binary: services.binary(executionId),
    localFiles: services.host.files,
    setting: (name) => services.host.setting(name),
    staticData: (kind) => entryOf(workflow.staticData, kind === 'global' ? 'global' : `node:${node.name}`),
    // Created at the first use: the state is recorded, and unused memory is not part of it.
    get memory() {
      return entryOf(state.memory, node.name);
    },
    customData: state.customData,
    respond: (response) => options.responseSink?.respond(response, node),
    stream: async (chunk) => (await options.responseSink?.stream(chunk, node, runIndex)) ?? false,
    wait(until) {
      state.wait = { node: node.name, runIndex, until };
    },
    callWorkflow: (target, items, { wait = true } = {}) =>
      services.callWorkflow({
        target,
        items,
        wait,
        caller: { workflow, executionId, node, depth: options.depth ?? 0 },
        signal,
      }),
    runCode(request) {
      const { continueOnFail, staticData, binary, console } = context;
      const codeScope = { ...scope, continueOnFail, staticData, binary, console };
      return services.runCode(request, codeScope, signal);
    },
    localApis: services.localApis,
    dataTables: services.dataTables,
    now: () => services.host.clock.now(),
    sleep: (milliseconds, until = signal) => sleep(services.host.clock, milliseconds, until),
    hint: (message) => void record.hints.push({ message }),
    console: (line) => options.onEvent?.({ type: 'console', node: node.name, line }),
    log: services.host.log,
  };
  return context;
}

function nodeScope({ options, services, graph }: WorkflowRun, nodeRun: NodeRun): ExpressionScope {
  const { workflow, executionId, mode, test, signal, state } = options;
  const { node, inputs, sources, runIndex } = nodeRun;
  return expressionScope(
    {
      workflow,
      node,
      findNode: (name) => graph.node(name),
      executionId,
      mode,
      test,
      inputs,
      sources,
      runIndex,
      runData: state.runData,
      memory: state.memory,
      customData: state.customData,
      signal,
    },
    services,
  );
}

async function requireCredential(
  node: WorkflowNode,
  kind: string,
  services: Pick<WorkflowRunServices, 'credential'>,
): Promise<JsonObject> {
  const reference = requireReference(node, kind);
  const data = await services.credential(kind, reference);
  if (data) return data;
  throw new NodeError(`Credential "${reference.name}" of type "${kind}" does not exist`, {
    description: 'It was deleted, or the workflow was imported from elsewhere: choose another one.',
  });
}

function requireReference(node: WorkflowNode, kind: string): { id: string | null; name: string } {
  const reference = node.credentials?.[kind];
  if (reference) return reference;
  throw new NodeError(`Node does not have any credentials set for "${kind}"`);
}

/** A network whose requests end when the execution is cancelled. */
function boundNetwork(network: Network, signal: AbortSignal): Network {
  const { withRules } = network;
  return {
    ...network,
    fetch: (url, init) => network.fetch(url, { signal, ...init }),
    ...(withRules && { withRules: (rules: NetworkRules) => boundNetwork(withRules(rules), signal) }),
  };
}

/** The documents of one node type. */
function storageOf(records: Pick<Records, 'collection'>, type: string): NodeStorage {
  const documents = () => records.collection<JsonObject>('nodeStorage');
  const name = (key: string) => `${type}\n${key}`;
  return {
    get: (key) => documents().get(name(key)),
    put: (key, value) => documents().put(name(key), value),
    async delete(key) {
      await documents().delete(name(key));
    },
  };
}

function entryOf(data: Record<string, Record<string, unknown>>, key: string): Record<string, unknown> {
  data[key] ??= {};
  return data[key];
}
