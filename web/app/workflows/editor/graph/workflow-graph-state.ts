import type { Graph, NodeId } from '#web/app/graph-editor/graph/graph.ts';
import {
  GraphState,
  type NodeProblem,
  type RunMark,
  type UndoStack,
} from '#web/app/graph-editor/state/graph-state.ts';
import { workflowStrings } from '#web/app/strings/workflows.ts';
import type { WorkflowDraft } from '../../api-types.ts';
import type { PageState } from '../page-state.ts';
import { parseDraft } from '../read-draft.ts';
import { applyGraphEdit, draftToGraph } from './draft-graph.ts';
import { WorkflowNodeTypes } from './workflow-node-types.ts';

/** Presents the draft and the undo history of the page as those of the graph editor, so that there is only one. */
class DraftHistory implements UndoStack {
  #shown: { draft: WorkflowDraft; graph: Graph } | undefined;

  constructor(private readonly page: PageState) {}

  get present(): Graph {
    const { draft } = this.page;
    if (!draft) return EMPTY_GRAPH;
    if (this.#shown?.draft !== draft) this.#shown = { draft, graph: draftToGraph(draft, this.#shown?.graph) };
    return this.#shown.graph;
  }

  set present(graph: Graph) {
    this.push(graph);
  }

  get canUndo(): boolean {
    return this.page.canUndo;
  }

  get canRedo(): boolean {
    return this.page.canRedo;
  }

  push(next: Graph, key?: string): void {
    const before = this.present;
    this.page.change((draft) => applyGraphEdit(draft, before, next, this.page.nodeTypes), key);
  }

  undo(): boolean {
    this.page.undo();
    return true;
  }

  redo(): boolean {
    this.page.redo();
    return true;
  }
}

const EMPTY_GRAPH: Graph = { nodes: new Map(), links: [] };

/** The state of the graph editor for a workflow. Keeps draft, selection, and results of the last run in step with the page. */
export class WorkflowGraphState {
  readonly state: GraphState;
  readonly #closing = new AbortController();
  #draft: WorkflowDraft | undefined;
  /** The selected node of the page at the last synchronization. */
  #selected: string | undefined;

  constructor(private readonly page: PageState) {
    this.state = new GraphState(new DraftHistory(page));
    this.state.setKinds(
      new WorkflowNodeTypes(
        () => page.nodeTypes,
        (name) => {
          const node = page.draft?.nodes.find((candidate) => candidate.name === name);
          return (
            node && {
              inputs: page.inputsOf(node),
              outputs: page.outputsOf(node, workflowStrings.node.errorOutput),
            }
          );
        },
      ),
    );
    const { signal } = this.#closing;
    page.addEventListener('change', () => this.#syncFromPage(), { signal });
    this.state.addEventListener('change', () => this.#syncSelection(), { signal });
    this.#syncFromPage();
  }

  close(): void {
    this.#closing.abort();
  }

  /** Inserts the nodes of a workflow in JSON, as n8n's editor copies it. Returns false for other texts. */
  pasteText(text: string): boolean {
    const { draft } = this.page;
    if (!draft) return false;
    try {
      const { nodes, links, groups } = draftToGraph(parseDraft(text, draft));
      this.state.clipboard.insert({
        nodes: [...nodes.values()],
        links: [...links],
        groups: [...(groups ?? [])],
      });
      return true;
    } catch (error) {
      this.page.failure = (error as Error).message;
      this.page.changed();
      return false;
    }
  }

  #syncFromPage(): void {
    const { page, state } = this;
    if (page.draft && state.openCount === 0) state.openCount = 1;
    state.marks = this.#marks();
    state.problems = this.#problems();
    if (page.selected !== this.#selected) {
      this.#selected = page.selected;
      const isChosen = page.selected !== undefined && state.graph.nodes.has(page.selected);
      if (isChosen && !state.selection.has(page.selected!)) state.selection = new Set([page.selected!]);
    }
    if (page.draft !== this.#draft) {
      this.#draft = page.draft;
      state.refresh();
    } else state.changed();
  }

  #syncSelection(): void {
    const [first] = this.state.selection;
    if (this.state.selection.size !== 1 || first === this.page.selected) return;
    this.#selected = first;
    this.page.select(first);
  }

  #marks(): Map<NodeId, RunMark> {
    const marks = new Map<NodeId, RunMark>();
    for (const [name, tasks] of Object.entries(this.page.lastRun?.data?.resultData.runData ?? {})) {
      const task = tasks.at(-1);
      if (!task) continue;
      const items = task.data?.main?.reduce((sum, output) => sum + (output?.length ?? 0), 0);
      marks.set(name, {
        state: task.error ? 'failed' : 'done',
        note: items === undefined ? undefined : workflowStrings.node.items(items),
      });
    }
    for (const name of this.page.running) marks.set(name, { state: 'running' });
    return marks;
  }

  #problems(): Map<NodeId, NodeProblem[]> {
    const problems = new Map<NodeId, NodeProblem[]>();
    const add = (name: string, message: string) =>
      problems.set(name, [...(problems.get(name) ?? []), { message }]);
    for (const { node, issues } of this.page.note?.problems ?? [])
      for (const issue of issues) add(node, issue);
    for (const [name, tasks] of Object.entries(this.page.lastRun?.data?.resultData.runData ?? {})) {
      const message = tasks.at(-1)?.error?.message;
      if (message) add(name, message);
    }
    return problems;
  }
}
