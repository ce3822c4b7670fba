/** Runs a few nodes after one another on given items, as the recordings of the real system were made. */

import { recordsSchema } from '#core/host';
import { createEngine, type EngineOptions } from '#core/webhooks/engine/create-engine.ts';
import type { Engine } from '#core/webhooks/engine/engine.ts';
import {
  type Item,
  type JsonObject,
  readWorkflow,
  type TaskData,
  type Workflow,
} from '#core/workflow-format';
import { createTestHost, type TestHost, type TestHostOptions } from '../host/test-host.ts';

export interface WorkflowCase {
  label: string;
  /** The nodes, from first to last. Missing fields get defaults. */
  nodes: (Partial<Workflow['nodes'][number]> & { type: string })[];
  /** For each input of the first node: the json of its items. */
  input?: { items: JsonObject[] };
}

export interface CaseRun {
  status: string;
  output: Pick<Item, 'json' | 'binary'>[][];
  error?: { name?: string; message: string };
}

/** 58 characters: a recording uses its length. */
const SOURCE = 'return $input.first().json.body.items.map(j=>({json:j}));\n';

export async function openEngine(
  options: TestHostOptions = {},
  more: Partial<EngineOptions> = {},
): Promise<{ engine: Engine; host: TestHost }> {
  const host = createTestHost({ schema: recordsSchema, clock: 'real', ...options });
  const engine = await createEngine(host, {
    credentials: { data: async () => undefined },
    localApis: { fetch: async () => new Response('no models in this test', { status: 503 }) },
    ...more,
  });
  return { engine, host };
}

/** The workflow of a case: Webhook, Source, then its nodes, which continue after errors. */
export function caseWorkflow({ label, nodes }: WorkflowCase): Workflow {
  const all = [
    { name: 'Webhook', type: 'n8n-nodes-base.webhook', typeVersion: 2.1, parameters: { path: 'case' } },
    { name: 'Source', type: 'n8n-nodes-base.code', typeVersion: 2, parameters: { jsCode: SOURCE } },
    ...nodes.map((node, index) => ({ name: `Node ${index}`, onError: 'continueRegularOutput', ...node })),
  ];
  const connections = Object.fromEntries(
    all.slice(0, -1).map(({ name }, index) => {
      const next = { node: all[index + 1]!.name, type: 'main', index: 0 };
      return [name, { main: [[next]] }];
    }),
  );
  const placed = all.map((node, index) => ({ ...node, position: [index * 200, 0] }));
  return readWorkflow({
    id: 'case',
    name: label,
    nodes: placed,
    connections,
    active: true,
    settings: { executionOrder: 'v1' },
  });
}

/** The output of the last node, in the form of the recordings. */
export async function runCase(
  engine: Engine,
  workflowCase: WorkflowCase,
  items: JsonObject[] = [],
): Promise<CaseRun[]> {
  const workflow = caseWorkflow(workflowCase);
  const body = { items: workflowCase.input?.items ?? items };
  const json = {
    headers: {},
    params: {},
    query: {},
    body,
    webhookUrl: 'http://localhost:5678/webhook/case',
    executionMode: 'production',
  };
  const output = [[{ json, pairedItem: { item: 0 } }]];
  const handle = await engine.executions.start({ workflow, mode: 'webhook', node: 'Webhook', output });
  const { state } = await handle.done;
  return (state.runData[workflow.nodes.at(-1)!.name] ?? []).map(asRecorded);
}

function asRecorded(task: TaskData): CaseRun {
  return {
    status: task.executionStatus,
    output: (task.data?.main ?? []).map((items) =>
      (items ?? []).map(({ json, binary }) => (binary ? { json, binary } : { json })),
    ),
    ...(task.error && { error: { name: task.error.name, message: task.error.message } }),
  };
}
