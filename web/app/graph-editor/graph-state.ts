import { cut, type Fragment, parseFragment, paste, printFragment } from './model/fragment.ts';
import { geometryOf } from './model/geometry.ts';
import {
  type AfterRun,
  changeNode,
  closesCircle,
  emptyGraph,
  freshId,
  type Graph,
  type GraphNode,
  type Link,
  linkInto,
  moveNodes,
  type NodeId,
  withLink,
  withNode,
  withoutLink,
  withoutNodes,
} from './model/graph.ts';
import { History } from './model/history.ts';
import { kindOf } from './model/kind-of.ts';
import { arrange } from './model/layout.ts';
import { initialValue, type NodeKind, type NodeKinds, noKinds } from './model/node-kind.ts';
import type { Fields, Value } from './model/value.ts';

/** What is wrong with a node, in words; `input` when it is about one. */
export interface Problem {
  input?: string | undefined;
  message: string;
}

/** What a run has shown of a node. */
export interface Mark {
  state: 'running' | 'done' | 'kept' | 'failed';
  /** Steps done and in all. */
  progress?: { value: number; max: number } | undefined;
  /** Object URLs, a preview or the results. */
  pictures?: readonly string[] | undefined;
  texts?: readonly string[] | undefined;
}

interface Shown {
  graph: Graph;
  selection: ReadonlySet<NodeId>;
}

const PASTE_OFFSET = 40;

/** A graph that is edited: what is chosen, what can be undone, what a run says. `change` is fired after every change. */
export class GraphState extends EventTarget {
  kinds: NodeKinds = noKinds;
  selection: ReadonlySet<NodeId> = new Set();
  /** The link that is chosen. */
  link: Link | undefined;
  marks: ReadonlyMap<NodeId, Mark> = new Map();
  problems: ReadonlyMap<NodeId, readonly Problem[]> = new Map();
  /** Counts graphs that were opened: each is shown whole at first. */
  opened = 0;
  #history = new History<Shown>({ graph: emptyGraph, selection: new Set() });
  #clipboard: Fragment | undefined;
  #pastes = 0;

  get graph(): Graph {
    return this.#history.present.graph;
  }

  get canUndo(): boolean {
    return this.#history.canUndo;
  }

  get canRedo(): boolean {
    return this.#history.canRedo;
  }

  get canPaste(): boolean {
    return this.#clipboard !== undefined;
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

  setKinds(kinds: NodeKinds): void {
    this.kinds = kinds;
    this.changed();
  }

  /** Shows another graph. It can be undone. */
  open(graph: Graph): void {
    this.marks = new Map();
    this.problems = new Map();
    this.selection = new Set();
    this.link = undefined;
    this.opened += 1;
    this.#edit(graph);
  }

  /** Edits with the same key that follow each other soon are undone together. */
  #edit(graph: Graph, key?: string): void {
    if (graph === this.graph) return;
    this.#history.push({ graph, selection: this.selection }, key);
    this.#keepWhatIs();
    this.changed();
  }

  undo(): void {
    if (this.#history.undo()) this.#travelled();
  }

  redo(): void {
    if (this.#history.redo()) this.#travelled();
  }

  #travelled(): void {
    this.#keepWhatIs();
    this.changed();
  }

  /** What is gone is not chosen and has no faults. */
  #keepWhatIs(): void {
    const { nodes, links } = this.graph;
    const there = <T>(map: ReadonlyMap<NodeId, T>) => new Map([...map].filter(([id]) => nodes.has(id)));
    this.selection = new Set([...this.selection].filter((id) => nodes.has(id)));
    this.problems = there(this.problems);
    this.marks = there(this.marks);
    if (this.link && !links.includes(this.link)) this.link = undefined;
  }

  select(ids: Iterable<NodeId>, how: 'only' | 'also' | 'toggle' = 'only'): void {
    const next = new Set(how === 'only' ? [] : this.selection);
    for (const id of ids) {
      if (how === 'toggle' && next.has(id)) next.delete(id);
      else next.add(id);
    }
    this.link = undefined;
    if (next.size === this.selection.size && [...next].every((id) => this.selection.has(id))) return;
    this.selection = next;
    this.changed();
  }

  selectAll(): void {
    this.select(this.graph.nodes.keys());
  }

  selectLink(link: Link | undefined): void {
    this.link = link;
    this.selection = new Set();
    this.changed();
  }

  /** Adds a node of a kind and chooses it. */
  add(
    kind: NodeKind,
    at: { x: number; y: number },
    wire?: Omit<Link, 'to' | 'input'> | Omit<Link, 'from' | 'output'>,
  ): NodeId {
    const id = freshId(this.graph);
    const values: Fields = {};
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
    const link = wire && this.#completed(graph, node, wire);
    if (link) graph = withLink(graph, link, this.#takesMany(graph, link));
    this.selection = new Set([id]);
    this.#edit(graph);
    return id;
  }

  /** The link of a new node that an end was drawn for. */
  #completed(
    graph: Graph,
    node: GraphNode,
    end: Omit<Link, 'to' | 'input'> | Omit<Link, 'from' | 'output'>,
  ): Link | undefined {
    const kind = this.kindOf(node);
    if ('from' in end) {
      const from = graph.nodes.get(end.from);
      const given = from && this.kindOf(from).outputs[end.output]?.socket;
      const fitting = kind.inputs.filter(
        ({ socket }) => given !== undefined && socket !== undefined && this.kinds.fits(given, socket),
      );
      const input = fitting.find(({ widget }) => !widget) ?? fitting[0];
      return input && { ...end, to: node.id, input: input.name };
    }
    const to = graph.nodes.get(end.to);
    const wanted = to && this.kindOf(to).inputs.find(({ name }) => name === end.input)?.socket;
    const output = kind.outputs.findIndex(
      ({ socket }) => wanted !== undefined && this.kinds.fits(socket, wanted),
    );
    return output < 0 ? undefined : { ...end, from: node.id, output };
  }

  /** Whether a link may be drawn: the types fit, and it closes no circle. */
  mayConnect({ from, output, to, input }: Link): boolean {
    const source = this.graph.nodes.get(from);
    const target = this.graph.nodes.get(to);
    if (!source || !target) return false;
    const given = this.kindOf(source).outputs[output]?.socket;
    const wanted = this.kindOf(target).inputs.find(({ name }) => name === input)?.socket;
    if (given === undefined || wanted === undefined || !this.kinds.fits(given, wanted)) return false;
    return !closesCircle(this.graph, from, to);
  }

  connect(link: Link, key?: string): boolean {
    if (!this.mayConnect(link)) return false;
    this.#settle(link.to, link.input);
    this.#edit(withLink(this.graph, link, this.#takesMany(this.graph, link)), key);
    return true;
  }

  disconnect(link: Link, key?: string): void {
    this.#edit(withoutLink(this.graph, link), key);
  }

  linkInto(to: NodeId, input: string): Link | undefined {
    return linkInto(this.graph, to, input);
  }

  #takesMany(graph: Graph, { to, input }: Link): boolean {
    const node = graph.nodes.get(to);
    return node !== undefined && this.kindOf(node).inputs.some(({ name, many }) => name === input && many);
  }

  set(id: NodeId, name: string, value: Value): void {
    const node = this.graph.nodes.get(id);
    if (!node || node.values[name] === value) return;
    this.#settle(id, name);
    this.#edit(
      changeNode(this.graph, id, { values: { ...node.values, [name]: value } }),
      `value ${id} ${name}`,
    );
  }

  setAfterRun(id: NodeId, name: string, after: AfterRun): void {
    const node = this.graph.nodes.get(id);
    if (node) this.#edit(changeNode(this.graph, id, { afterRun: { ...node.afterRun, [name]: after } }));
  }

  /** An empty name gives it that of its kind. */
  rename(id: NodeId, name: string): void {
    const node = this.graph.nodes.get(id);
    if (!node || name === this.nameOf(node)) return;
    const { title: _, ...unnamed } = node;
    this.#edit(
      withNode(this.graph, name.trim() ? { ...unnamed, title: name.trim() } : unnamed),
      `name ${id}`,
    );
  }

  move(places: ReadonlyMap<NodeId, { x: number; y: number }>, key?: string): void {
    this.#edit(moveNodes(this.graph, places), key);
  }

  /** By keys: what is chosen goes so many pixels. */
  nudge(x: number, y: number): void {
    const places = [...this.selection].flatMap((id) => {
      const node = this.graph.nodes.get(id);
      return node ? [[id, { x: node.x + x, y: node.y + y }] as const] : [];
    });
    if (places.length > 0) this.move(new Map(places), 'nudge');
  }

  arrange(): void {
    const { graph } = this;
    this.opened += 1;
    this.move(arrange(graph, (id) => this.geometry(graph.nodes.get(id)!)));
  }

  geometry(node: GraphNode) {
    const mark = this.marks.get(node.id);
    return geometryOf(this.kindOf(node), node, Boolean(mark?.pictures?.length || mark?.texts?.length));
  }

  delete(ids: ReadonlySet<NodeId> = this.selection): void {
    if (ids.size > 0) this.#edit(withoutNodes(this.graph, ids));
    else if (this.link) this.disconnect(this.link);
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
    this.#edit(graph);
  }

  /** What is chosen, as text for the clipboard; it is kept here too. */
  copy(): string | undefined {
    if (this.selection.size === 0) return undefined;
    this.#clipboard = cut(this.graph, this.selection);
    this.#pastes = 0;
    this.changed();
    return printFragment(this.#clipboard);
  }

  cut(): string | undefined {
    const text = this.copy();
    this.delete();
    return text;
  }

  /** From the text of a clipboard, else what was copied here; `at`: its upper left corner. False: nothing to paste. */
  paste(text?: string, at?: { x: number; y: number }): boolean {
    const fragment = (text !== undefined && parseFragment(text)) || (text === undefined && this.#clipboard);
    if (!fragment || fragment.nodes.length === 0) return false;
    this.#pastes += 1;
    const corner = at ?? {
      x: Math.min(...fragment.nodes.map(({ x }) => x)) + PASTE_OFFSET * this.#pastes,
      y: Math.min(...fragment.nodes.map(({ y }) => y)) + PASTE_OFFSET * this.#pastes,
    };
    const { graph, ids } = paste(this.graph, fragment, corner);
    this.selection = ids;
    this.#edit(graph);
    return true;
  }

  duplicate(): void {
    if (this.selection.size === 0) return;
    const fragment = cut(this.graph, this.selection);
    const { graph, ids } = paste(this.graph, fragment, {
      x: Math.min(...fragment.nodes.map(({ x }) => x)) + PASTE_OFFSET,
      y: Math.min(...fragment.nodes.map(({ y }) => y)) + PASTE_OFFSET,
    });
    this.selection = ids;
    this.#edit(graph);
  }

  /** Replaces the graph without a step of its own: what a run changes is not undone. */
  replace(graph: Graph): void {
    this.#history.present = { ...this.#history.present, graph };
    this.changed();
  }

  setMark(id: NodeId, mark: Partial<Mark> & Pick<Mark, 'state'>): void {
    this.marks = new Map(this.marks).set(id, { ...this.marks.get(id), ...mark });
    this.changed();
  }

  setMarks(marks: ReadonlyMap<NodeId, Mark>): void {
    this.marks = marks;
    this.changed();
  }

  setProblems(problems: ReadonlyMap<NodeId, readonly Problem[]>): void {
    this.problems = problems;
    this.changed();
  }

  /** What was wrong with an input may be right now. */
  #settle(id: NodeId, input: string): void {
    const problems = this.problems.get(id);
    if (!problems) return;
    const left = problems.filter((problem) => problem.input !== input);
    const next = new Map(this.problems);
    if (left.length > 0) next.set(id, left);
    else next.delete(id);
    this.problems = next;
  }
}
