import { workflowStrings } from '../strings/workflows.ts';
import { ObservableState } from '../ui/observable-state.ts';
import type { Execution, ServerEvent, StoredWorkflow } from './api-types.ts';
import { readImport } from './read-import.ts';
import { fromTemplate, type TemplateKey } from './templates.ts';
import { ControlApiError, type IssuesOfNode, type WorkflowClient } from './workflow-client.ts';

/** The problems or warnings of a publication. */
export interface PublishNote {
  message: string;
  problems: IssuesOfNode[];
  warnings: string[];
}

/** Number of runs that one request loads to find the last run of each workflow. */
const RECENT_RUNS = 250;

/** All workflows with their last runs, and the actions on them. */
export class ListState extends ObservableState {
  /** All workflows, the last changed one first. Undefined until they are loaded. */
  workflows: StoredWorkflow[] | undefined;
  readonly lastRuns = new Map<string, Execution>();
  readonly notes = new Map<string, PublishNote>();
  /** The id of the workflow with a pending change. */
  busy: string | undefined;

  constructor(readonly client: WorkflowClient) {
    super();
  }

  async load(): Promise<void> {
    await this.attempt(() => this.#load());
  }

  async #load(): Promise<void> {
    const [workflows, recent] = await Promise.all([
      this.client.workflows(),
      this.client.executions({ limit: RECENT_RUNS }),
    ]);
    this.lastRuns.clear();
    for (const run of recent.data)
      if (!this.lastRuns.has(run.workflowId)) this.lastRuns.set(run.workflowId, run);
    if (recent.nextCursor !== null) {
      const rest = workflows.filter(({ id }) => !this.lastRuns.has(id));
      for (const { id } of rest) {
        const [last] = (await this.client.executions({ workflowId: id, limit: 1 })).data;
        if (last) this.lastRuns.set(id, last);
      }
    }
    this.workflows = workflows.sort((a, b) => b.updatedAt.localeCompare(a.updatedAt));
  }

  onEvent({ type, data: { workflowId, execution } }: ServerEvent): void {
    if (type.startsWith('workflow')) void this.load();
    if (!execution || workflowId === undefined) return;
    const former = this.lastRuns.get(workflowId);
    if (former && Number(former.id) > Number(execution.id)) return;
    this.lastRuns.set(workflowId, execution);
    this.changed();
  }

  /** Resolves to the id of the new workflow. */
  async create(key: TemplateKey): Promise<string | undefined> {
    const created = await this.attempt(() => this.client.create(fromTemplate(key, this.workflows ?? [])));
    return created?.id;
  }

  /** Imports the text of an exported file. Resolves to the new ids. Rejects with a message for the user. */
  async import(text: string): Promise<string[]> {
    const { data, reports = [] } = await this.client.importWithReports(readImport(text));
    for (const { workflowId, nodes } of reports) {
      const problems = nodes
        .filter(({ status }) => status !== 'runs')
        .map(({ node, message = '', replacement }) => ({
          node,
          issues: [replacement ? `${message}. ${workflowStrings.replaceBy(replacement)}` : message],
        }));
      if (problems.length > 0) {
        this.notes.set(workflowId, { message: workflowStrings.importedWith, problems, warnings: [] });
      }
    }
    await this.load();
    return data.map(({ id }) => id);
  }

  async export(id: string): Promise<string | undefined> {
    const file = await this.attempt(() => this.client.export(id));
    return file && JSON.stringify(file, null, 2);
  }

  async duplicate({ name, nodes, connections, settings, pinData }: StoredWorkflow): Promise<void> {
    // A copy needs webhook addresses of its own.
    const copied = nodes.map(({ webhookId: _former, ...node }) => ({ ...node, id: crypto.randomUUID() }));
    const copy = { name: workflowStrings.copyOf(name), nodes: copied, connections, settings, pinData };
    await this.#change(undefined, () => this.client.create(copy));
  }

  async rename(workflow: StoredWorkflow, name: string): Promise<void> {
    if (name.trim() === '' || name === workflow.name) return;
    await this.#change(workflow.id, async () => {
      const now = await this.client.workflow(workflow.id);
      await this.client.save(workflow.id, { ...now, name: name.trim() });
    });
  }

  async delete(id: string): Promise<void> {
    await this.#change(id, () => this.client.delete(id));
  }

  /** Publishes a workflow, or unpublishes a published one. */
  async togglePublished(workflow: StoredWorkflow): Promise<void> {
    const { id } = workflow;
    this.notes.delete(id);
    await this.#change(id, async () => {
      if (workflow.active) await this.client.unpublish(id);
      else {
        const note = await attemptPublish(() => this.client.publish(id));
        if (note) this.notes.set(id, note);
      }
    });
  }

  async #change(id: string | undefined, work: () => Promise<unknown>): Promise<void> {
    this.busy = id;
    this.changed();
    await this.attempt(async () => {
      await work();
      await this.#load();
    });
    this.busy = undefined;
    this.changed();
  }
}

/** Publishes, and returns problems or warnings to show. Rejects when the server did not answer. */
export async function attemptPublish(
  publish: () => Promise<{ warnings?: string[] }>,
): Promise<PublishNote | undefined> {
  try {
    const { warnings = [] } = await publish();
    return warnings.length > 0 ? { message: workflowStrings.warnings, problems: [], warnings } : undefined;
  } catch (error) {
    if (!(error instanceof ControlApiError)) throw error;
    return {
      message: error.problems.length > 0 ? workflowStrings.address.problems : error.message,
      problems: error.problems,
      warnings: [],
    };
  }
}
