/** Runs workflows with AI nodes over a scripted server of models. */
import { onTestFinished } from 'vitest';
import type { EngineOptions } from '#core/webhooks/engine/create-engine.ts';
import type { StartCall } from '#core/webhooks/engine/executions/start-call.ts';
import type { RunResult } from '#core/webhooks/engine/run/run-result.ts';
import { type Item, type JsonObject, readWorkflow, type Workflow } from '#core/workflow-format';
import type { TestHostOptions } from '../host/test-host.ts';
import { type ScriptedAnswer, ScriptedModels, type ScriptedModelsOptions } from './scripted-models.ts';
import { openEngine } from './workflow-case.ts';

const PACKAGE = '@n8n/n8n-nodes-langchain.';

/** A node of the workflow. `to`: the node that it serves, and the kind of the connection. */
export interface AiNode {
  type: string;
  version?: number;
  parameters?: JsonObject;
  to?: [kind: string, node: string];
  onError?: string;
}

/** A model of OpenAI's chat that serves a node. */
export const model = (node: string, options: JsonObject = {}): AiNode => ({
  type: 'lmChatOpenAi',
  version: 1.3,
  parameters: { model: { __rl: true, mode: 'id', value: 'm1' }, responsesApiEnabled: false, options },
  to: ['ai_languageModel', node],
});

/** `Start` is followed by the nodes that serve no other one, in their order. */
export function aiWorkflow(nodes: Record<string, AiNode>, id = 'w1'): Workflow {
  const connections: JsonObject = {};
  let previous = 'Start';
  for (const [name, { to }] of Object.entries(nodes)) {
    if (to) {
      const [kind, target] = to;
      connections[name] = { [kind]: [[{ node: target, type: kind, index: 0 }]] };
      continue;
    }
    connections[previous] = { main: [[{ node: name, type: 'main', index: 0 }]] };
    previous = name;
  }
  const all = Object.entries(nodes).map(([name, { type, version = 1, parameters = {}, onError }]) => ({
    name,
    type: type.includes('.') ? type : PACKAGE + type,
    typeVersion: version,
    parameters,
    ...(onError && { onError }),
    credentials: {
      openAiApi: { id: 'c1', name: 'c' },
      ollamaApi: { id: 'c2', name: 'c' },
      anthropicApi: { id: 'c3', name: 'c' },
      googlePalmApi: { id: 'c4', name: 'c' },
      postgres: { id: 'c5', name: 'c' },
      redis: { id: 'c6', name: 'c' },
      qdrantApi: { id: 'c7', name: 'c' },
      cohereApi: { id: 'c8', name: 'c' },
      pineconeApi: { id: 'c9', name: 'c' },
      supabaseApi: { id: 'c10', name: 'c' },
      mistralCloudApi: { id: 'c11', name: 'c' },
      serpApi: { id: 'c12', name: 'c' },
      wolframAlphaApi: { id: 'c13', name: 'c' },
    },
  }));
  const start = { name: 'Start', type: 'n8n-nodes-base.manualTrigger', typeVersion: 1, parameters: {} };
  return readWorkflow({
    id,
    name: 'AI',
    nodes: [start, ...all],
    connections,
    settings: { executionOrder: 'v1' },
  });
}

/** An engine whose requests go to a scripted server, except those to this computer. */
export async function openAi(
  answers: ScriptedAnswer[],
  more: Partial<EngineOptions> = {},
  {
    vector,
    ...hostOptions
  }: Pick<TestHostOptions, 'clients' | 'python'> & Pick<ScriptedModelsOptions, 'vector'> = {},
) {
  const models = new ScriptedModels({ answers, ...(vector && { vector }) });
  const { engine, host } = await openEngine(
    {
      fetch: (request) =>
        new URL(request.url).hostname === '127.0.0.1'
          ? fetch(request)
          : Promise.race([models.answer(request), aborted(request.signal)]),
      settings: { TABD_ALLOW_PRIVATE_ADDRESSES: 'true' },
      ...hostOptions,
    },
    {
      credentials: { data: async () => ({ apiKey: 'k', url: 'http://models/v1', baseUrl: 'http://models' }) },
      ...more,
    },
  );
  onTestFinished(() => engine.close());
  const run = async (
    workflow: Workflow,
    items: JsonObject[],
    call: Partial<StartCall> = {},
  ): Promise<RunResult> => {
    const output = [items.map((json): Item => ({ json }))];
    const handle = await engine.executions.start({
      workflow,
      mode: 'webhook',
      node: 'Start',
      output,
      ...call,
    });
    return handle.done;
  };
  return { run, models, engine, host };
}

/** The JSON of a node's items: of the last run, of an output. */
export function itemsOf({ state }: RunResult, node: string, output = 0): JsonObject[] {
  return (state.runData[node]?.at(-1)?.data?.main?.[output] ?? []).map(({ json }) => json);
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
