/** Evaluates the node's options for the response. */
import type { NodeResponse } from '../../node-api/node-response.ts';
import { headerPairs } from '../../nodes/shared/response-headers.ts';
import type { Evaluate } from '../call-expressions.ts';
import type { HeaderPair } from '../cors.ts';
import type { ResponseOptions } from '../webhook-options.ts';

export async function responseHeaders(
  { headers }: ResponseOptions,
  evaluate: Evaluate,
): Promise<HeaderPair[]> {
  return headerPairs(await evaluate(headers));
}

/**
 * The status of the response.
 * @throws Error for a value that is no status
 */
export async function responseStatus(options: ResponseOptions, evaluate: Evaluate): Promise<number> {
  let code = await evaluate(options.code);
  if (code === undefined) {
    code = await evaluate(options.codeChoice);
    if (code === 'customCode') code = await evaluate(options.customCode);
  }
  const status = Number(code ?? 200);
  if (Number.isInteger(status) && status >= 200 && status <= 599) return status;
  throw new Error(`the response code ${JSON.stringify(code)} is not a status between 200 and 599`);
}

/**
 * The body of an immediate response.
 * @throws Error if its expression has no value
 */
export async function acknowledgement(
  { acknowledgement }: ResponseOptions,
  evaluate: Evaluate,
): Promise<NodeResponse['body']> {
  if (acknowledgement === undefined || acknowledgement === '') {
    return { kind: 'json', value: { message: 'Workflow was started' } };
  }
  const value = await evaluate(acknowledgement);
  if (value === undefined) throw new Error('the expression of the option "Response Data" has no value');
  return { kind: 'json', value };
}
