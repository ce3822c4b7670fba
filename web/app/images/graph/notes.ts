/** Kinds of notes. The server does not know them; their names are those of ComfyUI's editor. */
import type { NodeKind } from '../../graph-editor/nodes/node-kind.ts';
import { graphStrings } from '../../graph-editor/strings.ts';

const note = (type: string, title: string): NodeKind => ({
  type,
  title,
  category: ['utils'],
  isNote: true,
  inputs: [
    {
      name: 'text',
      label: title,
      socket: undefined,
      required: false,
      widget: { kind: 'text', initial: '', multiline: true },
    },
  ],
  outputs: [],
});

export const noteKinds: readonly NodeKind[] = [
  note('Note', graphStrings.note),
  { ...note('MarkdownNote', graphStrings.markdownNote), hidden: true },
];
