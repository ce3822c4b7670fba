import { readFile, writeFile } from 'node:fs/promises';
import { formatAge, formatTable } from '#shim/base/format.ts';
import { UsageError } from '#shim/base/usage-error.ts';
import type { ApiClient } from '../../client/api-client.ts';
import type { Command, CommandCall } from '../command.ts';
import { writeJson, writeResult } from '../write-json.ts';
import { listen } from './listen.ts';
import {
  type AddressesAnswer,
  addressesOf,
  type ExecutionAnswer,
  fetchWorkflows,
  findWorkflow,
  pathOf,
  type WorkflowAnswer,
} from './workflow-api.ts';

/** `tabd workflow list|import|export|…` */
export const workflow: Command = async (call) => {
  const [verb] = call.args.operands;
  const act = Object.hasOwn(VERBS, verb!) ? VERBS[verb!] : undefined;
  if (!act) throw new UsageError(`tabd workflow cannot '${verb}': see tabd help workflow`);
  if (call.args.options.publish && verb !== 'import') {
    throw new UsageError(`tabd workflow ${verb} has no option --publish: see tabd help workflow`);
  }
  await act(call);
};

const VERBS: Record<string, Command> = {
  list,
  import: importFile,
  export: exportFile,
  publish,
  unpublish,
  listen: async (call) => listen(call, await namedWorkflow(call)),
  executions,
  rm: remove,
};

async function list({ args, io, client }: CommandCall): Promise<void> {
  const workflows = await fetchWorkflows(client);
  if (args.options.json) return writeJson(io.out, { data: workflows });
  if (workflows.length === 0) {
    return void io.out.write('There are no workflows. Add one with: tabd workflow import FILE\n');
  }
  const rows = workflows.map(({ id, name, active, updatedAt }) => [
    id,
    name,
    active ? 'published' : '-',
    formatAge(new Date(updatedAt)),
  ]);
  io.out.write(formatTable([['ID', 'NAME', 'STATE', 'CHANGED'], ...rows]));
  // Testing one webhook is enough, because all of them are below the same public address.
  const live = workflows.find(({ active, triggerCount }) => active && triggerCount > 0);
  if (live) warnUnreachable(io, await addressesOf(client, live));
}

interface ImportAnswer {
  data: WorkflowAnswer[];
  /** How each node runs here. A server of an older version sends none. */
  reports?: { workflowId: string; nodes: ImportedNode[] }[];
}

interface ImportedNode {
  node: string;
  status: 'runs' | 'differs' | 'incomplete' | 'missing';
  message?: string;
  replacement?: string;
}

async function importFile(call: CommandCall): Promise<void> {
  const { args, io, client } = call;
  const [, path] = args.operands;
  if (path === undefined) throw new UsageError('tabd workflow import needs a file: see tabd help workflow');
  const text = path === '-' ? await standardInput(io.input) : await readFile(path, 'utf8');
  let file: unknown;
  try {
    file = JSON.parse(text);
  } catch (error) {
    throw new Error(`${path === '-' ? 'standard input' : path} is not JSON: ${(error as Error).message}`);
  }
  const body = Array.isArray(file) ? { workflows: file } : (file as object);
  const { data, reports } = await client.post<ImportAnswer>('/api/v1/workflows/import', body);
  if (args.options.json) {
    const published = [];
    for (const imported of args.options.publish ? data : []) published.push(await activate(client, imported));
    return writeJson(io.out, { data, reports, published });
  }
  for (const imported of data) {
    io.out.write(`imported ${imported.name} (${imported.id})\n`);
    const report = reports?.find(({ workflowId }) => workflowId === imported.id);
    for (const { node, status, message = '', replacement } of report?.nodes ?? []) {
      if (status === 'runs') continue;
      io.out.write(`  ${node}: ${status}. ${message}${replacement ? ` Use ${replacement}.` : ''}\n`);
    }
    if (args.options.publish) await publishOne(call, imported);
  }
}

async function standardInput(input: AsyncIterable<Buffer | string>): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of input) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString('utf8');
}

async function exportFile(call: CommandCall): Promise<void> {
  const { args, io, client } = call;
  const found = await namedWorkflow(call);
  const exported = await client.get<object>(`${pathOf(found)}/export`);
  const [, , path] = args.operands;
  if (path === undefined || path === '-') return writeJson(io.out, exported);
  await writeFile(path, `${JSON.stringify(exported, null, 2)}\n`);
  io.err.write(`wrote ${path}\n`);
}

async function publish(call: CommandCall): Promise<void> {
  await publishOne(call, await namedWorkflow(call));
}

/** Publishes a workflow. Resolves to its addresses and to warnings. */
async function activate(client: ApiClient, workflow: WorkflowAnswer) {
  const { warnings = [] } = await client.post<{ warnings?: string[] }>(`${pathOf(workflow)}/activate`);
  const { id, name } = workflow;
  return { id, name, warnings, addresses: await addressesOf(client, workflow) };
}

async function publishOne({ args, client, io }: CommandCall, workflow: WorkflowAnswer): Promise<void> {
  const published = await activate(client, workflow);
  if (args.options.json) return writeJson(io.out, published);
  const { addresses, warnings } = published;
  io.out.write(`published ${workflow.name}\n`);
  for (const { methods, url } of addresses.production) io.out.write(`  ${methods.join(', ')} ${url}\n`);
  if (addresses.production.length > 0) warnUnreachable(io, addresses);
  for (const warning of warnings) io.err.write(`warning: ${warning}\n`);
}

/** Warns on standard error, because the reachability is not part of the command's result. */
function warnUnreachable(io: CommandCall['io'], { unreachable }: AddressesAnswer): void {
  if (unreachable !== undefined)
    io.err.write(`warning: callers cannot reach this server now: ${unreachable}\n`);
}

async function unpublish(call: CommandCall): Promise<void> {
  const found = await namedWorkflow(call);
  await call.client.post(`${pathOf(found)}/deactivate`);
  writeResult(call, `unpublished ${found.name}\n`, { unpublished: found.id });
}

async function remove(call: CommandCall): Promise<void> {
  const found = await namedWorkflow(call);
  await call.client.delete(pathOf(found), {});
  writeResult(call, `removed ${found.name}\n`, { removed: found.id });
}

async function executions(call: CommandCall): Promise<void> {
  const { args, io, client } = call;
  const only = args.operands[1] === undefined ? '' : `&workflowId=${(await namedWorkflow(call)).id}`;
  const answer = await client.get<{ data: ExecutionAnswer[] }>(`/api/v1/executions?limit=50${only}`);
  if (args.options.json) return writeJson(io.out, answer);
  if (answer.data.length === 0) return void io.out.write('Nothing has run yet.\n');
  const rows = answer.data.map(({ id, workflowName, mode, status, startedAt, stoppedAt }) => [
    id,
    workflowName,
    mode,
    status,
    formatAge(new Date(startedAt)),
    stoppedAt ? `${Date.parse(stoppedAt) - Date.parse(startedAt)} ms` : '',
  ]);
  io.out.write(formatTable([['ID', 'WORKFLOW', 'MODE', 'STATUS', 'STARTED', 'TOOK'], ...rows]));
}

function namedWorkflow({ args, client }: CommandCall): Promise<WorkflowAnswer> {
  const [verb, name] = args.operands;
  if (name === undefined) {
    throw new UsageError(
      `tabd workflow ${verb} needs the id or the name of a workflow: see tabd workflow list`,
    );
  }
  return findWorkflow(client, name);
}
