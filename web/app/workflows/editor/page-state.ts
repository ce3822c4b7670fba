import { ObservableState } from '../../ui/observable-state.ts';
import { UndoHistory } from '../../undo-history.ts';
import type {
  Credential,
  ExecutionWithData,
  NodeInfo,
  Ports,
  ServerEvent,
  StoredWorkflow,
  WorkflowDraft,
  WorkflowNode,
} from '../api-types.ts';
import { attemptPublish, type PublishNote } from '../list-state.ts';
import { ControlApiError, type WorkflowClient } from '../workflow-client.ts';
import { toDraft } from './draft.ts';
import { outlineOf } from './outline.ts';
import { Previews } from './previews.ts';
import { WorkflowRunList } from './run-list.ts';
import { TestCalls } from './test-calls.ts';

/** Milliseconds after a change until previews and ports are requested. */
const UPDATE_DELAY = 250;

/** Milliseconds between two loads of finished runs. */
const RUN_LOAD_INTERVAL = 1000;

/** The draft of one workflow with its undo history, its runs, previews and test calls. */
export class PageState extends ObservableState {
  stored: StoredWorkflow | undefined;
  /** Whether the server has no such workflow. */
  missing = false;
  /** Whether another client saved the workflow while this page has unsaved changes. */
  changedElsewhere = false;
  nodeTypes = new Map<string, NodeInfo>();
  credentials: Credential[] = [];
  /** Labels of credential types, by type. */
  credentialLabels: Record<string, string> = {};
  ports: Ports = {};
  selected: string | undefined;
  note: PublishNote | undefined;
  /** Whether a save, publish or run request is pending. */
  busy = false;
  /** The latest run with its data. */
  lastRun: ExecutionWithData | undefined;
  /** Names of the running nodes. */
  readonly running = new Set<string>();
  readonly previews: Previews;
  readonly runs: WorkflowRunList;
  readonly test: TestCalls;
  #history = new UndoHistory<WorkflowDraft | undefined>(undefined);
  #saved: WorkflowDraft | undefined;
  #updateTimer: ReturnType<typeof setTimeout> | undefined;
  /** The latest finished run that is not loaded yet. */
  #endedRun: string | undefined;
  #endTimer: ReturnType<typeof setTimeout> | undefined;
  #runLoadedAt = 0;

  constructor(
    readonly client: WorkflowClient,
    readonly id: string,
  ) {
    super();
    const changed = () => this.changed();
    this.previews = new Previews(client, changed);
    this.runs = new WorkflowRunList(client, id, changed);
    this.test = new TestCalls(client, id, changed);
  }

  /** The workflow with its unsaved changes. */
  get draft(): WorkflowDraft | undefined {
    return this.#history.present;
  }

  get dirty(): boolean {
    return this.draft !== this.#saved;
  }

  get canUndo(): boolean {
    return this.#history.canUndo;
  }

  get canRedo(): boolean {
    return this.#history.canRedo;
  }

  get node(): WorkflowNode | undefined {
    return this.draft?.nodes.find(({ name }) => name === this.selected);
  }

  typeOf(node: WorkflowNode): NodeInfo | undefined {
    return this.nodeTypes.get(node.type);
  }

  /** The labels of a node's outputs. The error output, if any, is the last. */
  outputsOf(node: WorkflowNode, errorLabel: string): string[] {
    const outputs = this.ports[node.name]?.outputs ?? this.typeOf(node)?.outputs ?? ['main'];
    return node.onError === 'continueErrorOutput' ? [...outputs, errorLabel] : outputs;
  }

  inputsOf(node: WorkflowNode): number {
    return this.ports[node.name]?.inputs ?? this.typeOf(node)?.inputs ?? 1;
  }

  /** Loads everything from the server. Unsaved changes stay. */
  async load(): Promise<void> {
    await this.attempt(async () => {
      try {
        const [workflow, types] = await Promise.all([this.client.workflow(this.id), this.client.nodeTypes()]);
        this.nodeTypes = new Map(types.map((type) => [type.name, type]));
        this.#receive(workflow);
        this.missing = false;
      } catch (error) {
        if (!(error instanceof ControlApiError && error.status === 404)) throw error;
        this.missing = true;
        return;
      }
      const [credentials, { data: kinds }] = await Promise.all([
        this.client.credentials(),
        this.client.credentialTypes(),
        this.runs.load(),
      ]);
      this.credentials = credentials;
      this.credentialLabels = Object.fromEntries(kinds.map(({ name, label }) => [name, label]));
      const newest = this.runs.list?.[0];
      if (newest && newest.id !== this.lastRun?.id) await this.#loadRun(newest.id);
    });
    if (!this.missing) await this.test.loadAddresses();
  }

  /** Loads the credentials again, which another screen may have changed. */
  async loadCredentials(): Promise<void> {
    await this.attempt(async () => {
      this.credentials = await this.client.credentials();
    });
  }

  #receive(workflow: StoredWorkflow): void {
    const former = this.stored;
    this.stored = workflow;
    if (former && former.versionId === workflow.versionId) return;
    if (former && this.dirty) {
      this.changedElsewhere = true;
      return;
    }
    this.loadStored();
  }

  /** Replaces the draft by the stored workflow, as an undoable change. */
  loadStored(): void {
    if (!this.stored) return;
    const draft = toDraft(this.stored);
    if (this.draft) this.#history.push(draft);
    else this.#history = new UndoHistory<WorkflowDraft | undefined>(draft);
    this.#saved = draft;
    this.changedElsewhere = false;
    this.selected ??= outlineOf(draft)[0]?.node.name;
    this.#afterChange();
  }

  select(name: string | undefined): void {
    this.selected = name;
    this.#afterChange();
  }

  /** @param mergeKey consecutive changes with the same key are undone in one step */
  change(edit: (draft: WorkflowDraft) => WorkflowDraft, mergeKey?: string): void {
    if (!this.draft) return;
    this.#history.push(edit(this.draft), mergeKey);
    this.#afterChange();
  }

  undo(): void {
    this.#history.undo();
    this.#afterChange();
  }

  redo(): void {
    this.#history.redo();
    this.#afterChange();
  }

  /** Saves the draft. Resolves to false when that failed. */
  async save(): Promise<boolean> {
    const { draft } = this;
    if (!draft || !this.dirty) return true;
    const live = this.stored?.active;
    return this.#whileBusy(async () => {
      const note = await attemptPublish(async () => {
        const stored = await this.client.save(this.id, draft);
        // Set before the server's event arrives, which would count as a change by another client.
        this.stored = stored;
        this.#saved = draft;
        this.changedElsewhere = false;
        return {};
      });
      this.note = note;
      if (note && !live) throw new Error(note.message);
      await this.test.loadAddresses();
      return note === undefined;
    });
  }

  async publish(): Promise<void> {
    if (!(await this.save())) return;
    await this.#whileBusy(async () => {
      this.note = await attemptPublish(async () => {
        const published = await this.client.publish(this.id);
        this.stored = published;
        return published;
      });
      await this.test.loadAddresses();
      return true;
    });
  }

  async unpublish(): Promise<void> {
    await this.#whileBusy(async () => {
      this.stored = await this.client.unpublish(this.id);
      this.note = undefined;
      await this.test.loadAddresses();
      return true;
    });
  }

  /** Saves unsaved changes, then starts a run. */
  async run(): Promise<void> {
    if (!(await this.save())) return;
    await this.#whileBusy(async () => {
      await this.client.run(this.id);
      return true;
    });
  }

  async listen(): Promise<void> {
    if (await this.save()) await this.attempt(() => this.test.listen());
  }

  onEvent(event: ServerEvent): void {
    const { workflowId, execution } = event.data;
    if (workflowId !== this.id) return;
    this.test.onEvent(event);
    this.#trackNode(event);
    if (event.type.startsWith('workflow') && !this.busy) void this.load();
    if (!execution) return;
    this.runs.onExecution(execution);
    if (event.type === 'executionFinished') this.#onRunEnded(execution.id);
  }

  #trackNode({ type, data: { nodeName } }: ServerEvent): void {
    const { size } = this.running;
    if (type === 'nodeExecuteBefore' && nodeName !== undefined) this.running.add(nodeName);
    if (type === 'nodeExecuteAfter' && nodeName !== undefined) this.running.delete(nodeName);
    if (type === 'executionFinished') this.running.clear();
    if (this.running.size !== size) this.changed();
  }

  /** Loads finished runs at a limited rate. The last one is always loaded. */
  #onRunEnded(id: string): void {
    const waiting = this.#endedRun !== undefined;
    this.#endedRun = id;
    if (waiting) return;
    this.#endTimer = setTimeout(
      () => {
        const newest = this.#endedRun!;
        this.#endedRun = undefined;
        this.#runLoadedAt = Date.now();
        void this.attempt(() => this.#loadRun(newest));
      },
      Math.max(0, this.#runLoadedAt + RUN_LOAD_INTERVAL - Date.now()),
    );
  }

  close(): void {
    clearTimeout(this.#endTimer);
    this.#endedRun = undefined;
    clearTimeout(this.#updateTimer);
    this.previews.close();
  }

  async #loadRun(id: string): Promise<void> {
    try {
      this.lastRun = await this.client.execution(id);
    } catch (error) {
      // Workflows can be set not to store their runs.
      if (!(error instanceof ControlApiError && error.status === 404)) throw error;
      return;
    }
    this.test.onRun(this.lastRun);
    this.#afterChange();
  }

  async #whileBusy(work: () => Promise<boolean>): Promise<boolean> {
    this.busy = true;
    this.changed();
    const done = await this.attempt(work);
    this.busy = false;
    this.changed();
    return done === true;
  }

  #afterChange(): void {
    if (this.draft && !this.node) this.selected = undefined;
    this.changed();
    clearTimeout(this.#updateTimer);
    this.#updateTimer = setTimeout(() => void this.#updateDerived(), UPDATE_DELAY);
  }

  async #updateDerived(): Promise<void> {
    const { draft, node } = this;
    if (!draft) return;
    this.previews.request(draft, node, this.lastRun?.id);
    if (!draft.nodes.some((candidate) => this.typeOf(candidate)?.dynamic)) return;
    const ports = await this.client.ports(draft).catch(() => undefined);
    if (!ports || draft !== this.draft) return;
    this.ports = ports;
    this.changed();
  }
}
