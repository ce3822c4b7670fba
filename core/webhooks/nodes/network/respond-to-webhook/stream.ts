import type { NodeContext } from '#core/webhooks/node-api/node-context.ts';
import type { NodeResponse } from '#core/webhooks/node-api/node-response.ts';

/** Sends the answer in chunks where the caller gets a stream; false where it gets one answer. */
export async function streamAnswer(context: NodeContext, { body }: NodeResponse): Promise<boolean> {
  if (body.kind === 'binary' || body.kind === 'none') return false;
  const isAll =
    context.literal('respondWith') === 'allIncomingItems' &&
    Array.isArray(body.kind === 'json' && body.value);
  const parts = isAll
    ? (body as { value: unknown[] }).value
    : [body.kind === 'json' ? body.value : body.text];
  for (const [itemIndex, part] of parts.entries()) {
    if (!(await context.stream({ type: 'begin', itemIndex }))) return false;
    const content = typeof part === 'string' ? part : JSON.stringify(part);
    await context.stream({ type: 'item', itemIndex, content });
    await context.stream({ type: 'end', itemIndex });
  }
  return true;
}
