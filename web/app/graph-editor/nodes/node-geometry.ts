/** Sizes and positions within a node, in pixels. They are computed, so that wires need no layout of the page. */
import type { GraphNode } from '../graph/graph.ts';
import type { InputKind, NodeKind } from './node-kind.ts';

export const HEADER_HEIGHT = 36;
export const SOCKET_ROW_HEIGHT = 26;
export const FIELD_HEIGHT = 34;
export const TEXT_AREA_HEIGHT = 104;
export const PADDING = 8;
/** Height of the box in which a node shows its results. */
export const RESULTS_HEIGHT = 232;
const MIN_WIDTH = 270;
const MIN_WIDTH_WITH_TEXT_AREA = 340;

export interface NodeGeometry {
  width: number;
  height: number;
  /** Distance of each input's socket from the top of the node, by input name. */
  inputs: ReadonlyMap<string, number>;
  outputs: readonly number[];
}

export const socketInputs = (kind: NodeKind): InputKind[] => kind.inputs.filter(({ widget }) => !widget);
export const fieldInputs = (kind: NodeKind): InputKind[] => kind.inputs.filter(({ widget }) => widget);

export const fieldHeight = ({ widget }: InputKind): number =>
  widget?.kind === 'text' && widget.multiline ? TEXT_AREA_HEIGHT : FIELD_HEIGHT;

export function nodeGeometry(
  kind: NodeKind,
  node: Pick<GraphNode, 'width'>,
  hasResults = false,
): NodeGeometry {
  const sockets = socketInputs(kind);
  const fields = fieldInputs(kind);
  const inputs = new Map<string, number>();
  let y = HEADER_HEIGHT + PADDING;
  for (const [at, { name }] of sockets.entries())
    inputs.set(name, y + at * SOCKET_ROW_HEIGHT + SOCKET_ROW_HEIGHT / 2);
  const outputs = kind.outputs.map((_, at) => y + at * SOCKET_ROW_HEIGHT + SOCKET_ROW_HEIGHT / 2);
  y += Math.max(sockets.length, kind.outputs.length) * SOCKET_ROW_HEIGHT;
  for (const field of fields) {
    inputs.set(field.name, y + FIELD_HEIGHT / 2);
    y += fieldHeight(field);
  }
  const hasTextArea = fields.some(({ widget }) => widget?.kind === 'text' && widget.multiline);
  const minWidth = kind.width ?? (hasTextArea ? MIN_WIDTH_WITH_TEXT_AREA : MIN_WIDTH);
  return {
    width: Math.min(800, Math.max(minWidth, node.width ?? 0)),
    height: y + PADDING + (hasResults ? RESULTS_HEIGHT : 0),
    inputs,
    outputs,
  };
}
