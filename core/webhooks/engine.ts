/** The workflow engine over a host: what addresses, the control API and the editor build on. */
import type { Host, Network } from '#core/host';
import { ExecutionFiles } from './binary/execution-files.ts';
import { startErrorWorkflow } from './error-workflow.ts';
import { EngineEvents } from './events.ts';
import { Executions } from './executions/executions.ts';
import { ExecutionStore } from './executions/store.ts';
import { createExpressions } from './expressions/create-expressions.ts';
import { nodeType } from './nodes/index.ts';
import { outsideNetwork } from './outgoing/outside.ts';
import type { RunServices } from './run/services.ts';
import { runCode } from './sandbox/code-runner.ts';
import { DEFAULT_LIMITS, SandboxPool } from './sandbox/pool.ts';
import { networkRules, type WorkflowSettings, workflowSettings } from './settings.ts';
import { Signatures } from './signatures.ts';
import { callWorkflow } from './sub-workflow.ts';
import type { LocalModels } from './workflow/node-context.ts';
import type { NodeType } from './workflow/node-type.ts';
import type { JsonObject } from './workflow/types.ts';
import { WorkflowStore } from './workflows/store.ts';

/** Secrets that nodes use. */
export interface CredentialSource {
  /** The secret data of a credential of this type, or undefined when there is none. */
  data(type: string, reference: { id: string | null; name: string }): Promise<JsonObject | undefined>;
}

export interface EngineOptions {
  credentials: CredentialSource;
  /** The other APIs of this server. */
  models: LocalModels;
  /** To the outside; with the rules for private addresses. */
  network?: Network;
  /** Of code in the sandbox. */
  limits?: Partial<typeof DEFAULT_LIMITS>;
  /** Beside the server's own: for tests. */
  nodeType?: (name: string) => NodeType | undefined;
  /** False: nothing goes on by itself, for processes that only look at what is stored. Default true. */
  background?: boolean;
}

export interface Engine {
  readonly settings: WorkflowSettings;
  readonly workflows: WorkflowStore;
  readonly executions: Executions;
  readonly events: EngineEvents;
  readonly services: RunServices;
  /** Of runs. */
  readonly files: ExecutionFiles;
  /** Of resume addresses. */
  readonly signatures: Signatures;
  /** `{publicAddress}/webhook-waiting/{id}?signature=…` */
  resumeUrl(executionId: string): string;
  /** Takes up what a former server left, where that was not done at the start. */
  recover(): Promise<void>;
  close(): Promise<void>;
}

/** In the background runs that the former server left are marked as crashed, and its waits go on, before this resolves. */
export async function createEngine(host: Host, options: EngineOptions): Promise<Engine> {
  const settings = workflowSettings(host);
  const events = new EngineEvents(host.log);
  const pool = new SandboxPool(host.sandbox, {
    threads: Math.max(1, Math.min(4, host.machine.cores)),
    ...DEFAULT_LIMITS,
    ...options.limits,
  });
  const files = new ExecutionFiles(host.blobs, host.records);
  const workflows = new WorkflowStore(host.records, host.clock, events);
  const signatures = await Signatures.open(host.records);
  const network = options.network ?? outsideNetwork(host, networkRules(host));
  const resumeUrl = (id: string) =>
    `${settings.publicAddress}/${settings.endpoints.waiting}/${id}?signature=${signatures.of(`/webhook-waiting/${id}`)}`;
  const services: RunServices = {
    host,
    network,
    models: options.models,
    timezone: settings.timezone,
    expressions: createExpressions(pool),
    nodeType: options.nodeType ?? nodeType,
    resumeUrl,
    credential: (type, reference) => options.credentials.data(type, reference),
    binary: (executionId) => files.of(executionId),
    runCode: (request, scope, signal) =>
      runCode(request, scope, { pool, network, clock: host.clock }, signal),
    callWorkflow: (call) => callWorkflow(call, { executions, workflows }),
  };
  const store = new ExecutionStore(host.records);
  const executions = new Executions({
    host,
    services,
    settings,
    events,
    store,
    staticData: async (id) => (await workflows.get(id))?.staticData,
    saveStaticData: (workflow) => workflows.saveStaticData(workflow),
    onDeleted: (id) => files.forget(id),
    onFailed(execution, workflow, state) {
      const failed = { execution, workflow, state };
      startErrorWorkflow(failed, { executions, workflows, address: settings.publicAddress }).catch((error) =>
        host.log.warn('webhooks: the error workflow could not start', { error: String(error) }),
      );
    },
  });
  const recover = async () => {
    await executions.recover();
    await files.sweep(async (id) => (await store.summary(id)) !== undefined);
  };
  if (options.background !== false) await recover();
  return {
    settings,
    workflows,
    executions,
    events,
    services,
    files,
    signatures,
    resumeUrl,
    recover,
    async close() {
      await executions.close();
      pool.close();
    },
  };
}
