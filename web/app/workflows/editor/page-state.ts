import { ObservableState } from '../../ui/observable-state.ts';
import type {
  Credential,
  ExecutionDetail,
  NodeInfo,
  Ports,
  ServerEvent,
  StoredWorkflow,
  WorkflowDraft,
  WorkflowNode,
} from '../api-types.ts';
import { type PublishNote, publishNote } from '../list-state.ts';
import { ControlFailure, type WorkflowClient } from '../workflow-client.ts';
import { draftOf } from './draft.ts';
import { outlineOf } from './outline.ts';
import { Previews } from './previews.ts';
import { RunList } from './run-list.ts';
import { TestCalls } from './test-calls.ts';
import { History } from './undo-history.ts';

/** Milliseconds after a change until what depends on it is asked of the server. */
const SETTLE = 250;

/** Milliseconds between two runs that are looked at while many end. */
const BREATH = 1000;

/** One workflow as it is being changed, and what the server knows of it. */
export class PageState extends ObservableState {
  stored: StoredWorkflow | undefined;
  /** There is no such workflow (any more). */
  gone = false;
  /** It was changed elsewhere while there were changes here. */
  changedElsewhere = false;
  nodeTypes = new Map<string, NodeInfo>();
  credentials: Credential[] = [];
  /** What kinds of credentials are called, by their type. */
  credentialLabels: Record<string, string> = {};
  ports: Ports = {};
  selected: string | undefined;
  note: PublishNote | undefined;
  /** Saving, publishing or starting a run. */
  busy = false;
  /** The newest run, with its data. */
  lastRun: ExecutionDetail | undefined;
  /** Nodes that run right now. */
  readonly running = new Set<string>();
  readonly previews: Previews;
  readonly runs: RunList;
  readonly test: TestCalls;
  #history = new History<WorkflowDraft | undefined>(undefined);
  #saved: WorkflowDraft | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** The run that ended last and was not looked at yet. */
  #ended: string | undefined;
  #endTimer: ReturnType<typeof setTimeout> | undefined;
  #shownAt = 0;

  constructor(
    readonly client: WorkflowClient,
    readonly id: string,
  ) {
    super();
    const changed = () => this.changed();
    this.previews = new Previews(client, changed);
    this.runs = new RunList(client, id, changed);
    this.test = new TestCalls(client, id, changed);
  }

  /** As it stands, saved or not. */
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

  /** Labels of the outputs; the error output, where the node has one, comes last. */
  outputsOf(node: WorkflowNode, errorLabel: string): string[] {
    const outputs = this.ports[node.name]?.outputs ?? this.typeOf(node)?.outputs ?? ['main'];
    return node.onError === 'continueErrorOutput' ? [...outputs, errorLabel] : outputs;
  }

  inputsOf(node: WorkflowNode): number {
    return this.ports[node.name]?.inputs ?? this.typeOf(node)?.inputs ?? 1;
  }

  /** All that is shown. What is being changed here stays. */
  async load(): Promise<void> {
    await this.attempt(async () => {
      try {
        const [workflow, types] = await Promise.all([this.client.workflow(this.id), this.client.nodeTypes()]);
        this.nodeTypes = new Map(types.map((type) => [type.name, type]));
        this.#take(workflow);
        this.gone = false;
      } catch (error) {
        if (!(error instanceof ControlFailure && error.status === 404)) throw error;
        this.gone = true;
        return;
      }
      const [credentials, kinds] = await Promise.all([
        this.client.credentials(),
        this.client.credentialTypes(),
        this.runs.load(),
      ]);
      this.credentials = credentials;
      this.credentialLabels = Object.fromEntries(kinds.map(({ name, label }) => [name, label]));
      const newest = this.runs.list?.[0];
      if (newest && newest.id !== this.lastRun?.id) await this.#showRun(newest.id);
    });
    if (!this.gone) await this.test.loadAddresses();
  }

  /** They may have been added since, on a screen beside this one. */
  async loadCredentials(): Promise<void> {
    await this.attempt(async () => {
      this.credentials = await this.client.credentials();
    });
  }

  #take(workflow: StoredWorkflow): void {
    const former = this.stored;
    this.stored = workflow;
    if (former && former.versionId === workflow.versionId) return;
    if (former && this.dirty) {
      this.changedElsewhere = true;
      return;
    }
    this.takeTheirs();
  }

  /** What is stored, instead of what was changed here. It can be undone. */
  takeTheirs(): void {
    if (!this.stored) return;
    const draft = draftOf(this.stored);
    if (this.draft) this.#history.push(draft);
    else this.#history = new History<WorkflowDraft | undefined>(draft);
    this.#saved = draft;
    this.changedElsewhere = false;
    this.selected ??= outlineOf(draft)[0]?.node.name;
    this.#settled();
  }

  select(name: string | undefined): void {
    this.selected = name;
    this.#settled();
  }

  /** `what`: changes of the same thing one after the other are undone together. */
  change(change: (draft: WorkflowDraft) => WorkflowDraft, what?: string): void {
    if (!this.draft) return;
    this.#history.push(change(this.draft), what);
    this.#settled();
  }

  undo(): void {
    this.#history.undo();
    this.#settled();
  }

  redo(): void {
    this.#history.redo();
    this.#settled();
  }

  /** False when it failed. */
  async save(): Promise<boolean> {
    const { draft } = this;
    if (!draft || !this.dirty) return true;
    const live = this.stored?.active;
    return this.#work(async () => {
      const note = await publishNote(async () => {
        const stored = await this.client.save(this.id, draft);
        // Before anything else is heard of it: it is what stands here.
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
    await this.#work(async () => {
      this.note = await publishNote(async () => {
        const published = await this.client.publish(this.id);
        this.stored = published;
        return published;
      });
      await this.test.loadAddresses();
      return true;
    });
  }

  async unpublish(): Promise<void> {
    await this.#work(async () => {
      this.stored = await this.client.unpublish(this.id);
      this.note = undefined;
      await this.test.loadAddresses();
      return true;
    });
  }

  /** Of what is saved: what is not is saved first. */
  async run(): Promise<void> {
    if (!(await this.save())) return;
    await this.#work(async () => {
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
    this.#follow(event);
    if (event.type.startsWith('workflow') && !this.busy) void this.load();
    if (!execution) return;
    this.runs.onExecution(execution);
    if (event.type === 'executionFinished') this.#runEnded(execution.id);
  }

  #follow({ type, data: { nodeName } }: ServerEvent): void {
    const { size } = this.running;
    if (type === 'nodeExecuteBefore' && nodeName !== undefined) this.running.add(nodeName);
    if (type === 'nodeExecuteAfter' && nodeName !== undefined) this.running.delete(nodeName);
    if (type === 'executionFinished') this.running.clear();
    if (this.running.size !== size) this.changed();
  }

  /** Of many runs at once only some are looked at, and always the last. */
  #runEnded(id: string): void {
    const waiting = this.#ended !== undefined;
    this.#ended = id;
    if (waiting) return;
    this.#endTimer = setTimeout(
      () => {
        const newest = this.#ended!;
        this.#ended = undefined;
        this.#shownAt = Date.now();
        void this.attempt(() => this.#showRun(newest));
      },
      Math.max(0, this.#shownAt + BREATH - Date.now()),
    );
  }

  close(): void {
    clearTimeout(this.#endTimer);
    this.#ended = undefined;
    clearTimeout(this.#timer);
    this.previews.close();
  }

  async #showRun(id: string): Promise<void> {
    try {
      this.lastRun = await this.client.execution(id);
    } catch (error) {
      // A run that is not kept is no failure of this page.
      if (!(error instanceof ControlFailure && error.status === 404)) throw error;
      return;
    }
    this.test.onRun(this.lastRun);
    this.#settled();
  }

  async #work(work: () => Promise<boolean>): Promise<boolean> {
    this.busy = true;
    this.changed();
    const done = await this.attempt(work);
    this.busy = false;
    this.changed();
    return done === true;
  }

  #settled(): void {
    if (this.draft && !this.node) this.selected = undefined;
    this.changed();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#askAgain(), SETTLE);
  }

  async #askAgain(): Promise<void> {
    const { draft, node } = this;
    if (!draft) return;
    this.previews.ask(draft, node, this.lastRun?.id);
    if (!draft.nodes.some((one) => this.typeOf(one)?.dynamic)) return;
    const ports = await this.client.ports(draft).catch(() => undefined);
    if (!ports || draft !== this.draft) return;
    this.ports = ports;
    this.changed();
  }
}
