/** The control API of a running shim, called as its command line does: with the token from its home. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface WorkflowControl {
  /** The JSON of a successful answer. `path`: `/workflows`. */
  // biome-ignore lint/suspicious/noExplicitAny: a test looks at what it knows to be there
  json(method: string, path: string, body?: unknown): Promise<any>;
  /** Stores and publishes a workflow, and returns its id. */
  publish(workflow: object): Promise<string>;
}

export async function workflowControl(home: string): Promise<WorkflowControl> {
  const { address, token } = JSON.parse(await readFile(join(home, 'running.json'), 'utf8')) as {
    address: string;
    token: string;
  };
  const json: WorkflowControl['json'] = async (method, path, body) => {
    const response = await fetch(`${address}/tabd/node/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return JSON.parse(text);
  };
  return {
    json,
    publish: (workflow) => publishWorkflow(json, workflow),
  };
}

/** Stores and publishes a workflow, and returns its id. */
export async function publishWorkflow(json: WorkflowControl['json'], workflow: object): Promise<string> {
  const { id } = await json('POST', '/workflows', workflow);
  await json('POST', `/workflows/${id}/activate`);
  return id;
}
