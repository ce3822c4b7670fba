/** POST and GET /prompt: graphs come in here. */
import type { Route, RouteCall } from '#core/http';
import { PromptRefused, readGraph } from '../graph/graph.ts';
import { validate } from '../graph/validate.ts';
import { ConversionError, convertLiteral } from '../python/convert-literal.ts';
import { PythonFloat, pythonJson, pythonValueJson, RawJson } from '../python/python-json.ts';
import { isPythonObject, type PythonObject, type PythonValue, pythonStr } from '../python/python-value.ts';
import type { ImageServer } from '../server.ts';
import { json, readValue } from './responses.ts';

export function promptRoutes(server: ImageServer): Route[] {
  return [
    {
      method: 'GET',
      path: '/prompt',
      handle: async () => {
        const { queue } = await server.ready();
        return json({ exec_info: { queue_remaining: queue.remaining } });
      },
    },
    { method: 'POST', path: '/prompt', handle: (call) => submit(server, call) },
  ];
}

async function submit(server: ImageServer, call: RouteCall): Promise<Response> {
  const { queue, types, files, host } = await server.ready();
  try {
    const given = await readValue(call).catch((error) => {
      throw error.name === 'ApiError' ? new PromptRefused('invalid_prompt', error.message) : error;
    });
    const body: PythonObject = isPythonObject(given) ? given : new Map();
    const order = readNumber(body, () => queue.count());
    if (given === null) throw new PromptRefused('no_prompt', 'No prompt provided', 'No prompt provided');
    const promptValue = body.get('prompt');
    if (promptValue === undefined)
      throw new PromptRefused('no_prompt', 'No prompt provided', 'No prompt provided');
    const graph = readGraph(promptValue);
    const targets = body.get('partial_execution_targets');
    const { outputs, nodeErrors } = await validate(
      graph,
      types,
      Array.isArray(targets) ? targets.map(pythonStr) : undefined,
      { files, host },
    );
    const extraData = readExtraData(body);
    const clientId = extraData.get('client_id');
    const given_id = body.get('prompt_id');
    const prompt = await queue.add({
      ...order,
      id: given_id === undefined || given_id === null ? crypto.randomUUID() : pythonStr(given_id),
      graph,
      graphJson: pythonValueJson(promptValue),
      extraData,
      clientId: clientId === undefined || clientId === null ? undefined : pythonStr(clientId),
      outputs,
    });
    return json({ prompt_id: prompt.id, number: new RawJson(prompt.numberJson), node_errors: nodeErrors });
  } catch (error) {
    if (!(error instanceof PromptRefused)) throw error;
    const { type, message, details, nodeErrors } = error;
    return json({ error: { type, message, details, extra_info: {} }, node_errors: nodeErrors }, 400);
  }
}

/** The place in the queue: as given, else counted, also for prompts that are refused. */
function readNumber(body: PythonObject, count: () => number): { number: number; numberJson: string } {
  const given = body.get('number');
  if (given !== undefined) {
    let number: PythonValue;
    try {
      number = convertLiteral('FLOAT', given);
    } catch (error) {
      if (!(error instanceof ConversionError)) throw error;
      throw new PromptRefused('invalid_prompt', 'number is not a number', error.message);
    }
    return { number: number as number, numberJson: pythonJson(new PythonFloat(number as number)) };
  }
  const counted = count();
  const number = convertLiteral('BOOLEAN', body.get('front') ?? false) ? 0 - counted : counted;
  return { number, numberJson: String(number) };
}

function readExtraData(body: PythonObject): PythonObject {
  const given = body.get('extra_data');
  if (given !== undefined && !isPythonObject(given))
    throw new PromptRefused('invalid_prompt', 'extra_data is not an object');
  const extra: PythonObject = new Map(given ?? []);
  const clientId = body.get('client_id');
  if (clientId !== undefined) extra.set('client_id', clientId);
  return extra;
}
