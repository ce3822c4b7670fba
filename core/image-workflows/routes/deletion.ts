import { ApiError, type RouteCall } from '#core/http';
import { convertLiteral } from '../python/convert-literal.ts';
import { pythonStr } from '../python/python-repr.ts';
import { isPythonObject } from '../python/python-value.ts';
import { readJsonBody } from '../request-body.ts';

/** The body by which clients delete prompts from the queue or the history: all of them, or by their ids. */
export async function readDeletion(call: RouteCall): Promise<{ clear: boolean; ids: string[] }> {
  const body = await readJsonBody(call);
  if (!isPythonObject(body))
    throw new ApiError(400, 'the body must be an object: {"clear": true} or {"delete": ["id"]}');
  const ids = body.get('delete') ?? [];
  if (!Array.isArray(ids)) throw new ApiError(400, 'delete must be a list of prompt ids');
  return { clear: convertLiteral('BOOLEAN', body.get('clear') ?? false) === true, ids: ids.map(pythonStr) };
}
