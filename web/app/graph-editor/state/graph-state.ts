import { UndoHistory } from '../../undo-history.ts';
import {
  type AfterRun,
  type Area,
  changeNode,
  closesCycle,
  emptyGraph,
  type Graph,
  type GraphNode,
  type Link,
  linkInto,
  moveNodes,
  type NodeId,
  type NodeNamer,
  sequentialIds,
  withLink,
  withNode,
  withoutLink,
  withoutNodes,
} from '../graph/graph.ts';
import type { ExactJsonObject, JsonValue } from '../graph/value.ts';
import { arrangeGraph } from '../layout/arrange.ts';
import { kindOf } from '../nodes/kind-of.ts';
import { nodeGeometry } from '../nodes/node-geometry.ts';
import { initialValue, type NodeKind, type NodeKinds, noKinds } from '../nodes/node-kind.ts';
import type { NodeResultFile } from '../nodes/node-result.ts';
import { graphStrings } from '../strings.ts';
import { Clipboard } from './clipboard.ts';
import { GroupEdits } from './group-edits.ts';

/** An error of a node, or of one `input` of it. */
export interface NodeProblem {
  input?: string | undefined;
  message: string;
}

/** The state of a node in the last run. */
export interface RunMark {
  state: 'running' | 'done' | 'cached' | 'failed';
  /** Completed steps and their total number. */
  progress?: { value: number; max: number } | undefined;
  /** A preview while the node runs, and its files afterwards. */
  results?: readonly NodeResultFile[] | undefined;
  texts?: readonly string[] | undefined;
  /** A short text next to the state. */
  note?: string | undefined;
}

/** Undo and redo. Assigning `present` changes the graph without an undo step. */
export interface UndoStack {
  present: Graph;
  readonly canUndo: boolean;
  readonly canRedo: boolean;
  push(next: Graph, key?: string): void;
  undo(): boolean;
  redo(): boolean;
}

/** The edited graph with its selection, undo steps, and the results of runs. Fires `change` after every change. */
export class GraphState extends EventTarget {
  kinds: NodeKinds = noKinds;
  selection: ReadonlySet<NodeId> = new Set();
  selectedLink: Link | undefined;
  marks: ReadonlyMap<NodeId, RunMark> = new Map();
  problems: ReadonlyMap<NodeId, readonly NodeProblem[]> = new Map();
  /** Number of graphs opened so far. The canvas zooms to the whole graph whenever it grows. */
  openCount = 0;
  /** Id of the selected group. */
  selectedGroup: string | undefined;
  readonly groups = new GroupEdits(this);
  readonly clipboard = new Clipboard(this, this.groups);

  constructor(private readonly history: UndoStack = new UndoHistory(emptyGraph, { mergeWindow: 1500 })) {
    super();
  }

  get graph(): Graph {
    return this.history.present;
  }

  get canUndo(): boolean {
    return this.history.canUndo;
  }

  get canRedo(): boolean {
    return this.history.canRedo;
  }

  changed(): void {
    this.dispatchEvent(new Event('change'));
  }

  kindOf(node: GraphNode): NodeKind {
    return kindOf(this.kinds, node, this.graph);
  }

  nameOf(node: GraphNode): string {
    return node.title ?? this.kindOf(node).title;
  }

  /** The accessible name: the node's name, with its id if that differs. */
  labelOf(node: GraphNode): string {
    const name = this.nameOf(node);
    return name === node.id ? name : graphStrings.node(name, node.id);
  }

  setKinds(kinds: NodeKinds): void {
    this.kinds = kinds;
    this.changed();
  }

  /** Replaces the graph and clears selection, marks and problems. It can be undone, but the first graph cannot. */
  open(graph: Graph): void {
    if (this.openCount === 0 && !this.canUndo) this.history.present = graph;
    this.marks = new Map();
    this.problems = new Map();
    this.selection = new Set();
    this.selectedLink = this.selectedGroup = undefined;
    this.openCount += 1;
    this.edit(graph);
  }

  /** Replaces the graph. Edits with the same `key` that follow each other soon become one undo step. */
  edit(graph: Graph, key?: string): void {
    if (graph === this.graph) return;
    this.history.push(graph, key);
    this.#dropRemoved();
    this.changed();
  }

  undo(): void {
    if (this.history.undo()) this.refresh();
  }

  redo(): void {
    if (this.history.redo()) this.refresh();
  }

  /** Call after the undo stack has changed the graph. */
  refresh(): void {
    this.#dropRemoved();
    this.changed();
  }

  /** Removes nodes, links and groups that no longer exist from the selection, the problems and the marks. */
  #dropRemoved(): void {
    const { nodes, links } = this.graph;
    const remaining = <T>(map: ReadonlyMap<NodeId, T>) => new Map([...map].filter(([id]) => nodes.has(id)));
    this.selection = new Set([...this.selection].filter((id) => nodes.has(id)));
    this.problems = remaining(this.problems);
    this.marks = remaining(this.marks);
    if (this.selectedLink && !links.includes(this.selectedLink)) this.selectedLink = undefined;
    if (!this.groups.get(this.selectedGroup)) this.selectedGroup = undefined;
  }

  select(ids: Iterable<NodeId>, mode: 'only' | 'also' | 'toggle' = 'only'): void {
    const next = new Set(mode === 'only' ? [] : this.selection);
    for (const id of ids) {
      if (mode === 'toggle' && next.has(id)) next.delete(id);
      else next.add(id);
    }
    const hadOtherSelection = this.selectedLink !== undefined || this.selectedGroup !== undefined;
    this.selectedLink = this.selectedGroup = undefined;
    if (
      !hadOtherSelection &&
      next.size === this.selection.size &&
      [...next].every((id) => this.selection.has(id))
    )
      return;
    this.selection = next;
    this.changed();
  }

  selectAll(): void {
    this.select(this.graph.nodes.keys());
  }

  selectLink(link: Link | undefined): void {
    this.selectedLink = link;
    this.selectedGroup = undefined;
    this.selection = new Set();
    this.changed();
  }

  selectGroup(id: string | undefined): void {
    this.selectedGroup = id;
    this.selectedLink = undefined;
    this.selection = new Set();
    this.changed();
  }

  /** Whether nodes, a link or a group are selected. */
  get hasSelection(): boolean {
    return this.selection.size > 0 || this.selectedLink !== undefined || this.selectedGroup !== undefined;
  }

  /** Adds a node, connects it to `wire` if that fits, and selects it. Returns its id. */
  add(
    kind: NodeKind,
    at: { x: number; y: number },
    wire?: Omit<Link, 'to' | 'input'> | Omit<Link, 'from' | 'output'>,
  ): NodeId {
    const id = this.namer()(kind);
    const values: ExactJsonObject = {};
    const afterRun: Record<string, AfterRun> = {};
    for (const { name, widget } of kind.inputs) {
      if (!widget) continue;
      values[name] = initialValue(widget);
      if (widget.kind === 'integer' && widget.changesAfterRun) afterRun[name] = 'randomize';
    }
    const node: GraphNode = {
      id,
      type: kind.type,
      x: Math.round(at.x),
      y: Math.round(at.y),
      values,
      ...(Object.keys(afterRun).length > 0 && { afterRun }),
    };
    let graph = withNode(this.graph, node);
    const link = wire && this.#completeLink(graph, node, wire);
    if (link) graph = withLink(graph, link, this.#acceptsMany(graph, link));
    this.selection = new Set([id]);
    this.selectedLink = this.selectedGroup = undefined;
    this.edit(graph);
    return id;
  }

  /** Returns a function that gives new nodes their ids. */
  namer(): NodeNamer {
    return this.kinds.namer?.(this.graph) ?? sequentialIds(this.graph);
  }

  /** The link between the loose wire `end` and the first matching socket of a new node. */
  #completeLink(
    graph: Graph,
    node: GraphNode,
    end: Omit<Link, 'to' | 'input'> | Omit<Link, 'from' | 'output'>,
  ): Link | undefined {
    const kind = this.kindOf(node);
    if ('from' in end) {
      const from = graph.nodes.get(end.from);
      const outputType = from && this.kindOf(from).outputs[end.output]?.socket;
      const fitting = kind.inputs.filter(
        ({ socket }) =>
          outputType !== undefined && socket !== undefined && this.kinds.canConnect(outputType, socket),
      );
      const input = fitting.find(({ widget }) => !widget) ?? fitting[0];
      return input && { ...end, to: node.id, input: input.name };
    }
    const to = graph.nodes.get(end.to);
    const inputType = to && this.kindOf(to).inputs.find(({ name }) => name === end.input)?.socket;
    const output = kind.outputs.findIndex(
      ({ socket }) => inputType !== undefined && this.kinds.canConnect(socket, inputType),
    );
    return output < 0 ? undefined : { ...end, from: node.id, output };
  }

  /** Whether the socket types match and the link closes no cycle. */
  canConnect({ from, output, to, input }: Link): boolean {
    const source = this.graph.nodes.get(from);
    const target = this.graph.nodes.get(to);
    if (!source || !target) return false;
    const outputType = this.kindOf(source).outputs[output]?.socket;
    const inputType = this.kindOf(target).inputs.find(({ name }) => name === input)?.socket;
    if (outputType === undefined || inputType === undefined || !this.kinds.canConnect(outputType, inputType))
      return false;
    return this.kinds.allowsCycles || !closesCycle(this.graph, from, to);
  }

  connect(link: Link, key?: string): boolean {
    if (!this.canConnect(link)) return false;
    this.#clearProblems(link.to, link.input);
    this.edit(withLink(this.graph, link, this.#acceptsMany(this.graph, link)), key);
    return true;
  }

  disconnect(link: Link, key?: string): void {
    this.edit(withoutLink(this.graph, link), key);
  }

  linkInto(to: NodeId, input: string): Link | undefined {
    return linkInto(this.graph, to, input);
  }

  #acceptsMany(graph: Graph, { to, input }: Link): boolean {
    const node = graph.nodes.get(to);
    return (
      node !== undefined &&
      this.kindOf(node).inputs.some(({ name, acceptsMany }) => name === input && acceptsMany)
    );
  }

  set(id: NodeId, name: string, value: JsonValue): void {
    const node = this.graph.nodes.get(id);
    if (!node || node.values[name] === value) return;
    this.#clearProblems(id, name);
    this.edit(
      changeNode(this.graph, id, { values: { ...node.values, [name]: value } }),
      `value ${id} ${name}`,
    );
  }

  setAfterRun(id: NodeId, name: string, after: AfterRun): void {
    const node = this.graph.nodes.get(id);
    if (node) this.edit(changeNode(this.graph, id, { afterRun: { ...node.afterRun, [name]: after } }));
  }

  /** Renames a node. An empty name restores the title of its kind. */
  rename(id: NodeId, name: string): void {
    const node = this.graph.nodes.get(id);
    if (!node || name === this.nameOf(node)) return;
    const { title: _, ...unnamed } = node;
    this.edit(withNode(this.graph, name.trim() ? { ...unnamed, title: name.trim() } : unnamed), `name ${id}`);
    // In workflows the name is the id: the selection follows it.
    if (!this.graph.nodes.has(id) && this.graph.nodes.has(name.trim())) this.select([name.trim()]);
  }

  move(places: ReadonlyMap<NodeId, { x: number; y: number }>, key?: string): void {
    this.edit(moveNodes(this.graph, places), key);
  }

  /** Moves the selection by `x` and `y` pixels. Repeated calls are one undo step. */
  nudge(x: number, y: number): void {
    if (this.selectedGroup !== undefined) this.groups.move(this.selectedGroup, x, y, 'nudge');
    const places = [...this.selection].flatMap((id) => {
      const node = this.graph.nodes.get(id);
      return node ? [[id, { x: node.x + x, y: node.y + y }] as const] : [];
    });
    if (places.length > 0) this.move(new Map(places), 'nudge');
  }

  /** Lays out the whole graph. Nodes stay in their groups. */
  arrange(): void {
    this.openCount += 1;
    this.edit(arrangeGraph(this.graph, (id) => this.areaOf(id)));
  }

  geometry(node: GraphNode) {
    const mark = this.marks.get(node.id);
    return nodeGeometry(this.kindOf(node), node, Boolean(mark?.results?.length || mark?.texts?.length));
  }

  areaOf(id: NodeId): Area {
    const node = this.graph.nodes.get(id);
    if (!node) return { x: 0, y: 0, width: 0, height: 0 };
    const { width, height } = this.geometry(node);
    return { x: node.x, y: node.y, width, height };
  }

  delete(ids: ReadonlySet<NodeId> = this.selection): void {
    if (ids.size > 0) this.edit(withoutNodes(this.graph, ids));
    else if (this.selectedGroup !== undefined) this.groups.remove(this.selectedGroup);
    else if (this.selectedLink) this.disconnect(this.selectedLink);
  }

  /** Sets the mode of all nodes in `ids`, or clears it when all of them have it. */
  toggleMode(mode: 'muted' | 'bypassed', ids: ReadonlySet<NodeId> = this.selection): void {
    const nodes = [...ids].flatMap((id) => this.graph.nodes.get(id) ?? []);
    const all = nodes.every((node) => node.mode === mode);
    let { graph } = this;
    for (const node of nodes) {
      const { mode: _, ...plain } = node;
      graph = withNode(graph, all ? plain : { ...plain, mode });
    }
    this.edit(graph);
  }

  /** Replaces the graph without an undo step, for changes that a run makes. */
  replace(graph: Graph): void {
    this.history.present = graph;
    this.changed();
  }

  setMark(id: NodeId, mark: Partial<RunMark> & Pick<RunMark, 'state'>): void {
    this.marks = new Map(this.marks).set(id, { ...this.marks.get(id), ...mark });
    this.changed();
  }

  setMarks(marks: ReadonlyMap<NodeId, RunMark>): void {
    this.marks = marks;
    this.changed();
  }

  setProblems(problems: ReadonlyMap<NodeId, readonly NodeProblem[]>): void {
    this.problems = problems;
    this.changed();
  }

  /** Removes the problems of an input whose value or link has changed. */
  #clearProblems(id: NodeId, input: string): void {
    const problems = this.problems.get(id);
    if (!problems) return;
    const left = problems.filter((problem) => problem.input !== input);
    const next = new Map(this.problems);
    if (left.length > 0) next.set(id, left);
    else next.delete(id);
    this.problems = next;
  }
}
