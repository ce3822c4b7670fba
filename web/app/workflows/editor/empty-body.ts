import type { ExecutionWithData } from '../api-types.ts';

/** Methods that usually have no body. */
const BODYLESS_METHODS = new Set(['GET', 'HEAD', 'DELETE']);

/** Whether the webhook call of a run had an empty body and no content type, a usual mistake of clients. */
export function hasEmptyBody({ data, workflowData }: ExecutionWithData): boolean {
  const runData = data?.resultData.runData ?? {};
  return (workflowData?.nodes ?? []).some(({ name, type, parameters }) => {
    if (type !== 'n8n-nodes-base.webhook') return false;
    const methods = [parameters.httpMethod ?? 'GET'].flat();
    if (methods.every((method) => BODYLESS_METHODS.has(String(method)))) return false;
    const item = runData[name]
      ?.at(-1)
      ?.data?.main?.flat()
      .find((first) => first);
    const { headers, body } = (item?.json ?? {}) as { headers?: Record<string, string>; body?: unknown };
    if (!headers || headers['content-type'] || item?.binary) return false;
    return typeof body === 'object' && body !== null && Object.keys(body).length === 0;
  });
}
