/** Graphs that people saved under `workflows` of their user data, in API format, as tools. */
import { type ImageGraph, insertText, readImageGraph, takesText } from '#core/api-client';
import { type CallableTool, toolName } from '#core/mcp';
import { optionalText } from './arguments.ts';
import { imagesOf } from './image-tools.ts';
import { callerOf, type ToolServices } from './tool-services.ts';

/** Graphs that are offered at most. */
const MAX_GRAPHS = 100;

/** Files in another format are left out: only the editor can convert them. */
export async function savedGraphTools(services: ToolServices, signal: AbortSignal): Promise<CallableTool[]> {
  const query = 'dir=workflows&recurse=true&split=false';
  const response = await services.localApis.fetch(`/userdata?${query}`, { signal });
  const listed: unknown = response.ok ? await response.json() : [];
  const files = (Array.isArray(listed) ? listed.map(String) : []).filter((file) => file.endsWith('.json'));
  const tools = files.slice(0, MAX_GRAPHS).map(async (file) => {
    const graph = await readSaved(services, file, signal);
    return graph && graphTool(services, file, graph);
  });
  return (await Promise.all(tools)).filter((tool) => tool !== undefined);
}

async function readSaved(
  { localApis }: ToolServices,
  file: string,
  signal: AbortSignal,
): Promise<ImageGraph | undefined> {
  const response = await localApis.fetch(`/userdata/${encodeURIComponent(`workflows/${file}`)}`, { signal });
  if (!response.ok) return undefined;
  try {
    return readImageGraph(await response.text());
  } catch {
    return undefined;
  }
}

function graphTool(services: ToolServices, file: string, graph: ImageGraph): CallableTool {
  const name = file.replace(/\.json$/, '');
  return {
    name: toolName('image', name),
    description: `Runs the saved image graph "${name}" with new seeds, and returns its images and texts.`,
    schema: {
      type: 'object',
      properties: takesText(graph) ? { text: { type: 'string', description: 'The prompt.' } } : {},
    },
    async call(args, call) {
      const own = structuredClone(graph);
      const text = optionalText(args, 'text');
      if (text !== undefined) insertText(own, text);
      return imagesOf(callerOf(services, call.signal), own, true);
    },
  };
}
