import { linksOf, type PromptGraph, type PromptNodeId } from '../graph/graph.ts';
import type { NodeContext } from '../nodes/kernel/node-context.ts';
import type { EventLoopYielder } from '../yielding/event-loop-yielder.ts';
import type { PromptEvents } from './prompt-events.ts';
import type { RunServices } from './run-services.ts';

/** JSON texts that a node writes into the files it saves. */
export interface MetadataTexts {
  /** The graph. Undefined: the node does not ask for it. */
  promptJson: string | undefined;
  /** Further texts by name, usually `workflow`. */
  extra: Record<string, string>;
}

export interface ContextParts {
  nodeId: PromptNodeId;
  promptId: string;
  graph: PromptGraph;
  texts: MetadataTexts;
  services: RunServices;
  events: PromptEvents;
  yielder: EventLoopYielder;
  signal: AbortSignal;
}

/** The context of one node while it runs. Its `progress` rejects with the reason of `signal`. */
export function createContext(parts: ContextParts): NodeContext {
  const { nodeId, promptId, graph, texts, services, events, yielder, signal } = parts;
  return {
    nodeId,
    promptId,
    signal,
    host: services.host,
    files: services.files,
    promptJson: services.writesMetadata ? texts.promptJson : undefined,
    extraTexts: services.writesMetadata ? texts.extra : {},
    wantsPreviews: services.wantsPreviews,
    isTaken: (output) =>
      [...graph.values()].some((node) =>
        linksOf(node).some(([, link]) => link.node === nodeId && link.slot === output),
      ),
    languageModels: services.languageModels,
    async progress(value, max, preview) {
      events.nodeProgress(nodeId, value, max, preview);
      await yielder.yieldIfDue();
      signal.throwIfAborted();
    },
    sendImage: (image) => events.nodeImage(nodeId, image),
    sendText: (text) => events.nodeText(nodeId, text),
  };
}
