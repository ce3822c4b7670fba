/** Converts sticky notes to groups of the canvas and back: colored rectangles with a text. */
import type { Group } from '#web/app/graph-editor/graph/graph.ts';
import type { WorkflowNode } from '../../api-types.ts';

export const STICKY_NOTE = 'n8n-nodes-base.stickyNote';
const DEFAULT_WIDTH = 240;
const DEFAULT_HEIGHT = 160;
/** Colors by the stored number minus one. The default number is 1. */
const COLORS: readonly (string | undefined)[] = [
  '#b58b2a',
  '#b06634',
  '#a83232',
  '#3f8f5f',
  '#3f789e',
  '#a1309b',
  undefined,
];

const asNumber = (value: unknown, usual: number): number =>
  typeof value === 'number' && Number.isFinite(value) ? value : usual;

export function noteToGroup({ name, position, parameters }: WorkflowNode): Group {
  const { content, width, height, color } = parameters;
  return {
    id: name,
    title: typeof content === 'string' ? content : '',
    color: COLORS[asNumber(color, 1) - 1],
    x: position[0],
    y: position[1],
    width: asNumber(width, DEFAULT_WIDTH),
    height: asNumber(height, DEFAULT_HEIGHT),
  };
}

/** Copies text, color and position of a group into its note. */
export function updateNote<T extends Pick<WorkflowNode, 'parameters'>>(
  note: T,
  { title, color, x, y, width, height }: Group,
): T & Pick<WorkflowNode, 'position'> {
  const at = COLORS.indexOf(color);
  const parameters = {
    ...note.parameters,
    content: title,
    width: Math.round(width),
    height: Math.round(height),
    color: at < 0 ? COLORS.length : at + 1,
  };
  return { ...note, position: [Math.round(x), Math.round(y)], parameters };
}

export function newNote(name: string, group: Group): WorkflowNode {
  const note = { id: crypto.randomUUID(), name, type: STICKY_NOTE, typeVersion: 1, parameters: {} };
  return updateNote(note, group);
}
