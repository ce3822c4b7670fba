/** The calls and responses of the control API that the command line uses. */
import { type ApiClient, ApiFailure } from '../../client/api-client.ts';

export interface WorkflowAnswer {
  id: string;
  name: string;
  active: boolean;
  /** Number of triggers in the published version. */
  triggerCount: number;
  updatedAt: string;
}

export interface ExecutionAnswer {
  id: string;
  workflowName: string;
  mode: string;
  status: string;
  startedAt: string;
  stoppedAt: string | null;
}

export interface AddressesAnswer {
  production: { methods: string[]; url: string; reachable: boolean }[];
  /** Why callers cannot reach this server by its public address. */
  unreachable?: string;
}

interface Page<T> {
  data: T[];
  nextCursor: string | null;
}

export async function fetchWorkflows(client: ApiClient): Promise<WorkflowAnswer[]> {
  const all: WorkflowAnswer[] = [];
  let query = 'limit=250';
  for (;;) {
    const { data, nextCursor } = await client.get<Page<WorkflowAnswer>>(`/api/v1/workflows?${query}`);
    all.push(...data);
    if (!nextCursor) return all.sort((a, b) => a.name.localeCompare(b.name));
    query = `limit=250&cursor=${encodeURIComponent(nextCursor)}`;
  }
}

/** Finds a workflow by id, or else by name. Rejects if no workflow or several have that name. */
export async function findWorkflow(client: ApiClient, name: string): Promise<WorkflowAnswer> {
  try {
    return await client.get<WorkflowAnswer>(pathOf({ id: name }));
  } catch (error) {
    if (!(error instanceof ApiFailure && error.status === 404)) throw error;
  }
  const found = (await fetchWorkflows(client)).filter((workflow) => workflow.name === name);
  if (found.length === 1) return found[0]!;
  throw new Error(
    found.length === 0
      ? `there is no workflow '${name}': see tabd workflow list`
      : `${found.length} workflows are called '${name}': name one by its id (${found.map(({ id }) => id).join(', ')})`,
  );
}

/** May take three seconds: the server calls itself to test whether the addresses are reachable. */
export function addressesOf(client: ApiClient, workflow: { id: string }): Promise<AddressesAnswer> {
  return client.get(`${pathOf(workflow)}/addresses`);
}

export function pathOf({ id }: { id: string }): string {
  return `/api/v1/workflows/${encodeURIComponent(id)}`;
}
