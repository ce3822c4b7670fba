/** An engine in memory whose nodes wait and start as tests need them. */
import { onTestFinished } from 'vitest';
import { type Cluster, type RecordChange, recordsSchema, type SandboxThreads } from '#core/host';
import { createEngine } from '#core/webhooks/engine/create-engine.ts';
import type { Engine } from '#core/webhooks/engine/engine.ts';
import type { StartCall } from '#core/webhooks/engine/executions/start-call.ts';
import type { NodeType } from '#core/webhooks/node-api/node-type.ts';
import { nodeType } from '#core/webhooks/nodes/index.ts';
import type { JsonObject, Workflow } from '#core/workflow-format';
import { MemoryRecords } from '../host/memory-records.ts';
import type { TestClock } from '../host/test-clock.ts';
import { createTestHost } from '../host/test-host.ts';

/** A node that waits for a time or for a call, as its parameters say. */
export const waitNode: NodeType = {
  name: 'test.wait',
  label: 'Wait',
  description: 'Waits.',
  group: 'flow',
  versions: [1],
  inputs: 1,
  outputs: ['main'],
  parameters: [],
  async execute(context) {
    const seconds = context.literal<number | undefined>('seconds');
    const limit = context.literal<number | undefined>('limit');
    if (seconds !== undefined) context.wait({ kind: 'time', at: context.now() + seconds * 1000 });
    else
      context.wait({ kind: 'webhook', ...(limit !== undefined && { limit: context.now() + limit * 1000 }) });
    return [context.items()];
  },
};
/** A node that runs until its execution is cancelled. */
const hangNode: NodeType = {
  ...waitNode,
  name: 'test.hang',
  async execute(context) {
    await context.sleep(3_600_000);
    return [context.items()];
  },
};
const trigger = (name: string): NodeType => ({ ...nodeType('n8n-nodes-base.manualTrigger')!, name });
export const testNodeTypes = [
  waitNode,
  hangNode,
  trigger('n8n-nodes-base.errorTrigger'),
  trigger('n8n-nodes-base.executeWorkflowTrigger'),
];

interface OpenOptions {
  records?: MemoryRecords;
  clock?: TestClock | 'real';
  settings?: Record<string, string>;
  cluster?: Cluster;
  /** Default: the host has no Python. */
  python?: SandboxThreads;
}

export async function openTestEngine(
  options: OpenOptions = {},
): Promise<Engine & { records: MemoryRecords }> {
  const records = options.records ?? new MemoryRecords(recordsSchema);
  const host = createTestHost({
    clock: options.clock ?? 'real',
    settings: options.settings ?? {},
    ...(options.python && { python: options.python }),
  });
  const engine = await createEngine(
    { ...host, records, ...(options.cluster && { cluster: options.cluster }) },
    {
      credentials: { data: async () => undefined },
      localApis: { fetch: async () => new Response() },
      nodeType: (name) => testNodeTypes.find((type) => type.name === name) ?? nodeType(name),
    },
  );
  onTestFinished(() => engine.close());
  return { ...engine, records };
}

/** Records whose next write ends when the test says so. */
export class SlowRecords extends MemoryRecords {
  #gate: { begin(): void; ended: Promise<void> } | undefined;

  nextWrite(): { started: Promise<void>; end(): void } {
    let begin!: () => void;
    let end!: () => void;
    const started = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    this.#gate = { begin, ended };
    return { started, end };
  }

  override async write(changes: RecordChange[]): Promise<void> {
    const gate = this.#gate;
    this.#gate = undefined;
    gate?.begin();
    await gate?.ended;
    await super.write(changes);
  }
}

export const START_NODE = { Start: { type: 'manualTrigger' } };
export const startCall = (workflow: Workflow, more: Partial<StartCall> = {}): StartCall => ({
  workflow,
  mode: 'webhook',
  node: 'Start',
  output: [[{ json: { n: 1 }, pairedItem: { item: 0 } }]],
  ...more,
});
export const outputsOf = async (
  engine: Engine,
  id: string,
  node: string,
): Promise<JsonObject[] | undefined> =>
  (await engine.executions.get(id))?.detail?.data.resultData.runData[node]
    ?.at(-1)
    ?.data?.main?.[0]?.map(({ json }) => json);
