import { ClassicPreset, type GetSchemes } from 'rete';
import type { GraphNode, Link } from '../graph/graph.ts';
import { linkId } from '../graph/graph.ts';
import { type NodeGeometry, nodeGeometry } from '../nodes/node-geometry.ts';
import type { NodeKind } from '../nodes/node-kind.ts';
import type { GraphState, NodeProblem, RunMark } from '../state/graph-state.ts';

/** Which socket takes what is the model's business: rete is told that all are of one kind. */
const socket = new ClassicPreset.Socket('any');

/** A node as rete knows it, and all that its element shows. */
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
  /** Inputs that are connected. */
  linked: ReadonlySet<string> = new Set();

  constructor(node: GraphNode) {
    super(node.type);
    this.id = node.id;
  }

  /** Takes what is so now; false: nothing of it is new. */
  update(state: GraphState, node: GraphNode, linked: ReadonlySet<string>): boolean {
    const kind = state.kindOf(node);
    const mark = state.marks.get(node.id);
    const problems = state.problems.get(node.id) ?? none;
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
    if (this.kind !== kind) this.#takeKind(kind);
    Object.assign(this, { node, kind, mark, problems, isSelected, linked });
    this.isKnown = state.kinds.get(node.type) !== undefined;
    this.geometry = nodeGeometry(kind, node, Boolean(mark?.results?.length || mark?.texts?.length));
    this.width = this.geometry.width;
    this.height = this.geometry.height;
    return true;
  }

  #takeKind(kind: NodeKind): void {
    this.inputs = {};
    this.outputs = {};
    for (const { name, socket: type, acceptsMany } of kind.inputs)
      if (type !== undefined)
        this.addInput(name, new ClassicPreset.Input(socket, name, acceptsMany ?? false));
    for (const at of kind.outputs.keys()) this.addOutput(String(at), new ClassicPreset.Output(socket));
  }
}

const none: readonly NodeProblem[] = [];

/** All but its place. */
function isSameExceptPosition(a: GraphNode, b: GraphNode): boolean {
  if (a === b) return true;
  const { x: _x, y: _y, ...one } = a;
  const { x: __x, y: __y, ...other } = b;
  const names = Object.keys(one) as (keyof typeof one)[];
  return (
    names.length === Object.keys(other).length && names.every((name) => Object.is(one[name], other[name]))
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
