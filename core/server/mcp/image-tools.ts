/** Image generation as tools, through the ComfyUI API. */
import {
  type ApiCaller,
  ApiClientError,
  fetchImage,
  graphText,
  type ImageGraph,
  insertText,
  randomSeed,
  readImageGraph,
  renewSeeds,
  runGraph,
  suggestedSettings,
} from '#core/api-client';
import { encodeBase64 } from '#core/http';
import { type CallableTool, type McpContent, type McpResult, textResult } from '#core/mcp';
import { optionalNumber, optionalText, requireText } from './arguments.ts';
import { callerOf, type ToolServices } from './tool-services.ts';

const DEFAULTS = { width: 512, height: 512, steps: 20, guidance: 7, sampler: 'euler', scheduler: 'normal' };

export function imageTools(services: ToolServices): CallableTool[] {
  return [listCheckpoints(services), generateImage(services), runImageGraph(services)];
}

function listCheckpoints(services: ToolServices): CallableTool {
  return {
    name: 'list_checkpoints',
    description: 'Lists the installed checkpoints for images.',
    schema: { type: 'object', properties: {} },
    call: async (_args, { signal }) =>
      textResult(JSON.stringify(await checkpoints(callerOf(services, signal)))),
  };
}

function generateImage(services: ToolServices): CallableTool {
  const text = { type: 'string' };
  const size = { type: 'integer', minimum: 16, maximum: 16384 };
  return {
    name: 'generate_image',
    description: 'Makes an image of a text, and returns it as PNG.',
    schema: {
      type: 'object',
      properties: {
        prompt: { ...text, description: 'What the image shows.' },
        negative_prompt: { ...text, description: 'What it does not show.' },
        checkpoint: { ...text, description: 'Name of a checkpoint. Default: the first one.' },
        width: size,
        height: size,
        steps: { type: 'integer', minimum: 1 },
        guidance: { type: 'number' },
        seed: { type: 'integer', minimum: 0, description: 'Default: a random one.' },
      },
      required: ['prompt'],
    },
    async call(args, { signal }) {
      const caller = callerOf(services, signal);
      const prompt = requireText(args, 'prompt');
      const checkpoint = optionalText(args, 'checkpoint') ?? (await checkpoints(caller))[0];
      if (checkpoint === undefined) {
        throw new ApiClientError("No checkpoint is installed. Install one with 'tabd pull emoji-128'.");
      }
      const own = { ...DEFAULTS, ...suggestedSettings(checkpoint) };
      const settings = {
        ...own,
        checkpoint,
        prompt,
        negative: optionalText(args, 'negative_prompt') ?? '',
        width: optionalNumber(args, 'width') ?? own.width,
        height: optionalNumber(args, 'height') ?? own.height,
        steps: optionalNumber(args, 'steps') ?? own.steps,
        guidance: optionalNumber(args, 'guidance') ?? own.guidance,
        seed: String(optionalNumber(args, 'seed') ?? randomSeed()),
      };
      return imagesOf(caller, readImageGraph(graphText(settings)));
    },
  };
}

function runImageGraph(services: ToolServices): CallableTool {
  return {
    name: 'run_image_graph',
    description:
      'Runs a graph of image nodes in the API format of ComfyUI, and returns its images and texts.',
    schema: {
      type: 'object',
      properties: {
        graph: { type: 'object', description: 'Nodes by id, each with class_type and inputs.' },
        text: { type: 'string', description: 'Replaces %text% in the graph, or else its positive prompt.' },
      },
      required: ['graph'],
    },
    async call(args, { signal }) {
      const graph = readImageGraph(args.graph);
      const text = optionalText(args, 'text');
      if (text !== undefined) insertText(graph, text);
      return imagesOf(callerOf(services, signal), graph);
    },
  };
}

/** Runs a graph. `newSeeds`: the same call makes another image each time. */
export async function imagesOf(caller: ApiCaller, graph: ImageGraph, newSeeds = false): Promise<McpResult> {
  if (newSeeds) renewSeeds(graph);
  const { images, text } = await runGraph(caller, graph);
  const content: McpContent[] = text.map((each) => ({ type: 'text', text: each }));
  for (const image of images) {
    const response = await fetchImage(caller, image);
    const mimeType = response.headers.get('content-type')?.split(';')[0] ?? 'image/png';
    const data = encodeBase64(new Uint8Array(await response.arrayBuffer()));
    content.push({ type: 'image', data, mimeType });
  }
  return { content: content.length > 0 ? content : [{ type: 'text', text: 'The graph showed nothing.' }] };
}

async function checkpoints({ localApis, signal }: ApiCaller): Promise<string[]> {
  const response = await localApis.fetch('/models/checkpoints', { signal });
  const names: unknown = await response.json();
  return Array.isArray(names) ? names.map(String) : [];
}
