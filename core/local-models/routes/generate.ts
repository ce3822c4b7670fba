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
import { checkTopLogprobs, wireLogprobs } from '../runs/logprobs.ts';
import { modelNotFound } from '../runs/model-name.ts';
import type { LocalModelServices } from '../runs/services.ts';
import { imageData, runFields } from './fields.ts';
import { readRun, readRunFormat } from './run-request.ts';
import { type RunPrinter, respondToRun } from './run-response.ts';
import { wireStatistics, wireToolCalls } from './wire.ts';

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

function generatePrinter(requestedName: string, now: () => number): RunPrinter {
  const head = () => ({ model: requestedName, created_at: formatUtcTime(now()) });
  return {
    event(event) {
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
    complete: (answer) => ({
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

export async function ollamaGenerate(
  services: LocalModelServices,
  { request, signal }: RouteCall,
): Promise<Response> {
  const { host, registry, textService } = services;
  const document = await readBodyJson(request, signal);
  const body = decodeBody(generateFields, document);
  checkTopLogprobs(body.top_logprobs ?? 0);
  const requestedName = body.model ?? '';
  if (requestedName.trim() === '') throw modelNotFound(requestedName);
  const run = await readRun(body, registry);
  if (body.raw && (body.template || body.system || body.context?.length))
    throw new ApiError(400, 'raw mode does not support template, system, or context');
  // Loading, unloading and rendering are answered with one object.
  const stream = (body.stream ?? true) && Boolean(body.prompt) && !run.debugRenderOnly;
  return respondToRun(
    services,
    stream,
    generatePrinter(requestedName, () => host.clock.now()),
    async (runSignal) =>
      textService.generate(
        {
          ...run,
          format: await readRunFormat(body, document.source, registry),
          prompt: body.prompt ?? '',
          suffix: omitIfEmpty(body.suffix),
          system: omitIfEmpty(body.system),
          template: omitIfEmpty(body.template),
          context: body.context?.map((token) => token ?? 0),
          raw: body.raw ?? false,
          images: body.images?.filter((image) => image !== undefined),
        },
        runSignal,
      ),
    signal,
  );
}
