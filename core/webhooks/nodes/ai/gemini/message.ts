/** A question to a model of Google, with rounds of tool calls. */
import type { JsonObject } from '#core/workflow-format';
import type { NodeContext } from '../../../node-api/node-context.ts';
import { objectList } from '../../shared/object-list.ts';
import { type ModelOperation, optionsOf, shown } from '../actions/operation.ts';
import { callTool, roundLimit } from '../actions/tool-calls.ts';
import { usesLocalModel } from '../chat-models/local-model.ts';
import { modelName } from '../chat-models/openai.ts';
import { openSchema } from '../wire/gemini-content.ts';
import { builtInTools } from './built-in-tools.ts';
import { type Candidate, candidatesOf, geminiServer, generateContent, partsOf } from './gemini-server.ts';
import { localAnswer } from './local-answer.ts';

export const message: ModelOperation = async (context, index) => {
  const options = await optionsOf(context, index);
  const stored = objectList(await context.parameter('messages.values', index, []));
  const contents: JsonObject[] = stored.map(({ content, role = 'user' }) => ({
    role,
    parts: [{ text: content }],
  }));
  const answer = usesLocalModel(context)
    ? await localAnswer(context, index, { contents, options })
    : await ask(context, index, { contents, options });
  const candidates = candidatesOf(answer);
  const merged = options.includeMergedResponse === true ? candidates.map(withMergedText) : candidates;
  return shown({ ...answer, candidates: merged }, merged, context, index);
};

async function ask(
  context: NodeContext,
  index: number,
  { contents, options }: { contents: JsonObject[]; options: JsonObject },
): Promise<JsonObject> {
  const server = await geminiServer(context);
  const model = await modelName(context, index, 'modelId');
  const own = await context.subNodes('ai_tool', index);
  const functionDeclarations = own.map(({ name, description, schema }) => ({
    name,
    description,
    parameters: openSchema(schema),
  }));
  const { tools, toolConfig } = builtInTools(await builtInChoice(context, index, options));
  const isJson = (await context.parameter('jsonOutput', index)) === true;
  const { systemMessage, thinkingBudget, maxToolsIterations } = options;
  const limit = roundLimit(maxToolsIterations);
  for (let round = 1; ; round++) {
    context.signal.throwIfAborted();
    const answer = await generateContent(context, server, {
      model,
      tools: [...(own.length > 0 ? [{ functionDeclarations }] : []), ...tools],
      contents,
      generationConfig: {
        ...settingsOf(options),
        ...(isJson && { responseMimeType: 'application/json' }),
        ...(thinkingBudget !== undefined && { thinkingConfig: { thinkingBudget } }),
      },
      ...(systemMessage ? { systemInstruction: { parts: [{ text: systemMessage }] } } : {}),
      ...(toolConfig && { toolConfig }),
    });
    const candidates = candidatesOf(answer);
    const calls = candidates.flatMap(partsOf).flatMap(({ functionCall }) => functionCall ?? []);
    if (calls.length === 0 || round >= limit) return answer;
    contents.push(...candidates.map(({ content = {} }) => content));
    for (const { id, name, args } of calls) {
      const result = await callTool(context, own, { name, args: JSON.stringify(args ?? {}) });
      contents.push({ role: 'tool', parts: [{ functionResponse: { id, name, response: { result } } }] });
    }
  }
}

/** The tools that run at Google. Version 1 has one of them, as an option. */
async function builtInChoice(context: NodeContext, index: number, options: JsonObject): Promise<unknown> {
  return context.version < 1.1
    ? { codeExecution: options.codeExecution }
    : context.parameter('builtInTools', index, {});
}

const SETTINGS = [
  'frequencyPenalty',
  'maxOutputTokens',
  'candidateCount',
  'presencePenalty',
  'temperature',
  'topP',
  'topK',
];

function settingsOf(options: JsonObject): JsonObject {
  return Object.fromEntries(SETTINGS.flatMap((name) => (name in options ? [[name, options[name]]] : [])));
}

function withMergedText(candidate: Candidate): Candidate {
  const texts = partsOf(candidate).map(({ text }) => text ?? '');
  return { ...candidate, mergedResponse: texts.join('') };
}
