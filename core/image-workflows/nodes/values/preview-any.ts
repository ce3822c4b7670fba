import { pythonFloat } from '../../python/python-repr.ts';
import { link } from '../kernel/inputs.ts';
import { type AnyNode, node, output } from '../kernel/node-type.ts';

/** Shows any value as text in editors. */
export const previewAny: AnyNode = node({
  name: 'PreviewAny',
  displayName: 'Preview Any',
  description: 'Shows any value as text.',
  category: 'utils',
  module: 'comfy_extras.nodes_preview_any',
  isOutput: true,
  inputs: { source: link('*') },
  outputs: [output('STRING', undefined, { isUnlisted: true })],
  run: ({ source }) => {
    const text = textOf(source);
    return { outputs: [text], ui: { text: [text] } };
  },
});

/** A value as Python's `str` would write it where there is such a form, else as JSON with tensors by their shape. */
function textOf(value: unknown): string {
  if (value === null || value === undefined) return 'None';
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return pythonFloat(value);
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'bigint') return String(value);
  return (
    JSON.stringify(value, (_key, member: unknown) => {
      if (typeof member === 'bigint') return Number(member);
      if (typeof member === 'object' && member !== null && 'shape' in member && 'data' in member)
        return `tensor of shape [${(member.shape as number[]).join(', ')}]`;
      return member instanceof Map ? Object.fromEntries(member) : member;
    }) ?? 'None'
  );
}
