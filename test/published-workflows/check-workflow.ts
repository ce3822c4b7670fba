/** Faults that keep a published workflow from running here. */
import { nodeType } from '#core/webhooks/nodes/index.ts';
import { importReport, type NodeReport } from '#core/webhooks/registrations/import-report.ts';
import { readWorkflow, type Workflow } from '#core/workflow-format';
import type { PublishedWorkflow } from './collection.ts';

/** Everything that the shim can have. Each credential that a node names is there. */
const PLATFORM = { nodeType, hasClients: true, hasCommands: true, hasPython: true };

/**
 * Parts that its author left out: credentials, which no file holds, and texts that each user enters. The real
 * system also asks for them.
 */
const LEFT_TO_USER = /^Missing (required credential|or invalid required parameter)/;

export interface Fault {
  type: string;
  reason: string;
}

/** Undefined: the file is no workflow. */
export async function faultsOf({ name, file }: PublishedWorkflow): Promise<Fault[] | undefined> {
  let workflow: Workflow;
  try {
    workflow = readWorkflow({ name, settings: {}, ...file });
  } catch {
    return undefined;
  }
  const reports = await importReport(workflow, PLATFORM);
  return reports.flatMap((report) => reasons(report).map((reason) => ({ type: report.type, reason })));
}

function reasons({ status, message = '' }: NodeReport): string[] {
  if (status === 'missing') return [message];
  if (status !== 'incomplete') return [];
  return message.split('; ').filter((part) => !LEFT_TO_USER.test(part));
}

const HOOK = 'n8n-nodes-base.webhook';
const AI = '@n8n/n8n-nodes-langchain.';
const OWN = ['n8n-nodes-base.', AI];

export type Kind = 'webhook' | 'ai' | 'community';

/** The kinds of a workflow: it is called by address, uses AI nodes, or nodes that n8n does not contain. */
export function kindsOf({ file }: PublishedWorkflow): Set<Kind> {
  const nodes = Array.isArray(file.nodes) ? (file.nodes as { type?: unknown }[]) : [];
  const types = nodes.map(({ type }) => String(type));
  return new Set<Kind>([
    ...(types.includes(HOOK) ? (['webhook'] as const) : []),
    ...(types.some((type) => type.startsWith(AI)) ? (['ai'] as const) : []),
    ...(types.some((type) => !OWN.some((prefix) => type.startsWith(prefix))) ? (['community'] as const) : []),
  ]);
}
