/** A text service over a scripted engine and models of every kind, and functions that collect its runs. */

import type { Message } from '#core/local-models/base/messages.ts';
import type { Run, RunEvent } from '#core/local-models/runs/events.ts';
import type { ChatRequest, GenerateTextRequest } from '#core/local-models/runs/requests.ts';
import { createTextService } from '#core/local-models/service/create-text-service.ts';
import { createTestHost } from '../host/test-host.ts';
import { type FakeModel, fakeRegistry } from './fake-registry.ts';
import { type EngineScript, ScriptedEngine, type ScriptedOptions } from './scripted-engine.ts';

const common = {
  model: 'm',
  options: {},
  truncate: true,
  shift: true,
  logprobs: false,
  topLogprobs: 0,
  debugRenderOnly: false,
};
export const user = (content: string): Message => ({ role: 'user', content });
export const chatRequest = (rest: Partial<ChatRequest> = {}): ChatRequest => ({
  ...common,
  messages: [user('Hi')],
  tools: [],
  ...rest,
});
export const generateRequest = (rest: Partial<GenerateTextRequest> = {}): GenerateTextRequest => ({
  ...common,
  prompt: 'Hi',
  raw: false,
  ...rest,
});

const thinkingTemplate =
  '{{ range .Messages }}[{{ .Role }}]{{ .Content }}{{ end }}[assistant]{{ if .Think }}<think>{{ end }}';
const toolTemplate = '{{ range .Tools }}{{ . }}{{ end }}{{ range .Messages }}{{ .Content }}{{ end }}';
const chatTemplate =
  '{% for m in messages %}[{{ m.role }}]{{ m.content }}{% endfor %}{% if add_generation_prompt %}[assistant]{% endif %}';
export const weatherTool = {
  type: 'function',
  function: { name: 'get_weather', parameters: { type: 'object' } },
};

/** A model of each kind. The names of the models say how they differ. */
export const models: FakeModel[] = [
  { name: 'm' },
  { name: 'thinks', template: thinkingTemplate, capabilities: ['completion', 'thinking'] },
  { name: 'calls', template: toolTemplate, capabilities: ['completion', 'tools'] },
  { name: 'native', template: undefined, parameters: {}, metadata: { chatTemplate } },
  {
    name: 'sees',
    capabilities: ['completion', 'vision'],
    files: [
      { role: 'weights', digest: `sha256:${'5'.repeat(64)}`, size: 1 },
      { role: 'projector', digest: `sha256:${'6'.repeat(64)}`, size: 1 },
    ],
  },
  {
    name: 'hears',
    capabilities: ['completion', 'audio'],
    files: [
      { role: 'weights', digest: `sha256:${'7'.repeat(64)}`, size: 1 },
      { role: 'projector', digest: `sha256:${'8'.repeat(64)}`, size: 1 },
    ],
  },
  {
    name: 'native-calls',
    template: undefined,
    parameters: {},
    metadata: { chatTemplate: `${chatTemplate}{# tools <tool_call> #}` },
    capabilities: ['tools', 'completion'],
  },
  {
    name: 'renderer',
    template: '{{ .Prompt }}',
    config: { renderer: 'qwen3-coder', parser: 'qwen3-coder' },
    parameters: {},
    metadata: { chatTemplate: `${chatTemplate}{# tools <tool_call> #}` },
    capabilities: ['tools', 'completion'],
  },
  {
    name: 'renderer-alone',
    template: '<{{ .Prompt }}>',
    config: { renderer: 'qwen3-coder' },
  },
  {
    name: 'inserts',
    template: '{{ if .Suffix }}<P>{{ .Prompt }}<S>{{ .Suffix }}<M>{{ else }}{{ .Prompt }}{{ end }}',
    capabilities: ['completion', 'insert'],
  },
  {
    name: 'harmony',
    template: undefined,
    parameters: {},
    metadata: {
      chatTemplate:
        '{% for m in messages %}<|start|>{{ m.role }}<|message|>{{ m.content }}<|end|>{% endfor %}<|start|>assistant{# tools <|channel|> reasoning_effort #}',
    },
    capabilities: ['tools', 'thinking', 'completion'],
  },
  { name: 'embeds', capabilities: ['embedding'], metadata: { poolingType: 1 } },
  {
    name: 'pirate',
    system: 'You are a pirate.',
    messages: [user('hi'), { role: 'assistant', content: 'Arr!' }],
    parameters: { num_predict: 3, stop: ['<x>'] },
  },
];

/** A text service over a scripted engine, with `models`. */
export function setUp(script?: EngineScript, options: ScriptedOptions = {}) {
  const engine = new ScriptedEngine({ ...(script && { script }), ...options });
  const host = createTestHost({ engines: [engine], clock: 'real' });
  return { engine, host, service: createTextService(host, fakeRegistry(models)) };
}

/** All events of a run. */
export async function events(run: Run): Promise<RunEvent[]> {
  if (run.kind !== 'events') throw new Error(`not a run of events: ${run.kind}`);
  const all: RunEvent[] = [];
  for await (const event of run.events) all.push(event);
  return all;
}

/** The joined events of a run. */
export interface JoinedRun {
  content: string;
  thinking: string;
  calls: unknown[];
  /** The texts of the events, not joined. */
  pieces: string[];
  done: Extract<RunEvent, { type: 'done' }>;
}

/** Waits for the end of a run, and joins its events. */
export async function finished(run: Run): Promise<JoinedRun> {
  const all = await events(run);
  const texts = all.filter((event) => event.type === 'text');
  return {
    content: texts.map(({ content }) => content).join(''),
    thinking: texts.map(({ thinking }) => thinking).join(''),
    pieces: texts.map(({ content, thinking }) => content || thinking),
    calls: all.flatMap((event) => (event.type === 'tool-calls' ? event.calls : [])),
    done: all.at(-1) as JoinedRun['done'],
  };
}
