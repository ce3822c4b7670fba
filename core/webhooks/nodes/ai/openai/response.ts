/** A response, with rounds of tool calls: versions since 2. */
import { isObject } from '#core/base';
import type { JsonObject } from '#core/workflow-format';
import type { NodeContext } from '../../../node-api/node-context.ts';
import { NodeError } from '../../../node-api/node-error.ts';
import { objectList } from '../../shared/object-list.ts';
import { type ModelOperation, optionsOf, shown } from '../actions/operation.ts';
import { callTool, roundLimit } from '../actions/tool-calls.ts';
import { type ModelServer, readJson, requestModel } from '../wire/model-request.ts';
import { openServer } from './open-server.ts';
import { responseRequest } from './response-request.ts';

/** Milliseconds between two looks at a response in the background. */
const POLL_INTERVAL = 10_000;
/** Seconds. */
const BACKGROUND_TIMEOUT = 300;

export const response: ModelOperation = async (context, index) => {
  const { server, model } = await openServer(context, index, { capability: 'completion' });
  const options = await optionsOf(context, index);
  const tools = await context.subNodes('ai_tool', index);
  const body = await responseRequest(context, index, { model, options, tools });
  const { input } = body;
  const limit = roundLimit(options.maxToolsIterations);
  for (let round = 0; ; round++) {
    context.signal.throwIfAborted();
    const created = await requestModel(context, server, { path: '/responses', body }, readJson);
    const answer = body.background === true ? await ended(context, server, created, options) : created;
    const output = objectList(answer.output);
    const calls = output.filter(({ type }) => type === 'function_call');
    if (calls.length === 0 || round >= limit) {
      const isJson = /^json_/.test(formatOf(body));
      const parts = isJson ? output.map(parsedOutput) : output;
      const simple = { output: parts.filter(({ type }) => type === 'message') };
      return shown(isJson ? { ...answer, output: parts } : answer, [simple], context, index);
    }
    // A conversation has these items already. Thoughts belong to the calls that they led to.
    if (body.conversation === undefined)
      input.push(...output.filter(({ type }) => type === 'function_call' || type === 'reasoning'));
    for (const { name, arguments: args, call_id: id } of calls) {
      const text = await callTool(context, tools, { name: String(name), args: String(args ?? '') });
      input.push({ type: 'function_call_output', call_id: id, output: text });
    }
  }
};

function formatOf({ text }: JsonObject): string {
  const format = isObject(text) ? text.format : undefined;
  return isObject(format) ? String(format.type) : '';
}

/** A message whose texts are JSON, as values. */
function parsedOutput(item: JsonObject): JsonObject {
  if (item.type !== 'message') return item;
  try {
    const content = objectList(item.content).map((part) =>
      part.type === 'output_text' ? { ...part, text: JSON.parse(String(part.text)) as unknown } : part,
    );
    return { ...item, content };
  } catch {
    return item;
  }
}

/** The response that runs in the background, when it has ended. */
async function ended(
  context: NodeContext,
  server: ModelServer,
  created: JsonObject,
  { backgroundMode }: JsonObject,
): Promise<JsonObject> {
  const values = isObject(backgroundMode) ? backgroundMode.values : undefined;
  const seconds = Number((isObject(values) ? values.timeout : undefined) ?? BACKGROUND_TIMEOUT);
  const end = seconds === 0 ? Number.POSITIVE_INFINITY : context.now() + seconds * 1000;
  const path = `/responses/${encodeURIComponent(String(created.id))}`;
  for (let answer = created; ; ) {
    const { error, status } = answer;
    if (isObject(error)) {
      throw new NodeError('Background mode error', { description: String(error.message ?? '') });
    }
    if (status === 'completed' || status === 'incomplete') return answer;
    if (context.now() >= end) throw new NodeError(`The response did not end within ${seconds} seconds`);
    await context.sleep(POLL_INTERVAL);
    answer = await requestModel(context, server, { path, method: 'GET' }, readJson);
  }
}
