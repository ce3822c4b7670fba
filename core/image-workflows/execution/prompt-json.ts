/** Prompts and history entries as JSON. */
import { pythonJson, pythonValueJson, RawJson } from '../python/python-json.ts';
import type { Prompt } from './prompt.ts';
import type { EventRecord } from './prompt-events.ts';
import { withoutSecrets } from './prompt-store.ts';
import type { PromptResult } from './run-prompt.ts';

/** `[number, id, graph, extra_data, outputs]`, as queue and history show a prompt. */
export function promptJson(prompt: Prompt, withSecrets: boolean): RawJson {
  const parts = [
    prompt.numberJson,
    pythonJson(prompt.id),
    prompt.graphJson,
    pythonValueJson(withSecrets ? prompt.extraData : withoutSecrets(prompt.extraData)),
    pythonJson(prompt.outputs),
  ];
  return new RawJson(`[${parts.join(', ')}]`);
}

/** The history entry of a finished prompt. */
export function historyEntryJson(
  prompt: Prompt,
  messages: readonly EventRecord[],
  { outcome, shown }: PromptResult,
): string {
  const isSuccess = outcome === 'success';
  return pythonJson({
    prompt: promptJson(prompt, false),
    outputs: new Map([...shown].map(([id, { ui }]) => [id, ui])),
    status: { status_str: isSuccess ? 'success' : 'error', completed: isSuccess, messages },
    meta: new Map([...shown].map(([id, { ranAs }]) => [id, nodeMeta(ranAs)])),
  });
}

const nodeMeta = (id: string) => ({ node_id: id, display_node: id, parent_node: null, real_node_id: id });
