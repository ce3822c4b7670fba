import {
  arrayOf,
  booleanField,
  type DecodedValue,
  decodeBody,
  float64Field,
  integerField,
  type JsonDocument,
  omitIfEmpty,
  rawField,
  stringField,
  structOf,
  toPlainObject,
} from '#core/http';
import type { ModelOptions } from '#core/local-models/base/model-options.ts';
import { localName, requireModel } from '#core/local-models/runs/model-name.ts';
import type { AnswerFormat, ChatRequest } from '#core/local-models/runs/requests.ts';
import { type DialectRequest, RUN_DEFAULTS } from '../../dialect-request.ts';
import { readEffort } from '../reasoning-effort.ts';
import { readInput } from './input.ts';
import { echoTool, readResponseTools, responsesTool } from './tools.ts';

const requestFields = structOf('openai.ResponsesRequest', {
  model: stringField,
  background: booleanField,
  include: arrayOf(stringField),
  input: rawField,
  instructions: stringField,
  max_output_tokens: integerField,
  reasoning: structOf('openai.ResponsesReasoning', { effort: stringField, summary: stringField }),
  temperature: float64Field,
  text: structOf('openai.ResponsesText', {
    format: structOf('openai.ResponsesTextFormat', {
      type: stringField,
      name: stringField,
      schema: rawField,
      strict: booleanField,
    }),
  }),
  top_p: float64Field,
  truncation: stringField,
  tools: arrayOf(responsesTool, '[]openai.ResponsesTool'),
  stream: booleanField,
});

type Body = DecodedValue<typeof requestFields>;

/** Fields of the request that the response repeats. */
export interface Echo {
  model: string;
  instructions: string | null;
  tools: object[];
  truncation: string;
  format: { type: string; name?: string; schema?: object; strict?: boolean };
  topP: number;
  temperature: number;
  reasoning: { effort?: string; summary?: string } | undefined;
  maxOutputTokens: number | null;
  background: boolean;
}

function readEcho(body: Body): Echo {
  const { format } = body.text ?? {};
  const reasoning = {
    effort: omitIfEmpty(body.reasoning?.effort),
    summary: omitIfEmpty(body.reasoning?.summary),
  };
  return {
    model: body.model ?? '',
    instructions: body.instructions || null,
    tools: (body.tools ?? []).flatMap((tool) => (tool ? [echoTool(tool)] : [])),
    truncation: body.truncation ?? 'disabled',
    format: format
      ? {
          type: format.type ?? '',
          name: omitIfEmpty(format.name),
          schema: format.schema?.type === 'object' ? toPlainObject(format.schema) : undefined,
          strict: format.strict,
        }
      : { type: 'text' },
    topP: body.top_p ?? 1,
    temperature: body.temperature ?? 1,
    reasoning: reasoning.effort || reasoning.summary ? reasoning : undefined,
    maxOutputTokens: body.max_output_tokens ?? null,
    background: body.background ?? false,
  };
}

function readOptions(body: Body): ModelOptions {
  const options: ModelOptions = { temperature: body.temperature ?? 1 };
  // Absent, unlike the temperature: the model's own value applies.
  if (body.top_p !== undefined) options.top_p = body.top_p;
  if (body.max_output_tokens !== undefined) options.num_predict = body.max_output_tokens;
  return options;
}

function readFormat({ type, schema }: Echo['format']): AnswerFormat | undefined {
  if (type === 'json_object') return 'json';
  return type === 'json_schema' ? (schema as Record<string, unknown> | undefined) : undefined;
}

export interface ResponsesRequest extends DialectRequest<ChatRequest> {
  echo: Echo;
  /** The request offers the web search as a tool. */
  offersSearch: boolean;
}

/**
 * Translates a request of /v1/responses.
 * @throws ApiError 400 for a body that cannot be read
 */
export function readResponsesRequest(document: JsonDocument): ResponsesRequest {
  const body = decodeBody(requestFields, document);
  const echo = readEcho(body);
  const input = readInput(body.input)();
  const messages = body.instructions ? [{ role: 'system', content: body.instructions }, ...input] : input;
  const think = readEffort(body.reasoning?.effort);
  const { tools, offersSearch } = readResponseTools((body.tools ?? []).filter((tool) => tool !== undefined));
  return {
    requestedName: echo.model,
    stream: body.stream ?? false,
    echo,
    offersSearch,
    toRequest() {
      requireModel(echo.model.trim());
      return {
        model: localName(echo.model),
        messages,
        tools,
        options: readOptions(body),
        format: readFormat(echo.format),
        think,
        ...RUN_DEFAULTS,
      };
    },
  };
}
