/** `POST /prompt` accepts a graph and adds it to the queue. */
import type { RouteCall } from '#core/http';
import { BodyNotJson, PromptRefused } from '../errors.ts';
import type { NewPrompt } from '../execution/prompt-queue.ts';
import { readGraph } from '../graph/graph.ts';
import { type Validated, validate } from '../graph/validate.ts';
import { ConversionError, convertLiteral } from '../python/convert-literal.ts';
import { PythonFloat, pythonJson, pythonValueJson, RawJson } from '../python/python-json.ts';
import { pythonStr } from '../python/python-repr.ts';
import { isPythonObject, type PythonObject, type PythonValue } from '../python/python-value.ts';
import { readJsonBody } from '../request-body.ts';
import { pythonJsonResponse } from '../responses.ts';
import type { ImageServer } from '../server/image-server.ts';

/** @throws `PromptRefused` when the body is no prompt, or when none of its outputs can run */
export async function submitPrompt(server: ImageServer, call: RouteCall): Promise<Response> {
  const { queue } = await server.ready();
  const body = await readPromptBody(call);
  const order = readOrder(body, () => queue.takeNumber());
  const graphValue = body.get('prompt');
  if (graphValue === undefined)
    throw new PromptRefused('no_prompt', 'No prompt provided', 'No prompt provided');
  const graph = readGraph(graphValue);
  const { outputs, nodeErrors } = await validateTargets(server, graph, body);
  const prompt = await queue.add({
    ...order,
    ...readIdentity(body),
    graph,
    // Validation has converted the literals in place, so the text shows the graph as it runs.
    graphJson: pythonValueJson(graphValue),
    outputs,
  });
  return pythonJsonResponse({
    prompt_id: prompt.id,
    number: new RawJson(prompt.numberJson),
    node_errors: nodeErrors,
  });
}

/** JSON that is no object counts as an empty one. */
async function readPromptBody(call: RouteCall): Promise<PythonObject> {
  try {
    const body = await readJsonBody(call);
    return isPythonObject(body) ? body : new Map();
  } catch (error) {
    throw error instanceof BodyNotJson ? new PromptRefused('invalid_prompt', error.message) : error;
  }
}

/** The position in the queue: `number`, or the next count, which a refused prompt uses up as well. */
function readOrder(body: PythonObject, count: () => number): Pick<NewPrompt, 'number' | 'numberJson'> {
  const value = body.get('number');
  if (value !== undefined) {
    const number = readNumber(value);
    return { number, numberJson: pythonJson(new PythonFloat(number)) };
  }
  const counted = count();
  const isFront = convertLiteral('BOOLEAN', body.get('front') ?? false);
  const number = isFront ? 0 - counted : counted;
  return { number, numberJson: String(number) };
}

function readNumber(value: PythonValue): number {
  try {
    return convertLiteral('FLOAT', value) as number;
  } catch (error) {
    if (!(error instanceof ConversionError)) throw error;
    throw new PromptRefused('invalid_prompt', 'number is not a number', error.message);
  }
}

function validateTargets(
  { types, files, host }: ImageServer,
  graph: ReturnType<typeof readGraph>,
  body: PythonObject,
): Promise<Validated> {
  const targets = body.get('partial_execution_targets');
  const ids = Array.isArray(targets) ? targets.map(pythonStr) : undefined;
  return validate(graph, types, ids, { files, host });
}

function readIdentity(body: PythonObject): Pick<NewPrompt, 'id' | 'extraData' | 'clientId'> {
  const extraData = readExtraData(body);
  return {
    id: textMember(body, 'prompt_id') ?? crypto.randomUUID(),
    extraData,
    clientId: textMember(extraData, 'client_id'),
  };
}

/** A `client_id` next to `extra_data` belongs to it. */
function readExtraData(body: PythonObject): PythonObject {
  const value = body.get('extra_data');
  if (value !== undefined && !isPythonObject(value))
    throw new PromptRefused('invalid_prompt', 'extra_data is not an object');
  const extraData: PythonObject = new Map(value ?? []);
  const clientId = body.get('client_id');
  if (clientId !== undefined) extraData.set('client_id', clientId);
  return extraData;
}

/** A member as Python's `str` prints it. Undefined when absent or null. */
function textMember(object: PythonObject, name: string): string | undefined {
  const value = object.get(name);
  return value === undefined || value === null ? undefined : pythonStr(value);
}
