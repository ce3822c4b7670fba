import type { Parameter } from '#core/workflow-format';
import { fixedCollection, group, text } from './parameters.ts';

/** The option "Response Headers" of the Webhook node and the Respond to Webhook node. */
export const responseHeadersOption: Parameter = fixedCollection('responseHeaders', 'Response Headers', {
  groups: [group('entries', 'Header', [text('name', 'Name'), text('value', 'Value')])],
  multiple: true,
});

/** The headers in a value of `responseHeaders`, as pairs of name and value. */
export function headerPairs(value: unknown): [string, string][] {
  const entries = (value as { entries?: unknown } | undefined)?.entries;
  if (!Array.isArray(entries)) return [];
  return entries.map((entry: { name?: unknown; value?: unknown }) => [
    String(entry?.name ?? ''),
    String(entry?.value ?? ''),
  ]);
}
