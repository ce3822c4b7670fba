/** The language models as tools, through the Ollama API. */
import {
  type ApiCaller,
  ApiClientError,
  chooseInstalled,
  type ModelCapability,
  requestModels,
} from '#core/api-client';
import { isObject } from '#core/base';
import { type CallableTool, textResult } from '#core/mcp';
import { optionalNumber, optionalText, requireText, textList } from './arguments.ts';
import { streamChat } from './stream-chat.ts';
import { callerOf, type ToolServices } from './tool-services.ts';

const TEXT = { type: 'string' };
const MODEL = { ...TEXT, description: 'Name of an installed model. Default: the first that fits.' };

export function modelTools(services: ToolServices): CallableTool[] {
  return [listModels(services), chat(services), embed(services)];
}

function listModels(services: ToolServices): CallableTool {
  return {
    name: 'list_models',
    description: 'Lists the installed language and embedding models with size and capabilities.',
    schema: { type: 'object', properties: {} },
    async call(_args, { signal }) {
      const { models } = await requestModels(callerOf(services, signal), 'GET', '/api/tags');
      const rows = (Array.isArray(models) ? models : []).filter(isObject);
      return textResult(
        JSON.stringify(
          rows.map(({ name, size, capabilities, details }) => ({ name, size, capabilities, details })),
        ),
      );
    },
  };
}

function chat(services: ToolServices): CallableTool {
  return {
    name: 'chat',
    description: 'Asks a language model of this computer, and returns its answer.',
    schema: {
      type: 'object',
      properties: {
        prompt: { ...TEXT, description: 'The question or task.' },
        system: { ...TEXT, description: 'The role of the model, and how it should answer.' },
        model: MODEL,
        images: { type: 'array', items: TEXT, description: 'Images in base64, for models that see.' },
        temperature: { type: 'number' },
        max_tokens: { type: 'integer', minimum: 1 },
      },
      required: ['prompt'],
    },
    async call(args, { signal, report }) {
      const caller = callerOf(services, signal);
      const system = optionalText(args, 'system');
      const images = textList(args, 'images');
      const temperature = optionalNumber(args, 'temperature');
      const maxTokens = optionalNumber(args, 'max_tokens');
      const prompt = {
        role: 'user',
        content: requireText(args, 'prompt'),
        ...(images.length > 0 && { images }),
      };
      const body = {
        model: await modelFor(caller, args, 'completion'),
        messages: [...(system ? [{ role: 'system', content: system }] : []), prompt],
        options: {
          ...(temperature !== undefined && { temperature }),
          ...(maxTokens !== undefined && { num_predict: maxTokens }),
        },
      };
      return textResult(await streamChat(caller, body, report));
    },
  };
}

function embed(services: ToolServices): CallableTool {
  return {
    name: 'embed',
    description: 'Computes the embedding vectors of texts, as JSON.',
    schema: {
      type: 'object',
      properties: { input: { type: 'array', items: TEXT }, model: MODEL },
      required: ['input'],
    },
    async call(args, { signal }) {
      const caller = callerOf(services, signal);
      const input = textList(args, 'input');
      if (input.length === 0) throw new ApiClientError('The argument "input" is missing');
      const model = await modelFor(caller, args, 'embedding');
      const { embeddings } = await requestModels(caller, 'POST', '/api/embed', { model, input });
      return textResult(JSON.stringify(embeddings));
    },
  };
}

async function modelFor(caller: ApiCaller, args: Record<string, unknown>, capability: ModelCapability) {
  return optionalText(args, 'model')?.trim() || chooseInstalled(caller, capability);
}
