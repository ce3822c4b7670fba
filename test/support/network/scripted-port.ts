/** A real port over a scripted model. A small real model would not reliably call tools, think or fail. */
import { createCore } from '#core/server/create-core.ts';
import { openPort } from '#shim/ports/open-ports.ts';
import { createTestHost } from '../host/test-host.ts';
import { type EngineScript, ScriptedEngine, type ScriptedModel } from '../local-models/scripted-engine.ts';
import { tinyGguf } from '../model-files/tiny-gguf.ts';

/** Thinks and calls in the notation of Qwen's models. */
const TEMPLATE = `{%- if tools %}<|im_start|>system
You may call tools: <tools>{% for tool in tools %}{{ tool | tojson }}{% endfor %}</tools>
as <tool_call>{"name": …, "arguments": …}</tool_call><|im_end|>
{% endif %}
{%- for message in messages %}<|im_start|>{{ message.role }}
{%- if message.role == 'tool' %} <tool_response>{{ message.content }}</tool_response>
{%- else %} {{ message.content }}
{%- endif %}
{%- for call in message.tool_calls or [] %}<tool_call>{{ call.function | tojson }}</tool_call>{% endfor %}<|im_end|>
{% endfor %}
{%- if add_generation_prompt %}<|im_start|>assistant
{% if enable_thinking is defined and not enable_thinking %}<think>

</think>

{% endif %}{% endif %}`;

export const SCRIPTED_MODEL = 'scripted:latest';

export interface ScriptedPort {
  url: string;
  engine: ScriptedEngine;
  /** The model of the last answer. */
  model(): ScriptedModel;
  close(): Promise<void>;
}

export async function scriptedPort(script: EngineScript, tokenDelay?: number): Promise<ScriptedPort> {
  const engine = new ScriptedEngine({ script, ...(tokenDelay && { tokenDelay }) });
  const weights = tinyGguf({ chatTemplate: TEMPLATE });
  const host = createTestHost({
    clock: 'real',
    engines: [engine],
    sources: [
      {
        name: 'test',
        locate: async () => [
          {
            role: 'weights',
            name: 'scripted.gguf',
            size: weights.length,
            open: async (offset) => new Blob([weights.subarray(offset)]).stream(),
          },
        ],
      },
    ],
  });
  const server = createCore(host).server;
  const listener = await openPort(server, 'local-models', { port: 0 });
  const url = `http://127.0.0.1:${listener.port}`;
  const body = JSON.stringify({ model: SCRIPTED_MODEL, stream: false });
  const pulled = await (await fetch(`${url}/api/pull`, { method: 'POST', body })).text();
  if (pulled !== '{"status":"success"}') throw new Error(`the scripted model could not be pulled: ${pulled}`);
  return {
    url,
    engine,
    model: () => engine.models.at(-1)!,
    async close() {
      await listener.close(AbortSignal.abort());
      await server.close();
    },
  };
}
