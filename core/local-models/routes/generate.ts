/** POST /api/generate */
import {
  ApiError,
  arrayOf,
  booleanField,
  decodeBody,
  formatUtcTime,
  integerField,
  omitIfEmpty,
  type RouteCall,
  readBodyJson,
  stringField,
  structOf,
} from '#core/http';
import type { RunEvent } from '../runs/events.ts';
import type { LocalModels } from '../runs/services.ts';
import { imageData, runFields } from './fields.ts';
import { checkTopLogprobs, modelNotFound, readRun, readRunFormat } from './run-request.ts';
import { type Lines, respondToRun } from './run-response.ts';
import { wireLogprobs, wireStatistics, wireToolCalls } from './wire.ts';

const generateFields = structOf('api.GenerateRequest', {
  ...runFields,
  prompt: stringField,
  suffix: stringField,
  system: stringField,
  template: stringField,
  context: arrayOf(integerField),
  raw: booleanField,
  images: arrayOf(imageData, '[]api.ImageData'),
});

function generateLines(spelled: string, now: () => number): Lines {
  const head = () => ({ model: spelled, created_at: formatUtcTime(now()) });
  return {
    event(event: RunEvent) {
      if (event.type === 'done')
        return {
          ...head(),
          response: '',
          done: true,
          done_reason: event.reason,
          context: omitIfEmpty(event.context),
          ...wireStatistics(event.statistics),
        };
      if (event.type === 'tool-calls')
        return { ...head(), response: '', done: false, tool_calls: wireToolCalls(event.calls) };
      return {
        ...head(),
        response: event.content,
        thinking: omitIfEmpty(event.thinking),
        done: false,
        logprobs: wireLogprobs(event.logprobs),
      };
    },
    whole: (answer) => ({
      ...head(),
      response: answer.content,
      thinking: omitIfEmpty(answer.thinking),
      done: true,
      done_reason: answer.done.reason,
      context: omitIfEmpty(answer.done.context),
      ...wireStatistics(answer.done.statistics),
      tool_calls: wireToolCalls(answer.toolCalls),
      logprobs: wireLogprobs(answer.logprobs),
    }),
    state: (reason) => ({ ...head(), response: '', done: true, done_reason: reason }),
    rendered: (text) => ({
      ...head(),
      response: '',
      done: false,
      _debug_info: { rendered_template: text },
    }),
  };
}

export async function generate(models: LocalModels, { request, signal }: RouteCall): Promise<Response> {
  const document = await readBodyJson(request, signal);
  const body = decodeBody(generateFields, document);
  checkTopLogprobs(body.top_logprobs ?? 0);
  const spelled = body.model ?? '';
  if (spelled.trim() === '') throw modelNotFound(spelled);
  const run = await readRun(body, models.registry);
  if (body.raw && (body.template || body.system || body.context?.length))
    throw new ApiError(400, 'raw mode does not support template, system, or context');
  return respondToRun(
    models,
    // Loading, unloading and rendering are answered in one piece.
    (body.stream ?? true) && Boolean(body.prompt) && !run.debugRenderOnly,
    generateLines(spelled, () => models.host.clock.now()),
    {
      format: () => readRunFormat(body, document.source, models.registry),
      begin: (format, stopped) =>
        models.text.generate(
          {
            ...run,
            format,
            prompt: body.prompt ?? '',
            suffix: omitIfEmpty(body.suffix),
            system: omitIfEmpty(body.system),
            template: omitIfEmpty(body.template),
            context: body.context?.map((token) => token ?? 0),
            raw: body.raw ?? false,
            images: body.images?.filter((image) => image !== undefined),
          },
          stopped,
        ),
    },
    signal,
  );
}
