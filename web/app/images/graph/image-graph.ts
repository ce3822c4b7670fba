import { graphText, type ImageSettings, suggestedSettings } from '#core/api-client';
import { errorMessage } from '#core/base';
import { changeNode, type Graph, type GraphNode, type NodeId } from '../../graph-editor/graph/graph.ts';
import { type JsonValue, parseExactJson, printExactJson } from '../../graph-editor/graph/value.ts';
import type { NodeResultFile } from '../../graph-editor/nodes/node-result.ts';
import { GraphState, type RunMark } from '../../graph-editor/state/graph-state.ts';
import { graphStrings } from '../../graph-editor/strings.ts';
import { kindOfFile } from '../file-kind.ts';
import { GraphRejectedError, type ImageClient, NodeFailedError, type PromptEvent } from '../image-client.ts';
import { valueAfterRun } from './after-run.ts';
import { toApiFormat } from './formats/api-format.ts';
import { readGraphFile, readGraphText } from './formats/graph-file.ts';
import { toSavedFormat } from './formats/saved-format.ts';
import { readKinds } from './object-info.ts';
import type { SubmittedRun } from './runs/queue-client.ts';

const DRAFT_KEY = 'tabd.graph';
/** Milliseconds after the last change before the draft is saved. */
const DRAFT_DELAY = 400;

/** Sets all seeds to change after each run, as the form does. */
function randomizeSeeds(graph: Graph): Graph {
  const nodes = [...graph.nodes].map(([id, node]): [NodeId, GraphNode] =>
    'seed' in node.values ? [id, { ...node, afterRun: { seed: 'randomize' } }] : [id, node],
  );
  return { ...graph, nodes: new Map(nodes) };
}

/** The edited graph of image nodes and its runs. `state` fires `change` for both. */
export class ImageGraph {
  readonly state = new GraphState();
  /** The error message to show. */
  failure: string | undefined;
  /** How the last run ended. */
  lastStatus: string | undefined;
  #runs: AbortController[] = [];
  #current: NodeId | undefined;
  /** The run whose node is running. Waiting runs do not change that node's mark. */
  #activeRun: AbortController | undefined;
  /** The node that shows a preview. The preview is removed when the node ends. */
  #previewed: NodeId | undefined;
  #draftTimer: ReturnType<typeof setTimeout> | undefined;
  #draft: Graph | undefined;

  constructor(
    private readonly client: ImageClient,
    private readonly settings: () => ImageSettings,
  ) {
    this.state.addEventListener('change', () => this.#saveDraft());
  }

  get isRunning(): boolean {
    return this.#runs.length > 0;
  }

  get waitingCount(): number {
    return Math.max(0, this.#runs.length - 1);
  }

  /** Id of the running node. */
  get runningNode(): NodeId | undefined {
    return this.#current;
  }

  /** Loads the node kinds. The first call opens the stored draft, or the graph of the prompt form. */
  async load(): Promise<void> {
    await this.#attempt(async () => {
      const kinds = readKinds(parseExactJson(await this.client.objectInfo()));
      this.state.setKinds(kinds);
      if (this.state.openCount > 0) return;
      const draft = localStorage.getItem(DRAFT_KEY);
      try {
        if (draft !== null) return this.state.open(readGraphText(draft, kinds));
      } catch {
        // An unreadable draft is ignored.
      }
      await this.#openForm();
    });
  }

  /** Opens the graph of the prompt form. */
  async openFormGraph(): Promise<void> {
    await this.#attempt(() => this.#openForm());
  }

  async #openForm(): Promise<void> {
    let settings = this.settings();
    const loader = this.state.kinds.get('CheckpointLoaderSimple')?.inputs[0]?.widget;
    const checkpoints = loader?.kind === 'choice' ? loader.options : [];
    const [first] = checkpoints;
    if (first !== undefined && !checkpoints.includes(settings.checkpoint)) {
      const [width, height] = (await this.client.resolution(first).catch(() => undefined)) ?? [512, 512];
      settings = { ...settings, checkpoint: first, ...suggestedSettings(first), width, height };
    }
    this.state.open(randomizeSeeds(readGraphText(graphText(settings), this.state.kinds)));
  }

  async openFile(file: Blob): Promise<void> {
    await this.#attempt(async () => this.state.open(await readGraphFile(file, this.state.kinds)));
  }

  async openText(text: string): Promise<void> {
    await this.#attempt(async () => this.state.open(readGraphText(text, this.state.kinds)));
  }

  /** Opens the graph of a run, with its layout if that was saved. */
  async openRun({ workflow, prompt }: SubmittedRun): Promise<void> {
    await this.openText(printExactJson(workflow ?? prompt));
  }

  /** The graph in the saved format, as JSON text. */
  savedText(): string {
    return printExactJson(toSavedFormat(this.state.graph, this.state.kinds), 2);
  }

  apiText(): string {
    return printExactJson(toApiFormat(this.state.graph, this.state.kinds), 2);
  }

  async upload(file: File): Promise<string> {
    const name = await this.client.upload(file);
    this.state.setKinds(readKinds(parseExactJson(await this.client.objectInfo())));
    return name;
  }

  async run(): Promise<void> {
    const { state } = this;
    const abort = new AbortController();
    this.#runs.push(abort);
    this.failure = this.lastStatus = undefined;
    state.setProblems(new Map());
    const { graph, kinds } = state;
    try {
      const events = this.client.run(
        printExactJson(toApiFormat(graph, kinds)),
        abort.signal,
        printExactJson(toSavedFormat(graph, kinds)),
      );
      for await (const event of events) await this.#handleEvent(event, abort);
      if (this.#activeRun === abort) this.#finishNode('done');
      this.lastStatus = graphStrings.finished;
    } catch (error) {
      this.#fail(error, abort);
    } finally {
      this.#runs = this.#runs.filter((run) => run !== abort);
      state.changed();
    }
  }

  /** Interrupts the running prompt. The next one starts. */
  stop(): void {
    this.#runs[0]?.abort();
  }

  clearWaiting(): void {
    for (const run of this.#runs.slice(1)) run.abort();
  }

  #fail(error: unknown, run: AbortController): void {
    const { state } = this;
    const isActive = this.#activeRun === run;
    if (run.signal.aborted || (error instanceof DOMException && error.name === 'AbortError')) {
      if (isActive) this.#clearNode();
      this.lastStatus = graphStrings.interrupted;
      return;
    }
    if (error instanceof GraphRejectedError) {
      const shown = new Map([...error.problems].filter(([id]) => state.graph.nodes.has(id)));
      if (shown.size > 0) {
        this.lastStatus = graphStrings.invalid(shown.size);
        state.setProblems(shown);
        return;
      }
    }
    this.failure = errorMessage(error);
    if (isActive && !(error instanceof NodeFailedError)) this.#clearNode();
    if (error instanceof NodeFailedError && state.graph.nodes.has(error.node)) {
      state.setProblems(new Map([[error.node, [{ message: error.message }]]]));
      this.#finishNode('failed');
      this.failure = undefined;
      this.lastStatus = graphStrings.failed;
    }
  }

  async #handleEvent(event: PromptEvent, run: AbortController): Promise<void> {
    const { state } = this;
    switch (event.type) {
      case 'accepted':
        if (event.problems.size > 0) state.setProblems(event.problems);
        this.#changeSeeds();
        return;
      case 'started': {
        const cached = new Set(event.cached);
        const marks = new Map<NodeId, RunMark>();
        for (const id of state.graph.nodes.keys()) {
          const { results, texts } = state.marks.get(id) ?? {};
          if (cached.has(id)) marks.set(id, { state: 'cached', results, texts });
          else if (results || texts) marks.set(id, { state: 'done', results, texts });
        }
        return state.setMarks(marks);
      }
      case 'node':
        this.#finishNode('done');
        this.#current = event.node;
        this.#activeRun = run;
        if (state.graph.nodes.has(event.node)) state.setMark(event.node, { state: 'running' });
        return;
      case 'step':
        if (this.#current !== undefined && state.graph.nodes.has(this.#current))
          state.setMark(this.#current, {
            state: 'running',
            progress: { value: event.step, max: event.steps },
          });
        return;
      case 'preview':
        if (this.#activeRun !== run || this.#current === undefined || !state.graph.nodes.has(this.#current))
          return;
        this.#previewed = this.#current;
        return this.#show(this.#current, 'running', [
          { kind: 'image', url: URL.createObjectURL(event.image), name: '' },
        ]);
      case 'output': {
        if (!state.graph.nodes.has(event.node)) return;
        const results = await Promise.all(
          event.files.map(async (file): Promise<NodeResultFile> => {
            const name = file.filename;
            const url = URL.createObjectURL(await this.client.viewFile(file));
            return { kind: kindOfFile(name), url, name };
          }),
        );
        if (this.#previewed === event.node) this.#previewed = undefined;
        const texts = event.texts.length > 0 ? event.texts : undefined;
        return this.#show(event.node, state.marks.get(event.node)?.state ?? 'done', results, texts);
      }
    }
  }

  #show(id: NodeId, mark: RunMark['state'], results: NodeResultFile[], texts?: string[]): void {
    for (const { url } of this.state.marks.get(id)?.results ?? []) URL.revokeObjectURL(url);
    this.state.setMark(id, { state: mark, results: results.length > 0 ? results : undefined, texts });
  }

  #finishNode(as: 'done' | 'failed'): void {
    const id = this.#current;
    this.#current = undefined;
    const mark = id === undefined ? undefined : this.state.marks.get(id);
    if (id === undefined || !mark) return;
    if (this.#previewed === id) {
      this.#previewed = undefined;
      this.#show(id, as, []);
    }
    this.state.setMark(id, { state: as, progress: undefined });
  }

  /** Removes the mark of an interrupted node. */
  #clearNode(): void {
    const id = this.#current;
    if (id === undefined) return;
    this.#finishNode('done');
    const marks = new Map(this.state.marks);
    marks.delete(id);
    this.state.setMarks(marks);
  }

  #changeSeeds(): void {
    let { graph } = this.state;
    for (const node of graph.nodes.values()) {
      const values: Record<string, JsonValue> = { ...node.values };
      for (const [name, after] of Object.entries(node.afterRun ?? {})) {
        const widget = this.state.kindOf(node).inputs.find((input) => input.name === name)?.widget;
        const value = values[name];
        if (widget?.kind === 'integer' && value !== undefined && after !== 'fixed')
          values[name] = valueAfterRun(value, after, widget);
      }
      if (Object.entries(values).some(([name, value]) => value !== node.values[name]))
        graph = changeNode(graph, node.id, { values });
    }
    if (graph !== this.state.graph) this.state.replace(graph);
  }

  async #attempt(work: () => Promise<void>): Promise<void> {
    this.failure = undefined;
    try {
      await work();
    } catch (error) {
      this.failure = errorMessage(error);
    }
    this.state.changed();
  }

  /** Stores the graph for the next visit. */
  #saveDraft(): void {
    if (this.state.graph === this.#draft || this.state.openCount === 0) return;
    this.#draft = this.state.graph;
    clearTimeout(this.#draftTimer);
    this.#draftTimer = setTimeout(() => {
      try {
        localStorage.setItem(DRAFT_KEY, printExactJson(toSavedFormat(this.state.graph, this.state.kinds)));
      } catch {
        // The graph exceeds the storage quota. It can still be saved as a file.
      }
    }, DRAFT_DELAY);
  }
}
