/** Graphs that people saved under `workflows` of their user data, in API format, as tools. */
import { type ImageGraph, insertText, takesText } from '#core/api-client';
import { type CallableTool, toolName } from '#core/mcp';
import { readSavedGraph } from '../images/saved-graph.ts';
import { callerOf, type OwnApis } from '../own-apis.ts';
import { optionalText } from './arguments.ts';
import { imagesOf } from './image-tools.ts';

/** Graphs that are offered at most. */
const MAX_GRAPHS = 100;

/** Files in another format are left out: only the editor can convert them. */
export async function savedGraphTools(services: OwnApis, signal: AbortSignal): Promise<CallableTool[]> {
  const query = 'dir=workflows&recurse=true&split=false';
  const response = await services.localApis.fetch(`/userdata?${query}`, { signal });
  const listed: unknown = response.ok ? await response.json() : [];
  const files = (Array.isArray(listed) ? listed.map(String) : []).filter((file) => file.endsWith('.json'));
  const tools = files.slice(0, MAX_GRAPHS).map(async (file) => {
    const graph = await readSavedGraph({ ...services, signal }, file);
    return graph && graphTool(services, file, graph);
  });
  return (await Promise.all(tools)).filter((tool) => tool !== undefined);
}

function graphTool(services: OwnApis, file: string, graph: ImageGraph): CallableTool {
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
