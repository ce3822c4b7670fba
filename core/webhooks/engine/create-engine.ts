import type { Host, Network } from '#core/host';
import type { LocalApis } from '#core/http';
import { ExecutionFiles } from '../binary-data/execution-files.ts';
import type { CredentialSource } from '../credentials/credential-source.ts';
import { AccessTokens } from '../credentials/oauth2/access-tokens.ts';
import { Signatures } from '../credentials/signatures.ts';
import { DataTables } from '../data-tables/data-tables.ts';
import { createExpressions } from '../expressions/create-expressions.ts';
import type { NodeType } from '../node-api/node-type.ts';
import { nodeType } from '../nodes/index.ts';
import { connectClient } from '../outgoing/connect-client.ts';
import { addressRule, guardNetwork } from '../outgoing/guarded-network.ts';
import { runCode } from '../sandbox/code-runner.ts';
import { DEFAULT_LIMITS, SandboxPool } from '../sandbox/pool.ts';
import { PythonPool } from '../sandbox/python/python-pool.ts';
import { networkRules, readWebhookSettings } from '../settings/webhook-settings.ts';
import { XmlThread } from '../xml/xml-thread.ts';
import type { Engine } from './engine.ts';
import { startErrorWorkflow } from './error-workflow.ts';
import { EngineEvents } from './events.ts';
import { ExecutionStore } from './executions/execution-store.ts';
import { Executions } from './executions/executions.ts';
import type { WorkflowRunServices } from './run/run-services.ts';
import { callWorkflow } from './sub-workflow.ts';
import { WorkflowStore } from './workflow-store.ts';

export interface EngineOptions {
  credentials: CredentialSource;
  localApis: LocalApis;
  /** Default: the host's network with the rules for private addresses. */
  network?: Network;
  /** Limits of code in the sandbox. */
  limits?: Partial<typeof DEFAULT_LIMITS>;
  /** Default: the node types of `nodes/`. */
  nodeType?: (name: string) => NodeType | undefined;
  /** False: executions of a former server stay as they are until `recover` is called. Default true. */
  background?: boolean;
}

/** Creates the workflow engine over a host. */
export async function createEngine(host: Host, options: EngineOptions): Promise<Engine> {
  const settings = readWebhookSettings(host);
  const events = new EngineEvents(host.log, host.cluster);
  const pool = new SandboxPool(host.sandbox, {
    threads: Math.max(1, Math.min(4, host.machine.cores)),
    ...DEFAULT_LIMITS,
    ...options.limits,
  });
  const python = host.python && new PythonPool(host.python, { ...DEFAULT_LIMITS, ...options.limits });
  const xml = new XmlThread(host.sandbox);
  const files = new ExecutionFiles(host.blobs, host.records);
  const workflows = new WorkflowStore(host.records, host.clock, events, host.cluster);
  const signatures = await Signatures.open(host.records);
  const rules = networkRules(host);
  const network = options.network ?? guardNetwork(host, rules);
  const resumeUrl = (id: string, kind: 'webhook' | 'form' = 'webhook') => {
    const prefix = kind === 'form' ? 'form-waiting' : settings.endpoints.waiting;
    // The signature does not depend on the prefix, which settings can change.
    const signature = signatures.of(`/webhook-waiting/${id}`);
    return `${settings.publicAddress}/${prefix}/${id}?signature=${signature}`;
  };
  const tokens = new AccessTokens({ credentials: options.credentials, network, clock: host.clock });
  const { records, clock, cluster } = host;
  const services: WorkflowRunServices = {
    host,
    dataTables: new DataTables({ records, clock, cluster }),
    network,
    localApis: options.localApis,
    timezone: settings.timezone,
    expressions: createExpressions(pool),
    nodeType: options.nodeType ?? nodeType,
    resumeUrl,
    credential: (type, reference) => options.credentials.data(type, reference),
    accessToken: (type, reference, more) => tokens.get(type, reference, more),
    connect: (kind, settings, signal) =>
      connectClient({ clients: host.clients, allows: addressRule(rules), signal }, kind, settings),
    binary: (executionId) => files.of(executionId),
    runCode: (request, scope, signal) =>
      runCode(request, scope, { pool, python, network, clock: host.clock }, signal),
    callWorkflow: (call) => callWorkflow(call, { executions, workflows }),
  };
  const store = new ExecutionStore(host.records, host.cluster);
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
    // Another process may have stored files for an execution that it has not recorded yet.
    if (host.cluster) return;
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
    xml,
    signatures,
    resumeUrl,
    recover,
    async close() {
      await executions.close();
      pool.close();
      python?.close();
      xml.close();
    },
  };
}
