/** The graph that answers a request for images. */
import {
  type ApiCaller,
  type ApiGraph,
  editGraph,
  graphText,
  type ImageGraph,
  insertText,
  randomSeed,
  renewSeeds,
  suggestedSettings,
  uploadImage,
} from '#core/api-client';
import { ApiError } from '#core/http';
import type { ImageModel } from './find-model.ts';
import type { ImageRequest } from './image-request.ts';
import type { EditRequest } from './read-body.ts';

const DEFAULTS = { width: 512, height: 512, steps: 20, guidance: 7, sampler: 'euler', scheduler: 'normal' };
/** The folder and first part of the names of the files. */
export const FILE_PREFIX = 'openai/image';
/** How much of an image changes where the request does not say so: most of it, but not its composition. */
const EDIT_STRENGTH = 0.75;

/** The graph of a generation. */
export function generationGraph(request: ImageRequest, model: ImageModel): ImageGraph {
  if ('graph' in model) return ownGraph(request, model.graph);
  const graph = checkpointGraph(request, model.checkpoint);
  graph[4]!.inputs.batch_size = request.n;
  return graph;
}

/**
 * The graph of an edit. Its images are uploaded first.
 * @throws ApiError 400 for a model that is a graph
 */
export async function editingGraph(
  caller: ApiCaller,
  request: EditRequest,
  model: ImageModel,
): Promise<ImageGraph> {
  if ('graph' in model) throw new ApiError(400, 'A saved graph makes images, and does not edit them.');
  const { n, size, strength, mask } = request;
  return editGraph(checkpointGraph(request, model.checkpoint), {
    image: await uploadImage(caller, request.image),
    ...(mask && { mask: await uploadImage(caller, mask) }),
    ...(size && { size }),
    strength: strength ?? (mask ? 1 : EDIT_STRENGTH),
    count: n,
  });
}

function checkpointGraph(request: ImageRequest, checkpoint: string): ApiGraph {
  const own = { ...DEFAULTS, ...suggestedSettings(checkpoint) };
  const { size, steps, guidance, sampler, scheduler, seed, prompt, negative } = request;
  const text = graphText({
    checkpoint,
    prompt,
    negative: negative ?? '',
    width: size?.width ?? own.width,
    height: size?.height ?? own.height,
    steps: steps ?? own.steps,
    guidance: guidance ?? own.guidance,
    sampler: sampler ?? own.sampler,
    scheduler: scheduler ?? own.scheduler,
    seed: String(seed ?? randomSeed()),
  });
  const graph = JSON.parse(text) as ApiGraph;
  graph[7]!.inputs.filename_prefix = FILE_PREFIX;
  return graph;
}

/** A saved graph with the request's text, seed, size and number in the inputs that have these names. */
function ownGraph({ prompt, n, size, seed }: ImageRequest, saved: ImageGraph): ImageGraph {
  const graph = structuredClone(saved);
  insertText(graph, prompt);
  if (seed === undefined) renewSeeds(graph);
  for (const { class_type: type, inputs = {} } of Object.values(graph)) {
    if (seed !== undefined && typeof inputs.seed === 'number') inputs.seed = seed;
    if (seed !== undefined && typeof inputs.noise_seed === 'number') inputs.noise_seed = seed;
    if (!/^Empty.*Latent/.test(String(type))) continue;
    if ('batch_size' in inputs) inputs.batch_size = n;
    if (size && 'width' in inputs && 'height' in inputs) Object.assign(inputs, size);
  }
  return graph;
}
