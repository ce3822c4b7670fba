/** Filters of Perplexity. */
import { isObject } from '#core/base';
import { getPath, type JsonObject } from '#core/workflow-format';
import { objectList } from '../../shared/object-list.ts';

export const perplexityMessages = (value: unknown) =>
  objectList(value).map(({ role = 'user', content }) => ({ role, content }));

/** The parts of an agent's answer that workflows read. */
export function perplexityAnswer(value: unknown): JsonObject {
  const { id, model, output, usage } = isObject(value) ? value : {};
  const partOf = (list: unknown, type: string) => objectList(list).find((part) => part.type === type);
  const text = partOf(getPath(partOf(output, 'message'), 'content'), 'output_text')?.text;
  const results = getPath(partOf(output, 'search_results'), 'results');
  return {
    id,
    model,
    output_text: text,
    citations:
      results === undefined ? undefined : objectList(results).map(({ title, url }) => ({ title, url })),
    usage,
  };
}
