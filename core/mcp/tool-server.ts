/** Tools as a list of objects: names made unique, and errors turned into results that a model can read. */
import { errorMessage } from '#core/base';
import type { McpResult, McpTool, McpToolCall, McpTools } from './protocol.ts';

/** A tool with its function. Errors of `call` become results for the model. */
export interface CallableTool extends McpTool {
  call(args: Record<string, unknown>, call: McpToolCall): Promise<McpResult>;
}

interface ToolServerOptions {
  name: string;
  version: string;
  instructions: string;
  /** The tools of now. Of two with the same name, the later one gets a number. */
  load(signal: AbortSignal): Promise<CallableTool[]>;
}

/** Characters of a name that all clients accept. */
const MAX_NAME = 64;

/** The tools of a list, which is read again for each request. */
export function toolServer({ load, ...server }: ToolServerOptions): McpTools {
  const list = async (signal: AbortSignal) => withUniqueNames(await load(signal));
  return {
    ...server,
    list,
    async call(name, args, call) {
      const tool = (await list(call.signal)).find((each) => each.name === name);
      if (!tool) return undefined;
      try {
        return await tool.call(args, call);
      } catch (error) {
        call.signal.throwIfAborted();
        return textResult(errorMessage(error), true);
      }
    },
  };
}

/** A name of letters, digits, `_` and `-` for a text that people chose. */
export function toolName(prefix: string, text: string): string {
  const plain = text.normalize('NFKD').replace(/[^a-zA-Z0-9]+/g, '_');
  return `${prefix}_${plain.replace(/^_+|_+$/g, '').toLowerCase() || 'unnamed'}`.slice(0, MAX_NAME);
}

/** A result with one text. */
export function textResult(text: string, isError = false): McpResult {
  return { content: [{ type: 'text', text }], ...(isError && { isError }) };
}

function withUniqueNames(tools: CallableTool[]): CallableTool[] {
  const names = new Set<string>();
  return tools.map((tool) => {
    let { name } = tool;
    for (let number = 2; names.has(name); number++) {
      const suffix = `_${number}`;
      name = tool.name.slice(0, MAX_NAME - suffix.length) + suffix;
    }
    names.add(name);
    return { ...tool, name };
  });
}
