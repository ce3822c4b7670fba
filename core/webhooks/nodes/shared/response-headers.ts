import type { Parameter } from '../../workflow/node-type.ts';

/** Of the Webhook and the Respond to Webhook node. */
export const responseHeaders: Parameter = {
  name: 'responseHeaders',
  label: 'Response Headers',
  type: 'groups',
  default: {},
  groups: [
    {
      name: 'entries',
      label: 'Header',
      fields: [
        { name: 'name', label: 'Name', type: 'string', default: '' },
        { name: 'value', label: 'Value', type: 'string', default: '' },
      ],
    },
  ],
  multiple: true,
};

/** What the parameter holds, as pairs. */
export function headerPairs(value: unknown): [string, string][] {
  const entries = (value as { entries?: unknown } | undefined)?.entries;
  if (!Array.isArray(entries)) return [];
  return entries.map((entry: { name?: unknown; value?: unknown }) => [
    String(entry?.name ?? ''),
    String(entry?.value ?? ''),
  ]);
}
