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
import type { JsonObject, JsonValue } from '../graph/value.ts';
import { arrangeGraph } from '../layout/arrange.ts';
import { kindOf } from '../nodes/kind-of.ts';
import { nodeGeometry } from '../nodes/node-geometry.ts';
import { initialValue, type NodeKind, type NodeKinds, noKinds } from '../nodes/node-kind.ts';
import type { NodeResult } from '../nodes/node-result.ts';
import { graphStrings } from '../strings.ts';
import { Clipboard } from './clipboard.ts';
import { GroupEdits } from './group-edits.ts';
import { UndoHistory } from './history.ts';

/** What is wrong with a node, in words; `input` when it is about one. */
export interface NodeProblem {
  input?: string | undefined;
  message: string;
}

/** What a run has shown of a node. */
export interface RunMark {
  state: 'running' | 'done' | 'cached' | 'failed';
  /** Steps done and in all. */
  progress?: { value: number; max: number } | undefined;
  /** A preview, or what it has made. */
  results?: readonly NodeResult[] | undefined;
  texts?: readonly string[] | undefined;
  /** A few words beside the state. */
  note?: string | undefined;
}

/** What can be undone; the present can be set without a step of its own. */
export interface UndoStack {
  present: Graph;
  readonly canUndo: boolean;
  readonly canRedo: boolean;
  push(next: Graph, key?: string): void;
  undo(): boolean;
  redo(): boolean;
}

/** A graph that is edited: what is chosen, what can be undone, what a run says. `change` is fired after every change. */
export class GraphState extends EventTarget {
  kinds: NodeKinds = noKinds;
  selection: ReadonlySet<NodeId> = new Set();
  /** The link that is chosen. */
  selectedLink: Link | undefined;
  marks: ReadonlyMap<NodeId, RunMark> = new Map();
  problems: ReadonlyMap<NodeId, readonly NodeProblem[]> = new Map();
  /** Counts graphs that were opened: each is shown whole at first. */
  openCount = 0;
  /** The group that is chosen. */
  selectedGroup: string | undefined;
  readonly groups = new GroupEdits(this);
  readonly clipboard = new Clipboard(this, this.groups);

  constructor(private readonly history: UndoStack = new UndoHistory(emptyGraph)) {
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

  /** For people who hear it: the name, and the id where that says more. */
  labelOf(node: GraphNode): string {
    const name = this.nameOf(node);
    return name === node.id ? name : graphStrings.node(name, node.id);
  }

  setKinds(kinds: NodeKinds): void {
    this.kinds = kinds;
    this.changed();
  }

  /** Shows another graph. It can be undone. */
  open(graph: Graph): void {
    this.marks = new Map();
    this.problems = new Map();
    this.selection = new Set();
    this.selectedLink = this.selectedGroup = undefined;
    this.openCount += 1;
    this.edit(graph);
  }

  /** Edits with the same key that follow each other soon are undone together. */
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

  /** The graph has become another by itself. */
  refresh(): void {
    this.#dropRemoved();
    this.changed();
  }

  /** What is gone is not chosen and has no faults. */
  #dropRemoved(): void {
    const { nodes, links } = this.graph;
    const remaining = <T>(map: ReadonlyMap<NodeId, T>) => new Map([...map].filter(([id]) => nodes.has(id)));
    this.selection = new Set([...this.selection].filter((id) => nodes.has(id)));
    this.problems = remaining(this.problems);
    this.marks = remaining(this.marks);
    if (this.selectedLink && !links.includes(this.selectedLink)) this.selectedLink = undefined;
    if (!this.groups.get(this.selectedGroup)) this.selectedGroup = undefined;
  }

  select(ids: Iterable<NodeId>, how: 'only' | 'also' | 'toggle' = 'only'): void {
    const next = new Set(how === 'only' ? [] : this.selection);
    for (const id of ids) {
      if (how === 'toggle' && next.has(id)) next.delete(id);
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

  /** Nodes, a link or a group. */
  get hasSelection(): boolean {
    return this.selection.size > 0 || this.selectedLink !== undefined || this.selectedGroup !== undefined;
  }

  /** Adds a node of a kind and chooses it. */
  add(
    kind: NodeKind,
    at: { x: number; y: number },
    wire?: Omit<Link, 'to' | 'input'> | Omit<Link, 'from' | 'output'>,
  ): NodeId {
    const id = this.namer()(kind);
    const values: JsonObject = {};
    const afterRun: Record<string, AfterRun> = {};
    for (const { name, widget } of kind.inputs) {
      if (!widget) continue;
      values[name] = initialValue(widget);
      if (widget.kind === 'whole' && widget.changesAfterRun) afterRun[name] = 'randomize';
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

  /** Names new nodes. */
  namer(): NodeNamer {
    return this.kinds.namer?.(this.graph) ?? sequentialIds(this.graph);
  }

  /** The link of a new node that an end was drawn for. */
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

  /** Whether a link may be drawn: the types fit, and it closes no circle. */
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

  /** An empty name gives it that of its kind. */
  rename(id: NodeId, name: string): void {
    const node = this.graph.nodes.get(id);
    if (!node || name === this.nameOf(node)) return;
    const { title: _, ...unnamed } = node;
    this.edit(withNode(this.graph, name.trim() ? { ...unnamed, title: name.trim() } : unnamed), `name ${id}`);
    // Where names are what nodes are known by.
    if (!this.graph.nodes.has(id) && this.graph.nodes.has(name.trim())) this.select([name.trim()]);
  }

  move(places: ReadonlyMap<NodeId, { x: number; y: number }>, key?: string): void {
    this.edit(moveNodes(this.graph, places), key);
  }

  /** By keys: what is chosen goes so many pixels. */
  nudge(x: number, y: number): void {
    if (this.selectedGroup !== undefined) this.groups.move(this.selectedGroup, x, y, 'nudge');
    const places = [...this.selection].flatMap((id) => {
      const node = this.graph.nodes.get(id);
      return node ? [[id, { x: node.x + x, y: node.y + y }] as const] : [];
    });
    if (places.length > 0) this.move(new Map(places), 'nudge');
  }

  /** Groups keep what is in them. */
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

  /** Sets what is chosen to a mode, or back when all of it is in that already. */
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

  /** Replaces the graph without a step of its own: what a run changes is not undone. */
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

  /** What was wrong with an input may be right now. */
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
