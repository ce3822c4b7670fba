import { ClassicPreset, type GetSchemes } from 'rete';
import type { GraphNode, Link } from '../graph/graph.ts';
import { linkId } from '../graph/graph.ts';
import { type NodeGeometry, nodeGeometry } from '../nodes/node-geometry.ts';
import type { NodeKind } from '../nodes/node-kind.ts';
import type { GraphState, NodeProblem, RunMark } from '../state/graph-state.ts';

/** All sockets have one type for rete, because `GraphState.canConnect` decides which sockets match. */
const socket = new ClassicPreset.Socket('any');

/** A node for rete, with everything that its element shows. */
export class ViewNode extends ClassicPreset.Node {
  width = 0;
  height = 0;
  geometry!: NodeGeometry;
  node!: GraphNode;
  kind!: NodeKind;
  isKnown = true;
  isSelected = false;
  mark: RunMark | undefined;
  problems: readonly NodeProblem[] = [];
  /** Names of the connected inputs. */
  linked: ReadonlySet<string> = new Set();

  constructor(node: GraphNode) {
    super(node.type);
    this.id = node.id;
  }

  /** Copies the current state of the node. Returns false when nothing that the element shows has changed. */
  update(state: GraphState, node: GraphNode, linked: ReadonlySet<string>): boolean {
    const kind = state.kindOf(node);
    const mark = state.marks.get(node.id);
    const problems = state.problems.get(node.id) ?? noProblems;
    const isSelected = state.selection.has(node.id);
    const isSame = this.node !== undefined && isSameExceptPosition(this.node, node);
    if (isSame) this.node = node;
    if (
      isSame &&
      this.kind === kind &&
      this.mark === mark &&
      this.problems === problems &&
      this.isSelected === isSelected &&
      isSameSet(this.linked, linked)
    )
      return false;
    if (this.kind !== kind) this.#setKind(kind);
    Object.assign(this, { node, kind, mark, problems, isSelected, linked });
    this.isKnown = state.kinds.get(node.type) !== undefined;
    this.geometry = nodeGeometry(kind, node, Boolean(mark?.results?.length || mark?.texts?.length));
    this.width = this.geometry.width;
    this.height = this.geometry.height;
    return true;
  }

  #setKind(kind: NodeKind): void {
    this.inputs = {};
    this.outputs = {};
    for (const { name, socket: type, acceptsMany } of kind.inputs)
      if (type !== undefined)
        this.addInput(name, new ClassicPreset.Input(socket, name, acceptsMany ?? false));
    for (const at of kind.outputs.keys()) this.addOutput(String(at), new ClassicPreset.Output(socket));
  }
}

const noProblems: readonly NodeProblem[] = [];

/** Whether two nodes differ in their position at most. */
function isSameExceptPosition(a: GraphNode, b: GraphNode): boolean {
  if (a === b) return true;
  const { x: _x, y: _y, ...first } = a;
  const { x: __x, y: __y, ...second } = b;
  const names = Object.keys(first) as (keyof typeof first)[];
  return (
    names.length === Object.keys(second).length && names.every((name) => Object.is(first[name], second[name]))
  );
}

export class ViewLink extends ClassicPreset.Connection<ViewNode, ViewNode> {
  constructor(
    source: ViewNode,
    target: ViewNode,
    readonly link: Link,
  ) {
    super(source, String(link.output), target, link.input);
    this.id = linkId(link);
  }
}

export type Scheme = GetSchemes<ViewNode, ClassicPreset.Connection<ViewNode, ViewNode> & { link?: Link }>;

function isSameSet(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  return a === b || (a.size === b.size && [...a].every((item) => b.has(item)));
}
