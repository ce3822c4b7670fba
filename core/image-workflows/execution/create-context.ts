import { type Graph, linksOf, type NodeId } from '../graph/graph.ts';
import type { NodeContext } from '../nodes/kernel/node-context.ts';
import type { EventLoopYielder } from '../yielding/event-loop-yielder.ts';
import type { PromptEvents } from './prompt-events.ts';
import type { RunServices } from './run-services.ts';

export interface PromptTexts {
  prompt: string | undefined;
  extra: Record<string, string>;
}

export interface ContextParts {
  nodeId: NodeId;
  promptId: string;
  graph: Graph;
  texts: PromptTexts;
  services: RunServices;
  channel: PromptEvents;
  yielder: EventLoopYielder;
  signal: AbortSignal;
}

/** What one node sees while it runs. */
export function createContext(parts: ContextParts): NodeContext {
  const { nodeId, promptId, graph, texts, services, channel, yielder, signal } = parts;
  return {
    nodeId,
    promptId,
    signal,
    host: services.host,
    files: services.files,
    promptJson: services.writesMetadata ? texts.prompt : undefined,
    extraTexts: services.writesMetadata ? texts.extra : {},
    wantsPreviews: services.wantsPreviews,
    isTaken: (place) =>
      [...graph.values()].some((node) =>
        linksOf(node).some(([, link]) => link.node === nodeId && link.slot === place),
      ),
    languageModels: services.languageModels,
    async progress(value, max, preview) {
      channel.progress(nodeId, value, max, preview);
      await yielder.yieldIfDue();
      signal.throwIfAborted();
    },
    sendImage: (image) => channel.image(nodeId, image),
    sendText: (text) => channel.text(nodeId, text),
  };
}
