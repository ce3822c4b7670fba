/** OpenAI's image API over the image workflows: generations, edits and variations. */
import {
  type ApiCaller,
  ApiClientError,
  fetchImage,
  type ImageGraph,
  runGraph,
  type StoredImage,
} from '#core/api-client';
import type { Host } from '#core/host';
import {
  ApiError,
  encodeBase64,
  eventStreamResponse,
  jsonResponse,
  type LocalApis,
  type RouteCall,
  textStream,
} from '#core/http';
import { callerOf } from '../own-apis.ts';
import { findImageModel } from './find-model.ts';
import type { ImageRequest } from './image-request.ts';
import { readEdit, readGeneration } from './read-body.ts';
import { editingGraph, generationGraph } from './request-graph.ts';
import { sendImageFile } from './send-file.ts';

export type ImageHandler = (call: RouteCall) => Promise<Response>;

/** The handlers of the routes below `/v1/images`. */
export function createImageApi(host: Host, localApis: LocalApis): Record<string, ImageHandler> {
  const services = { host, localApis };
  const answer = (call: RouteCall, request: ImageRequest, makeGraph: MakeGraph, event: string) =>
    answerImages({ host, call, caller: callerOf(services, call.signal), request, makeGraph, event });
  return {
    async generations(call) {
      const request = await readGeneration(call);
      const makeGraph: MakeGraph = async (caller) =>
        generationGraph(request, await findImageModel(caller, request.model));
      return answer(call, request, makeGraph, 'image_generation');
    },
    async edits(call) {
      const request = await readEdit(call);
      const makeGraph: MakeGraph = async (caller) =>
        editingGraph(caller, request, await findImageModel(caller, request.model));
      return answer(call, request, makeGraph, 'image_edit');
    },
    async variations(call) {
      const request = await readEdit(call, { needsPrompt: false });
      const makeGraph: MakeGraph = async (caller) =>
        editingGraph(caller, request, await findImageModel(caller, request.model));
      return answer(call, request, makeGraph, 'image_variation');
    },
    files: (call) => sendImageFile(callerOf(services, call.signal), call),
  };
}

type MakeGraph = (caller: ApiCaller) => Promise<ImageGraph>;

interface Answering {
  host: Host;
  call: RouteCall;
  caller: ApiCaller;
  request: ImageRequest;
  makeGraph: MakeGraph;
  /** First part of the names of events: `image_generation`. */
  event: string;
}

async function answerImages(answering: Answering): Promise<Response> {
  const { request, host } = answering;
  const graph = await asApiErrors(() => answering.makeGraph(answering.caller));
  const created = Math.floor(host.clock.now() / 1000);
  const head = { created, output_format: request.outputFormat };
  if (!request.stream) {
    const data = await asApiErrors(() => drawAll(answering, graph));
    return jsonResponse({ ...head, data });
  }
  const left = new AbortController();
  const signal = AbortSignal.any([answering.caller.signal, left.signal]);
  const streamed = { ...answering, caller: { ...answering.caller, signal } };
  const events = completedEvents(streamed, graph, created);
  const stop = (reason: unknown) => left.abort(reason);
  return eventStreamResponse(textStream(events, errorEvent, stop));
}

async function* completedEvents(
  answering: Answering,
  graph: ImageGraph,
  created: number,
): AsyncGenerator<string> {
  const type = `${answering.event}.completed`;
  for (const image of await asApiErrors(() => drawAll(answering, graph))) {
    const { outputFormat } = answering.request;
    yield event({ type, created_at: created, output_format: outputFormat, ...image });
  }
}

function errorEvent(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return event({ type: 'error', error: { message, type: 'api_error', param: null, code: null } });
}

function event(data: { type: string } & Record<string, unknown>): string {
  return `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
}

type DrawnImage = { b64_json: string } | { url: string };

/** Runs the graph, and reads its images in the format of the request. */
async function drawAll({ call, caller, request }: Answering, graph: ImageGraph): Promise<DrawnImage[]> {
  const { images } = await runGraph(caller, graph);
  if (images.length === 0) throw new ApiError(500, 'the graph made no image');
  return Promise.all(
    images.map(async (image) =>
      request.responseFormat === 'url'
        ? { url: fileUrl(call.url, image, request) }
        : { b64_json: encodeBase64(await imageBytes(caller, image, request)) },
    ),
  );
}

async function imageBytes(caller: ApiCaller, image: StoredImage, request: ImageRequest): Promise<Uint8Array> {
  const { outputFormat, compression } = request;
  const preview = outputFormat === 'png' ? undefined : `${outputFormat};${compression}`;
  const response = await fetchImage(caller, image, preview);
  return new Uint8Array(await response.arrayBuffer());
}

/** The address of a file at the server that the client has requested. */
function fileUrl(requested: URL, { filename, subfolder, type }: StoredImage, request: ImageRequest): string {
  const base = requested.href.replace(/\/v1\/images\/.*$/, '/v1/images/files/');
  const url = new URL(encodeURIComponent(filename), base);
  if (subfolder) url.searchParams.set('subfolder', subfolder);
  if (type !== 'output') url.searchParams.set('type', type);
  if (request.outputFormat !== 'png') {
    url.searchParams.set('preview', `${request.outputFormat};${request.compression}`);
  }
  return url.href;
}

/** Errors of the image API with their status: 400 for what its validation refuses, 500 for graphs that fail. */
async function asApiErrors<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof ApiClientError)) throw error;
    const { message, description, status = 500, cause } = error;
    throw new ApiError(status, description ? `${message}: ${description}` : message, { cause });
  }
}
