import type { NodeContext } from '#core/webhooks/node-api/node-context.ts';
import type { NodeResponse } from '#core/webhooks/node-api/node-response.ts';

/** Sends the response in chunks if the call is answered by a stream. Returns false if it takes one response. */
export async function streamResponse(context: NodeContext, { body }: NodeResponse): Promise<boolean> {
  if (body.kind === 'binary' || body.kind === 'none') return false;
  const value = body.kind === 'json' ? body.value : body.text;
  const hasAllItems = context.literal('respondWith') === 'allIncomingItems' && Array.isArray(value);
  const parts = hasAllItems ? value : [value];
  for (const [itemIndex, part] of parts.entries()) {
    if (!(await context.stream({ type: 'begin', itemIndex }))) return false;
    const content = typeof part === 'string' ? part : JSON.stringify(part);
    await context.stream({ type: 'item', itemIndex, content });
    await context.stream({ type: 'end', itemIndex });
  }
  return true;
}
