/** The agent since version 3: its tools are nodes that the engine runs, between the rounds of all items. */
import type { Item, JsonObject } from '#core/workflow-format';
import type { ToolCall } from '../../../node-api/chat.ts';
import type { NodeContext } from '../../../node-api/node-context.ts';
import { NodeError } from '../../../node-api/node-error.ts';
import { failedItem } from '../../../node-api/per-item.ts';
import { readPrompt, requirePrompt } from '../chains/prompt.ts';
import { rootError } from '../chains/root-error.ts';
import { mcpClientTool, withToolName } from '../tools/mcp-client.ts';
import { askModel, beginStream } from './ask-model.ts';
import { type AgentStep, openingMessages, parsedAnswer, stepMessages } from './conversation.ts';
import { engineSteps } from './intermediate-steps.ts';
import { type AgentParts, agentParts, FORMAT_TOOL, maxIterations } from './options.ts';

/** The work on one item. */
interface ItemWork {
  index: number;
  steps: AgentStep[];
  rounds: number;
  /** Tools that the model asks for. */
  calls: { call: ToolCall; node: string | undefined }[];
  /** Set at the end. */
  item?: Item;
}

export async function engineLoop(context: NodeContext): Promise<Item[]> {
  const work = context.items().map((_, index): ItemWork => ({ index, steps: [], rounds: 0, calls: [] }));
  const { size, delay } = await readBatches(context);
  for (;;) {
    const open = work.filter(({ item }) => !item);
    for (let from = 0; from < open.length; from += size) {
      context.signal.throwIfAborted();
      if (from > 0 && delay > 0) await context.sleep(delay);
      await settle(context, open.slice(from, from + size));
    }
    const waiting = work.filter(({ item }) => !item);
    if (waiting.length === 0) return work.map(({ item }) => item!);
    await useTools(context, waiting);
  }
}

async function readBatches(context: NodeContext): Promise<{ size: number; delay: number }> {
  const batching = await context.parameter<{ batchSize?: unknown; delayBetweenBatches?: unknown }>(
    'options.batching',
    0,
    {},
  );
  const size = Math.floor(Number(batching?.batchSize ?? 1));
  return {
    size: Math.max(size || 1, 1),
    delay: Math.max(0, Number(batching?.delayBetweenBatches ?? 0) || 0),
  };
}

/** Asks for all items of a batch at the same time. Failures are thrown in the order of the items. */
async function settle(context: NodeContext, batch: ItemWork[]): Promise<void> {
  const outcomes = await Promise.allSettled(batch.map((work) => nextRound(context, work)));
  for (const [position, outcome] of outcomes.entries()) {
    if (outcome.status === 'fulfilled') continue;
    const work = batch[position]!;
    work.item = failedItem(context, rootError(outcome.reason, work.index), work.index);
  }
}

/** One question to the model: it answers, or asks for tools. */
async function nextRound(context: NodeContext, work: ItemWork): Promise<void> {
  const { index } = work;
  const prompt = await promptOf(context, index);
  const parts = await agentParts(context, index);
  const limit = maxIterations(parts.options);
  if (work.rounds >= limit) {
    throw new NodeError(
      `Max iterations (${limit}) reached. The agent could not complete the task within the allowed number of iterations.`,
    );
  }
  const opening = await openingMessages(context, parts, prompt, index);
  const messages = [...opening, ...stepMessages(work.steps)];
  const isRead = await beginStream(context, parts, index);
  const answer = await askModel(context, parts, messages, { itemIndex: index, isRead });
  if (isRead) await context.stream({ type: 'end', itemIndex: index });
  const final = parts.parser ? answer.toolCalls.find(({ name }) => name === FORMAT_TOOL) : undefined;
  if (final || answer.toolCalls.length === 0) {
    await finish(work, { parts, prompt, text: final ? JSON.stringify(final.args) : answer.text });
    return;
  }
  work.rounds++;
  work.calls = answer.toolCalls.map((call) => ({
    call,
    node: parts.tools.find(({ name }) => name === call.name)?.node,
  }));
}

/** The tool of an agent has its prompt in the parameter alone. */
async function promptOf(context: NodeContext, index: number): Promise<string> {
  if (!context.node.type.endsWith('agentTool')) return readPrompt(context, index);
  return requirePrompt(await context.parameter<unknown>('text', index));
}

async function finish(
  work: ItemWork,
  { parts, prompt, text }: { parts: AgentParts; prompt: string; text: string },
): Promise<void> {
  const output = await parsedAnswer(text, parts.parser);
  await parts.memory?.save(prompt, typeof output === 'string' ? output : JSON.stringify(output));
  const json: JsonObject = { output };
  if (parts.options.returnIntermediateSteps) json.intermediateSteps = engineSteps(work.steps);
  work.item = { json, pairedItem: { item: work.index } };
}

/** Runs the tools that the items ask for. What no tool knows is answered here. */
async function useTools(context: NodeContext, waiting: ItemWork[]): Promise<void> {
  const requested = waiting.flatMap((work) => work.calls.map((entry) => ({ work, ...entry })));
  const runs = requested.flatMap(({ work, call, node }) =>
    node === undefined ? [] : [{ node, args: argsFor(context, node, call), itemIndex: work.index }],
  );
  const results = await context.runTools(runs);
  for (const { work, call, node } of requested) {
    const items = node === undefined ? undefined : results.shift();
    const observation = items
      ? JSON.stringify(items.map(({ json }) => json))
      : `${call.name} is not a valid tool, try another one.`;
    work.steps.push({ call, node: node ?? call.name, observation });
  }
  for (const work of waiting) work.calls = [];
}

/** One node may have several tools: it learns which of them is meant. */
function argsFor({ workflow }: NodeContext, name: string, call: ToolCall): JsonObject {
  const node = workflow.nodes.find((other) => other.name === name);
  return node?.type === mcpClientTool.name ? withToolName(call.name, call.args) : call.args;
}
