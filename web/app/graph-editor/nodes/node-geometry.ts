/** Where everything of a node stands, in pixels: known without measuring, so that wires need no layout. */
import type { GraphNode } from '../graph/graph.ts';
import type { InputKind, NodeKind } from './node-kind.ts';

export const HEAD = 36;
export const ROW = 26;
export const FIELD = 34;
export const LINES = 104;
export const PAD = 8;
/** Of the box in which a node shows its pictures. */
export const PICTURE = 232;
const NARROW = 270;
const WIDE = 340;

export interface Geometry {
  width: number;
  height: number;
  /** Distance of a socket from the node's top. */
  inputs: ReadonlyMap<string, number>;
  outputs: readonly number[];
}

export const socketsOf = (kind: NodeKind): InputKind[] => kind.inputs.filter(({ widget }) => !widget);
export const fieldsOf = (kind: NodeKind): InputKind[] => kind.inputs.filter(({ widget }) => widget);

export const heightOf = ({ widget }: InputKind): number =>
  widget?.kind === 'text' && widget.lines ? LINES : FIELD;

export function geometryOf(kind: NodeKind, node: Pick<GraphNode, 'width'>, hasPicture = false): Geometry {
  const sockets = socketsOf(kind);
  const fields = fieldsOf(kind);
  const inputs = new Map<string, number>();
  let y = HEAD + PAD;
  for (const [at, { name }] of sockets.entries()) inputs.set(name, y + at * ROW + ROW / 2);
  const outputs = kind.outputs.map((_, at) => y + at * ROW + ROW / 2);
  y += Math.max(sockets.length, kind.outputs.length) * ROW;
  for (const field of fields) {
    inputs.set(field.name, y + FIELD / 2);
    y += heightOf(field);
  }
  const hasLines = fields.some(({ widget }) => widget?.kind === 'text' && widget.lines);
  const least = kind.width ?? (hasLines ? WIDE : NARROW);
  return {
    width: Math.min(800, Math.max(least, node.width ?? 0)),
    height: y + PAD + (hasPicture ? PICTURE : 0),
    inputs,
    outputs,
  };
}
