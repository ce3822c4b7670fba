import type { NodeAnswer } from '#core/webhooks/workflow/node-answer.ts';
import type { NodeContext } from '#core/webhooks/workflow/node-context.ts';

/** Sends the answer in chunks where the caller gets a stream; false where it gets one answer. */
export async function streamAnswer(context: NodeContext, { body }: NodeAnswer): Promise<boolean> {
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
